/** Every message of the wire: JSON text over a WebSocket with this subprotocol. */
import type { Outcome, RunStatus, ToolStatus, ViewData, WorkerState } from "./entities.ts";
import type { ProjectedEvent } from "./events.ts";

export const subprotocol = "ringside.v1";

/** Names one event of a run. Epoch and seq always travel together. */
export interface Position {
  readonly epoch: string;
  readonly seq: number;
}

// From a client.

export interface Hello {
  readonly type: "hello";
  readonly ticket?: string;
  readonly name?: string;
  readonly client?: string;
}

export interface Watch {
  readonly type: "watch";
  readonly run: string;
  /** Absent: a snapshot comes first. */
  readonly from?: Position;
}

export interface Unwatch {
  readonly type: "unwatch";
  readonly run: string;
}

export interface CheckRequest {
  readonly type: "check";
  readonly run: string;
}

export interface Look {
  readonly type: "look";
  readonly run: string;
  /** A card's key, or "". */
  readonly target: string;
}

export interface WatchRuns {
  readonly type: "watch_runs";
}

export interface UnwatchRuns {
  readonly type: "unwatch_runs";
}

export type ClientMessage = Hello | Watch | Unwatch | CheckRequest | Look | WatchRuns | UnwatchRuns;

// From a hub.

export interface Welcome {
  readonly type: "welcome";
  readonly observer: string;
  readonly role: string;
  readonly node: string;
  readonly heartbeatMs: number;
  readonly limits: { readonly messageBytes: number; readonly watches: number };
}

export const snapshotReasons = ["join", "epoch", "slow", "unknown_position", "asked"] as const;
export type SnapshotReason = (typeof snapshotReasons)[number];

/** Replaces what a client has of a run. */
export interface Snapshot extends Position {
  readonly type: "snapshot";
  readonly run: string;
  readonly reason: SnapshotReason;
  readonly view: ViewData;
}

/** Entry i of events has seq + i. */
export interface Events extends Position {
  readonly type: "events";
  readonly run: string;
  readonly events: readonly ProjectedEvent[];
}

/** What a slow client needs of from..to: original events with their seq. */
export interface Merged {
  readonly type: "merged";
  readonly run: string;
  readonly epoch: string;
  readonly from: number;
  readonly to: number;
  readonly entries: readonly (readonly [seq: number, event: ProjectedEvent])[];
}

/** The hub's hash at exactly this position. */
export interface Check extends Position {
  readonly type: "check";
  readonly run: string;
  readonly hash: string;
}

export const deliverySteps = ["every", "merged", "snapshot"] as const;
export type DeliveryStep = (typeof deliverySteps)[number];

/** What is known beside the log. Absent parts are unchanged. */
export interface Status {
  readonly type: "status";
  readonly run: string;
  readonly worker: { readonly heardMs: number; readonly stale: boolean } | undefined;
  readonly store: "" | "up" | "down";
  readonly delivery: { readonly step: DeliveryStep; readonly behind: number; readonly merged: number } | undefined;
}

export interface Person {
  readonly observer: string;
  readonly name: string;
  readonly target: string;
}

/** People is bounded; watching counts all. */
export interface Presence {
  readonly type: "presence";
  readonly run: string;
  readonly watching: number;
  readonly people: readonly Person[];
}

/** A run's line in the list of runs. */
export interface RunSummary extends Position {
  readonly run: string;
  readonly owner: string;
  readonly title: string;
  readonly source: string;
  readonly model: string;
  readonly runStatus: RunStatus | "";
  readonly worker: WorkerState;
  readonly outcome: Outcome;
  readonly turn: number;
  readonly tools: ReadonlyMap<ToolStatus, number>;
  readonly errors: number;
  readonly lastText: string;
  readonly startedAt: number;
  readonly lastAt: number;
  /** How long ago the worker was heard when this was said; -1 if nobody holds the run. */
  readonly heardMs: number;
}

/** The whole list (full) or what changed. */
export interface Runs {
  readonly type: "runs";
  readonly full: boolean;
  readonly runs: readonly RunSummary[];
  readonly gone: readonly string[];
}

export interface Stats {
  readonly type: "stats";
  readonly node: string;
  readonly t: number;
  readonly uptimeMs: number;
  readonly runs: number;
  readonly observers: number;
  readonly eventsIn: number;
  readonly sends: number;
  readonly memoryBytes: number;
}

export interface Heartbeat {
  readonly type: "heartbeat";
  readonly t: number;
}

/** Answers a client message that could not be served; re is its type. */
export interface ErrorMessage {
  readonly type: "error";
  readonly re: string;
  readonly run: string;
  readonly code: string;
  readonly message: string;
}

/** The last message before the hub closes. */
export interface Bye {
  readonly type: "bye";
  readonly code: number;
  readonly reason: string;
  readonly retryAfterMs: number;
}

export type HubMessage =
  | Welcome
  | Snapshot
  | Events
  | Merged
  | Check
  | Status
  | Presence
  | Runs
  | Stats
  | Heartbeat
  | ErrorMessage
  | Bye;
