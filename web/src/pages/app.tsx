import { useLayoutEffect } from "preact/hooks";
import { EmptyState } from "../components/empty-state.tsx";
import { Sprite } from "../components/sprite.tsx";
import { announcement } from "../lib/announce.ts";
import { t } from "../lib/i18n.ts";
import { route } from "../lib/router.ts";
import type { AppStore } from "../store/app-store.ts";
import { RunPage } from "./run-page.tsx";
import { RunsPage } from "./runs-page.tsx";

export function App({ app }: { app: AppStore }) {
  return (
    <>
      <Sprite />
      <Page app={app} />
      <p class="offscreen" role="status">
        {announcement.value}
      </p>
    </>
  );
}

/** Watches a run for as long as it is shown. */
function WatchedRun({ app, run }: { app: AppStore; run: string }) {
  // Before the first paint, so that no empty page flashes.
  useLayoutEffect(() => app.openRun(run), [app, run]);
  const store = app.opened.value;
  return store?.run === run ? <RunPage app={app} store={store} /> : null;
}

function Page({ app }: { app: AppStore }) {
  const { value } = route;
  switch (value.page) {
    case "runs":
      return <RunsPage app={app} />;
    case "run":
      return <WatchedRun key={value.run} app={app} run={value.run} />;
    case "none":
      return (
        <main class="page">
          <EmptyState title={t.empty.noPage}>
            <p>{t.empty.noPageLong}</p>
            <p>
              <a href="/">{t.toRuns}</a>
            </p>
          </EmptyState>
        </main>
      );
    default:
      return value satisfies never;
  }
}
