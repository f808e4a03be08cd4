import type { ListedRun } from "@ringside/client";
import { useEffect } from "preact/hooks";
import { EmptyState } from "../components/empty-state.tsx";
import { LinkBanner, LinkDot } from "../components/link-status.tsx";
import { RunsTable } from "../components/runs-table.tsx";
import { Icon } from "../components/sprite.tsx";
import { ThemeToggle } from "../components/theme-toggle.tsx";
import { t } from "../lib/i18n.ts";
import type { AppStore } from "../store/app-store.ts";

/** Everything that can be watched. */
export function RunsPage({ app }: { app: AppStore }) {
  useEffect(() => {
    document.title = t.product;
    return app.openRuns();
  }, [app]);
  const link = app.link.value;
  const runs = app.runs.value;
  return (
    <div class={`page ${link.state !== "live" && runs ? "is-stale" : ""}`}>
      <header class="top">
        <span class="brand">
          <Icon name="brand" />
        </span>
        <div class="top-title">
          <h1>{t.product}</h1>
          {runs && <p class="num">{t.runs.count(runs.length)}</p>}
        </div>
        <div class="top-state" />
        <div class="top-side">
          <LinkDot link={link} />
          <ThemeToggle />
        </div>
      </header>
      <div class="banners">
        <LinkBanner link={link} lostAt={app.lostAt.value} retry={() => app.client.connection.retryNow()} />
      </div>
      <main class="scroll" tabIndex={0} aria-label={t.runs.title}>
        <RunsMain runs={runs} knownAt={app.runsKnownAt.value} />
      </main>
    </div>
  );
}

function RunsMain({ runs, knownAt }: { runs: readonly ListedRun[] | undefined; knownAt: number }) {
  if (!runs) return <p class="hint">{t.link.connectingLong}</p>;
  if (runs.length > 0) return <RunsTable runs={runs} knownAt={knownAt} />;
  return (
    <EmptyState title={t.empty.noRuns}>
      <p>{t.empty.noRunsLong}</p>
      <pre class="raw">
        {`hub work --to ${location.origin} --model openai:NAME --prompt "…"\npi --mode json "…" | hub publish --run NAME --to ${location.origin}`}
      </pre>
      <p>{t.empty.noRunsDemo}</p>
      <pre class="raw">hub demo --addr 127.0.0.1:0</pre>
    </EmptyState>
  );
}
