import { useEffect } from "preact/hooks";
import { EmptyState } from "../components/empty-state.tsx";
import { QueueBar, RunBanners, refusedText } from "../components/run-banners.tsx";
import { RunContext } from "../components/run-context.ts";
import { RunHeader } from "../components/run-header.tsx";
import { Transcript } from "../components/transcript.tsx";
import { announce } from "../lib/announce.ts";
import { t } from "../lib/i18n.ts";
import type { AppStore } from "../store/app-store.ts";
import type { RunStore } from "../store/run-store.ts";

/** One run, live. */
export function RunPage({ app, store }: { app: AppStore; store: RunStore }) {
  const title = store.header.value.run?.title || store.run;
  useEffect(() => {
    document.title = t.newTabTitle(title);
  }, [title]);
  useEffect(() => announceHappenings(store), [store]);
  const stale = app.link.value.state !== "live" && store.joined.value;
  return (
    <RunContext.Provider value={store}>
      <div class={`page ${stale ? "is-stale" : ""}`}>
        <RunHeader app={app} store={store} />
        <RunBanners app={app} store={store} />
        <RunMain app={app} store={store} />
        <QueueBar store={store} />
      </div>
    </RunContext.Provider>
  );
}

function RunMain({ app, store }: { app: AppStore; store: RunStore }) {
  const refused = store.refused.value;
  // What was shown before stays: a hub that started anew may hear of the run again.
  if (refused && !store.joined.value) return <NotShown text={refusedText(refused)} />;
  if (store.unread.value && !store.joined.value) return <NotShown text={[t.empty.unread, t.empty.unreadLong]} />;
  if (!store.joined.value) {
    const first = app.link.value.state === "connecting" || app.link.value.state === "live";
    return <main class="scroll">{first && <p class="hint">{t.link.connectingLong}</p>}</main>;
  }
  return <Transcript store={store} />;
}

function NotShown({ text: [title, text] }: { text: readonly [title: string, text: string] }) {
  return (
    <main class="scroll" tabIndex={0}>
      <EmptyState title={title}>
        <p>{text}</p>
        <p>
          <a href="/">{t.toRuns}</a>
        </p>
      </EmptyState>
    </main>
  );
}

function announceHappenings(store: RunStore): () => void {
  return store.onHappening((happening) => {
    if (happening.kind === "turn") announce(t.announce.turn(happening.turn));
    else if (happening.kind === "settled") announce(t.announce.settled);
    else announce(t.announce.toolFailed(happening.tool.name || t.card.unnamed));
  });
}
