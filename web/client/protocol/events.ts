/**
 * The projected events: a union over `type`. `t` is Unix milliseconds and
 * orders nothing. Fields are present ("" / 0 / false where the wire omits
 * them), except where absence means something to the fold: those are
 * `undefined`.
 */
import type { Attachment, Truncated, Usage, WorkerState } from "./entities.ts";

interface Base<T extends string> {
  readonly type: T;
  readonly t: number;
}

export interface RunInfoEvent extends Base<"run_info"> {
  readonly title: string;
  readonly source: string;
  readonly model: string;
  readonly cwd: string;
  readonly labels: ReadonlyMap<string, string>;
}

export interface AgentStartEvent extends Base<"agent_start"> {}

export interface AgentEndEvent extends Base<"agent_end"> {
  readonly willRetry: boolean;
}

export interface AgentIdleEvent extends Base<"agent_idle"> {
  readonly aborted: boolean;
}

export interface TurnStartEvent extends Base<"turn_start"> {}

export interface TurnEndEvent extends Base<"turn_end"> {
  readonly stopReason: string;
  readonly error: string;
  readonly usage: Usage | undefined;
}

export interface MessageStartEvent extends Base<"message_start"> {
  readonly id: string;
  readonly role: string;
}

export interface TextDeltaEvent extends Base<"text_delta"> {
  readonly id: string;
  readonly delta: string;
}

export interface ThinkingDeltaEvent extends Base<"thinking_delta"> {
  readonly id: string;
  readonly delta: string;
}

export interface MessageEndEvent extends Base<"message_end"> {
  readonly id: string;
  readonly role: string;
  readonly text: string;
  readonly thinking: string;
  readonly stopReason: string;
  readonly error: string;
  readonly truncated: Truncated | undefined;
  readonly redacted: number;
}

export interface CallDeltaEvent extends Base<"call_delta"> {
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly delta: string;
  readonly truncated: Truncated | undefined;
  readonly redacted: number;
}

export interface ToolStartEvent extends Base<"tool_start"> {
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly args: string;
  readonly parent: string;
  readonly truncated: Truncated | undefined;
  readonly redacted: number;
}

export interface ToolUpdateEvent extends Base<"tool_update"> {
  readonly key: string;
  /** Replaces the progress text, and with it phase, done, total and details. */
  readonly text: string | undefined;
  /** Extends it. Never together with text. */
  readonly append: string | undefined;
  readonly phase: string;
  readonly done: number | undefined;
  readonly total: number | undefined;
  readonly details: string;
  readonly truncated: Truncated | undefined;
  readonly redacted: number;
}

export interface ToolEndEvent extends Base<"tool_end"> {
  readonly key: string;
  readonly isError: boolean;
  readonly text: string;
  readonly details: string;
  readonly durationMs: number;
  readonly attachments: readonly Attachment[];
  readonly output: boolean;
  readonly truncated: Truncated | undefined;
  readonly redacted: number;
}

export interface ToolResultEvent extends Base<"tool_result"> {
  readonly key: string;
  readonly isError: boolean;
}

export interface QueueEvent extends Base<"queue"> {
  readonly steering: readonly string[];
  readonly followUp: readonly string[];
}

export interface NoticeEvent extends Base<"notice"> {
  readonly kind: string;
  readonly text: string;
  readonly truncated: Truncated | undefined;
  readonly redacted: number;
}

export interface WorkerEvent extends Base<"worker"> {
  readonly state: Exclude<WorkerState, "">;
  readonly by: string;
  readonly at: number;
}

export interface TrimEvent extends Base<"trim"> {
  readonly beforeTurn: number;
}

/**
 * An event that this version does not know. It is skipped, so that one new
 * kind does not blank an older page; the hub's hash tells whether it mattered.
 */
export interface UnknownEvent extends Base<"unknown"> {
  readonly name: string;
}

export type ProjectedEvent =
  | RunInfoEvent
  | AgentStartEvent
  | AgentEndEvent
  | AgentIdleEvent
  | TurnStartEvent
  | TurnEndEvent
  | MessageStartEvent
  | TextDeltaEvent
  | ThinkingDeltaEvent
  | MessageEndEvent
  | CallDeltaEvent
  | ToolStartEvent
  | ToolUpdateEvent
  | ToolEndEvent
  | ToolResultEvent
  | QueueEvent
  | NoticeEvent
  | WorkerEvent
  | TrimEvent
  | UnknownEvent;
