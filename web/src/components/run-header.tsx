import { fullTime, stopwatch } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { runHref } from "../lib/router.ts";
import type { AppStore } from "../store/app-store.ts";
import { now } from "../store/clock.ts";
import type { RunStore } from "../store/run-store.ts";
import { CopyButton } from "./copy-button.tsx";
import { CountsBar } from "./counts.tsx";
import { LinkDot } from "./link-status.tsx";
import { PresenceBar } from "./presence.tsx";
import { RunChip, runStateOf } from "./run-chip.tsx";
import { Icon } from "./sprite.tsx";
import { ThemeToggle } from "./theme-toggle.tsx";

/** What the run is doing, whether this is live, and who else watches. */
export function RunHeader({ app, store }: { app: AppStore; store: RunStore }) {
  const { run, turn, ...facts } = store.header.value;
  const stopReason = store.turn(turn).value?.stopReason ?? "";
  const title = run?.title || store.run;
  const more = [run?.source, run?.model, run?.cwd].filter(Boolean).join(" · ");
  return (
    <header class="top">
      <a class="brand" href="/" aria-label={t.toRuns} title={t.toRuns}>
        <Icon name="brand" />
      </a>
      <div class="top-title">
        <h1 title={title}>{title}</h1>
        {run?.title && (
          <p title={more}>
            <code>{store.run}</code>
            {more && <span> · {more}</span>}
          </p>
        )}
      </div>
      <div class="top-state">
        {store.joined.value && <RunChip state={runStateOf({ ...facts, stopReason })} turn={turn} />}
        <CountsBar counts={store.counts.value} />
        <Elapsed store={store} />
      </div>
      <div class="top-side">
        <LinkDot link={app.link.value} />
        <PresenceBar presence={store.presence.value} />
        <CopyButton
          text={() => new URL(runHref(store.run), location.href).href}
          label={t.run.copyLink}
          icon="link"
          wide
        />
        <ThemeToggle />
      </div>
    </header>
  );
}

/** Ticks while the run runs. */
function Elapsed({ store }: { store: RunStore }) {
  const { runStatus, turn } = store.header.value;
  const startedAt = store.firstTurnAt();
  if (runStatus === "idle" || turn === 0 || startedAt === 0) return null;
  return (
    <span class="elapsed num" title={`${t.run.elapsed}: ${fullTime(startedAt)}`}>
      {stopwatch(store.clock.at(now.value) - startedAt)}
    </span>
  );
}
