import type { RunSummary, ToolStatus } from "@ringside/client";
import { fullTime, grouped, shortTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { runHref } from "../lib/router.ts";
import { now } from "../store/clock.ts";
import { RunStateLabel, runStateOf } from "./run-chip.tsx";
import { Icon } from "./sprite.tsx";

/** A line for each run, newest first: rows stay where they are while things happen in them. */
export function RunsTable({ runs }: { runs: readonly RunSummary[] }) {
  return (
    <table class="runs">
      <thead>
        <tr>
          <th scope="col">{t.runs.run}</th>
          <th scope="col">{t.runs.state}</th>
          <th scope="col" class="align-right">
            {t.runs.turn}
          </th>
          <th scope="col">{t.runs.tools}</th>
          <th scope="col" class="align-right">
            {t.runs.errors}
          </th>
          <th scope="col" class="align-right">
            {t.runs.last}
          </th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <RunLine key={run.run} run={run} />
        ))}
      </tbody>
    </table>
  );
}

/** Markdown without its marks, for one line. */
function plainWords(text: string): string {
  return text
    .replace(/[#*`>|_]+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** A run whose worker was not heard for so long is called stale. */
const staleAfterMs = 8_000;

function RunLine({ run }: { run: RunSummary }) {
  const state = runStateOf(run);
  const stale = state !== "idle" && run.heardMs > staleAfterMs;
  return (
    <tr class={state === "failed" ? "is-failed" : ""}>
      <th scope="row">
        <a href={runHref(run.run)}>
          <span class="run-title">{run.title || run.run}</span> {run.title && <code>{run.run}</code>}
        </a>
        {run.lastText && <p class="run-text">{plainWords(run.lastText)}</p>}
      </th>
      <td>
        <RunStateLabel state={state} />
        {run.worker === "lost" || run.worker === "gone" ? (
          <span class="run-worker">{t.run.worker[run.worker]}</span>
        ) : null}
        {stale && (
          <span class="run-worker is-stale">
            <Icon name="warning" /> {t.runs.stale}
          </span>
        )}
      </td>
      <td class="align-right num">{run.turn > 0 ? grouped(run.turn) : ""}</td>
      <td>
        <ToolsNow tools={run.tools} />
      </td>
      <td class={`align-right num ${run.errors > 0 ? "s-error" : "is-none"}`}>{grouped(run.errors)}</td>
      <td class="align-right num" title={fullTime(run.lastAt)}>
        {shortTime(run.lastAt, now.value)}
      </td>
    </tr>
  );
}

const marksShown = 12;

/** One mark for each call in flight, and the same in words. */
function ToolsNow({ tools }: { tools: ReadonlyMap<ToolStatus, number> }) {
  const running = tools.get("running") ?? 0;
  const preparing = (tools.get("preparing") ?? 0) + (tools.get("composing") ?? 0);
  if (running + preparing === 0) return <span class="is-none">{t.runs.none}</span>;
  const words: string[] = [];
  if (running > 0) words.push(`${grouped(running)} ${t.card.states.running}`);
  if (preparing > 0) words.push(`${grouped(preparing)} ${t.card.states.preparing}`);
  const marks = Array.from({ length: Math.min(marksShown, running + preparing) }, (_, i) => i);
  return (
    <span class="tools-now">
      <span class="tally" aria-hidden="true">
        {marks.map((i) => (
          <i key={i} class={i < running ? "mark-running" : "mark-preparing"} />
        ))}
      </span>
      <span>{words.join(", ")}</span>
    </span>
  );
}
