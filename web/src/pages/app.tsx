import { useEffect } from "preact/hooks";
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

function Page({ app }: { app: AppStore }) {
  const { value } = route;
  const run = value.page === "run" ? value.run : undefined;
  useEffect(() => (run === undefined ? app.closeRun() : undefined), [app, run]);
  switch (value.page) {
    case "runs":
      return <RunsPage app={app} />;
    case "run":
      return <RunPage key={value.run} app={app} store={app.openRun(value.run)} />;
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
