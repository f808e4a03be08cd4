import type { Outcome, RunStatus, WorkerState } from "@ringside/client";
import { t } from "../lib/i18n.ts";
import { Icon, type Picture } from "./sprite.tsx";

export type RunState = RunStatus | "finished" | "cutOff" | "lost" | "failed" | "aborted" | "retrying";

interface Facts {
  /** "" where nothing was said yet. */
  readonly runStatus: RunStatus | "";
  readonly outcome: Outcome;
  readonly worker: WorkerState;
  /** Why the last turn's message ended, where that is known. */
  readonly stopReason?: string;
}

/** What to call the run as a whole. A failed tool is not a failed run: only the outcome counts. */
export function runStateOf({ runStatus, outcome, worker, stopReason }: Facts): RunState {
  // Its worker went in the middle of a prompt: nothing will go on by itself.
  if (worker === "lost" && (outcome === "" || outcome === "retrying")) return "lost";
  if (outcome === "retrying" && runStatus !== "running") return "retrying";
  if (runStatus === "running" || runStatus === "settling") return runStatus;
  if (outcome === "error") return "failed";
  if (outcome === "aborted") return "aborted";
  if (outcome !== "ok") return "idle";
  return stopReason === "length" ? "cutOff" : "finished";
}

const looks: Record<RunState, { picture: Picture; hue: string; word: string; row?: string }> = {
  idle: { picture: "idle", hue: "idle", word: t.run.idle },
  running: { picture: "running", hue: "run", word: t.run.running },
  settling: { picture: "settling", hue: "prep", word: t.run.settling },
  retrying: { picture: "settling", hue: "prep", word: t.run.retrying },
  finished: { picture: "done", hue: "ok", word: t.run.finished, row: t.run.finishedRow },
  cutOff: { picture: "warning", hue: "prep", word: t.run.cutOff },
  lost: { picture: "lost", hue: "prep", word: t.run.lost },
  failed: { picture: "error", hue: "err", word: t.run.failed, row: t.run.failedRow },
  aborted: { picture: "skipped", hue: "idle", word: t.run.aborted, row: t.run.abortedRow },
};

/** The run's state as a tinted chip. */
export function RunChip({ state, turn }: { state: RunState; turn: number }) {
  const { picture, hue, word } = looks[state];
  const text = state === "running" && turn > 0 ? t.run.runningTurn(turn) : word;
  return (
    <span class={`chip hue-${hue}`} title={state === "settling" ? t.run.settlingLong : undefined}>
      <Icon name={picture} />
      {text}
    </span>
  );
}

/** The same as glyph and word without a ground, for tables. */
export function RunStateLabel({ state }: { state: RunState }) {
  const { picture, hue, word, row } = looks[state];
  return (
    <span class={`state-label hue-${hue}`}>
      <Icon name={picture} />
      {row ?? word}
    </span>
  );
}
