import type { ErrorMessage } from "@ringside/client";
import { grouped, ticking, timeOfDay } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import type { AppStore } from "../store/app-store.ts";
import { now } from "../store/clock.ts";
import type { Note, RunStore } from "../store/run-store.ts";
import { Banner } from "./banner.tsx";
import { CopyButton } from "./copy-button.tsx";
import { LinkBanner } from "./link-status.tsx";
import { runStateOf } from "./run-chip.tsx";

/** Everything that people have to know about the run as a whole. */
export function RunBanners({ app, store }: { app: AppStore; store: RunStore }) {
  const connection = app.client.connection;
  return (
    <div class="banners">
      <LinkBanner link={app.link.value} lostAt={app.lostAt.value} retry={() => connection.retryNow()} />
      <RefusedBanner store={store} />
      <UnreadBanner store={store} />
      <NoteBanner store={store} />
      <FailedBanner store={store} />
      <WorkerBanner store={store} live={app.link.value.state === "live"} />
      <SettlingBanner store={store} />
    </div>
  );
}

/** Why the hub does not show a run, and what comes next. */
export function refusedText({ code, message }: ErrorMessage): [title: string, text: string] {
  if (code === "unknown_run") return [t.empty.unknownRun, t.empty.unknownRunLong];
  if (code === "forbidden") return [t.empty.refused, t.link.forbidden];
  return [t.empty.unavailable, t.empty.unavailableLong(message)];
}

/** The hub does not serve the run any more; what was known of it is still shown. */
function RefusedBanner({ store }: { store: RunStore }) {
  const refused = store.refused.value;
  if (!refused || !store.joined.value) return null;
  const [title, text] = refusedText(refused);
  return (
    <Banner tone="warn" icon="warning" title={`${title}.`}>
      {text}
    </Banner>
  );
}

/** What is shown has stopped, until the hub has sent all of it again. */
function UnreadBanner({ store }: { store: RunStore }) {
  if (!store.unread.value || !store.joined.value) return null;
  return (
    <Banner tone="warn" icon="warning" title={t.run.unread}>
      {t.run.unreadLong}
    </Banner>
  );
}

function NoteBanner({ store }: { store: RunStore }) {
  const note = store.note.value;
  const slow = store.delivery.value?.step ?? "every";
  const dismiss = (
    <button
      type="button"
      class="button"
      onClick={() => {
        store.note.value = undefined;
      }}
    >
      {t.run.dismiss}
    </button>
  );
  return (
    <>
      {note && (
        <Banner tone="good" icon="done" title={noteTitle(note.kind)} actions={dismiss}>
          {noteText(note)}
        </Banner>
      )}
      {slow !== "every" && <Banner tone="plain" icon="warning" title={t.run.slow[slow]} />}
    </>
  );
}

const noteTitle = (kind: Note["kind"]): string =>
  ({ gap: t.run.back, resynced: t.run.resynced, unread: t.run.reread })[kind];

function noteText(note: Note): string {
  return note.kind === "gap" ? t.run.gap(note.seq, timeOfDay(note.from), timeOfDay(note.to)) : "";
}

/** A failed run. A failed tool is a card, and looks like one. */
function FailedBanner({ store }: { store: RunStore }) {
  const header = store.header.value;
  if (runStateOf(header) !== "failed") return null;
  const text = header.outcomeText;
  const title = text ? t.run.failedBanner(text) : t.run.failedNoText;
  const errors = store.counts.value.error;
  return (
    <Banner
      tone="fail"
      icon="error"
      title={title}
      alert
      actions={text && <CopyButton text={() => text} label={t.run.details} wide />}
    >
      {t.turn.title(header.turn)}. {errors > 0 ? t.run.failedTools(errors) : t.run.failedNoTools}
    </Banner>
  );
}

/** What is known of the worker, in words. */
function WorkerBanner({ store, live }: { store: RunStore; live: boolean }) {
  const { worker: state } = store.header.value;
  const worker = store.worker.value;
  if (store.store.value === "down") return <Banner tone="warn" icon="warning" title={t.run.storeDown} />;
  if (state === "lost")
    return (
      <Banner tone="plain" icon="lost" title={t.run.worker.lost}>
        {t.run.workerLost}
      </Banner>
    );
  if (state === "gone")
    return (
      <Banner tone="plain" icon="idle" title={t.run.workerGone}>
        {endedText(store)}
      </Banner>
    );
  if (!live || !worker?.stale) return null;
  return (
    <Banner tone="warn" icon="warning" title={t.run.worker.stale}>
      {t.run.workerStale(ticking(now.value - worker.heardAt))}
    </Banner>
  );
}

/** How the last prompt ended, as far as is known. */
function endedText(store: RunStore): string {
  const header = store.header.value;
  if (header.turn === 0) return "";
  const { stopReason = "" } = store.turn(header.turn).value ?? {};
  const words: Readonly<Record<string, string>> = t.run.ended;
  return words[runStateOf({ ...header, stopReason })] ?? t.run.ended.unknown;
}

function SettlingBanner({ store }: { store: RunStore }) {
  if (store.header.value.runStatus !== "settling") return null;
  return (
    <Banner tone="plain" icon="settling" title={t.run.settling}>
      {t.run.settlingLong}
    </Banner>
  );
}

/** What waits to be delivered to the agent. */
export function QueueBar({ store }: { store: RunStore }) {
  const queue = store.header.value.queue;
  if (!queue) return null;
  const waiting = [
    ...queue.steering.map((text) => [t.run.steering, text] as const),
    ...queue.followUp.map((text) => [t.run.followUp, text] as const),
  ];
  return (
    <section class="queue" aria-label={t.run.queue(waiting.length)}>
      <h2>{t.run.queue(waiting.length)}</h2>
      <ul>
        {waiting.map(([kind, text], i) => (
          <li key={`${grouped(i)} ${kind}`}>
            <span class="notice-kind">{kind}</span>
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
