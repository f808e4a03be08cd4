/**
 * The parts of a view, as snapshots carry them and as the fold makes them.
 * Here every scalar field is present ("" / 0 / false where the wire omits it),
 * so readers need no defaults. Entities are immutable: the fold replaces them.
 * Times are Unix milliseconds of the worker's clock.
 */

export const runStatuses = ["idle", "running", "settling"] as const;
export type RunStatus = (typeof runStatuses)[number];

export const toolStatuses = ["composing", "preparing", "running", "done", "error", "lost", "skipped"] as const;
export type ToolStatus = (typeof toolStatuses)[number];

/** "" where no worker has said anything yet. */
export const workerStates = ["", "live", "lost", "gone"] as const;
export type WorkerState = (typeof workerStates)[number];

/** "" while the run has no outcome. */
export const outcomes = ["", "ok", "error", "aborted", "retrying"] as const;
export type Outcome = (typeof outcomes)[number];

/** Why a card is presumed lost. */
export const causes = ["", "turn_ended", "run_ended", "worker_lost"] as const;
export type Cause = (typeof causes)[number];

export const timelineKinds = ["message", "tool", "toolResult", "notice"] as const;
export type TimelineKind = (typeof timelineKinds)[number];

export interface Run {
  readonly title: string;
  readonly source: string;
  readonly model: string;
  readonly cwd: string;
  /** A Map, since a label may be named like an object's own members. */
  readonly labels: ReadonlyMap<string, string>;
}

/** The assistant message that is being streamed. */
export interface Active {
  readonly id: string;
  readonly turn: number;
  readonly text: string;
  readonly thinking: string;
  readonly startedAt: number;
}

/** A settled message. Role is user or assistant; stopReason is the model's word, or "lost". */
export interface Message {
  readonly id: string;
  readonly role: string;
  readonly turn: number;
  readonly text: string;
  readonly thinking: string;
  readonly stopReason: string;
  readonly error: string;
  readonly startedAt: number;
  readonly at: number;
  readonly truncated: Truncated | undefined;
  readonly redacted: number;
}

/** One card. Status says only what is known. */
export interface Tool {
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly turn: number;
  readonly status: ToolStatus;
  readonly cause: Cause;
  /** The model's own words: raw and not validated. */
  readonly rawArgs: string;
  readonly progressText: string;
  readonly phase: string;
  readonly done: number;
  readonly total: number;
  readonly details: string;
  readonly resultText: string;
  readonly durationMs: number;
  readonly parent: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly late: boolean;
  readonly conflict: Conflict | undefined;
  readonly truncated: Truncated | undefined;
  readonly redacted: number;
  readonly attachments: readonly Attachment[];
  /** The whole output is kept and can be fetched. */
  readonly output: boolean;
}

/** A second, different end of a settled card. */
export interface Conflict {
  readonly isError: boolean;
  readonly text: string;
  readonly at: number;
}

/** For each part that was cut: how many bytes it had. */
export interface Truncated {
  readonly args: number;
  readonly progress: number;
  readonly result: number;
  readonly details: number;
  readonly text: number;
}

export interface Attachment {
  readonly mimeType: string;
  readonly bytes: number;
}

/** Tokens; cost is micro-dollars. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
  readonly cost: number;
}

export interface TimelineItem {
  readonly kind: TimelineKind;
  readonly key: string;
}

export interface Turn {
  readonly turn: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly stopReason: string;
  readonly error: string;
  readonly usage: Usage | undefined;
}

export interface Queue {
  readonly steering: readonly string[];
  readonly followUp: readonly string[];
}

export interface Notice {
  readonly id: string;
  readonly turn: number;
  readonly kind: string;
  readonly text: string;
  readonly at: number;
  readonly truncated: Truncated | undefined;
  readonly redacted: number;
}

/** What a trim made the view forget. */
export interface Trimmed {
  readonly turns: number;
  readonly messages: number;
  readonly tools: number;
  readonly notices: number;
}

/** A whole view as data. */
export interface ViewData {
  readonly runStatus: RunStatus;
  readonly turn: number;
  readonly worker: WorkerState;
  readonly outcome: Outcome;
  readonly outcomeText: string;
  /** The newest prompt has had no turn and no answer yet. Not part of the hash. */
  readonly fresh: boolean;
  readonly run: Run | undefined;
  readonly activeAssistant: Active | undefined;
  readonly messages: readonly Message[];
  readonly tools: ReadonlyMap<string, Tool>;
  readonly timeline: readonly TimelineItem[];
  readonly turns: readonly Turn[];
  readonly queue: Queue | undefined;
  readonly notices: readonly Notice[];
  readonly strays: number;
  readonly trimmed: Trimmed | undefined;
}
