import type { ListedRun, ToolStatus } from "@ringside/client";
import { fullTime, grouped, shortTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { runHref } from "../lib/router.ts";
import { now } from "../store/clock.ts";
import { RunStateLabel, runStateOf } from "./run-chip.tsx";
import { Icon } from "./sprite.tsx";

/** A line for each run, newest first: rows stay where they are while things happen in them. */
export function RunsTable({ runs, knownAt }: { runs: readonly ListedRun[]; knownAt: number }) {
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
          <RunLine key={run.run} run={run} knownAt={knownAt} />
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

function RunLine({ run, knownAt }: { run: ListedRun; knownAt: number }) {
  const state = runStateOf(run);
  // A hub that cannot be heard says nothing about workers: their silence counts up to when it was lost.
  const silentMs = run.heardAt > 0 ? (knownAt || now.value) - run.heardAt : 0;
  const busy = run.runStatus === "running" || run.runStatus === "settling" || state === "retrying";
  const stale = busy && silentMs > staleAfterMs;
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
      <td class={`align-right num ${run.turn > 0 ? "" : "is-none"}`}>
        {run.turn > 0 && (
          <>
            <span class="instead-of-head">{t.runs.turn} </span>
            {grouped(run.turn)}
          </>
        )}
      </td>
      <td class={toolsNow(run.tools) > 0 ? "" : "is-none"}>
        <ToolsNow tools={run.tools} />
      </td>
      <td class={`align-right num ${run.errors > 0 ? "s-error" : "is-none"}`}>
        {grouped(run.errors)}
        <span class="instead-of-head"> {t.runs.errorsAfter(run.errors)}</span>
      </td>
      <td class="align-right num" title={fullTime(run.lastAt)}>
        {shortTime(run.lastAt, now.value)}
      </td>
    </tr>
  );
}

const marksShown = 12;
const inFlight = ["running", "preparing", "composing"] as const;

function toolsNow(tools: ReadonlyMap<ToolStatus, number>): number {
  return inFlight.reduce((sum, status) => sum + (tools.get(status) ?? 0), 0);
}

/** One mark for each call in flight, and the same in words. */
function ToolsNow({ tools }: { tools: ReadonlyMap<ToolStatus, number> }) {
  const running = tools.get("running") ?? 0;
  const open = inFlight
    .map((status) => [tools.get(status) ?? 0, t.card.states[status]] as const)
    .filter(([n]) => n > 0);
  const all = open.reduce((sum, [n]) => sum + n, 0);
  if (all === 0) return <span class="is-none">{t.runs.none}</span>;
  const words = open.map(([n, word]) => `${grouped(n)} ${word}`);
  const marks = Array.from({ length: Math.min(marksShown, all) }, (_, i) => i);
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
