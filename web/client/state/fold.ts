import type {
  AgentEndEvent,
  AgentIdleEvent,
  Message,
  NoticeEvent,
  Outcome,
  ProjectedEvent,
  RunInfoEvent,
  TurnEndEvent,
  WorkerEvent,
} from "../protocol/index.ts";
import { foldDelta, foldMessageEnd, foldMessageStart, loseActive } from "./fold-message.ts";
import {
  anyTurn,
  foldCallDelta,
  foldToolEnd,
  foldToolResult,
  foldToolStart,
  foldToolUpdate,
  presume,
} from "./fold-tool.ts";
import { foldTrim } from "./fold-trim.ts";
import { some } from "./some.ts";
import type { View } from "./view.ts";

/**
 * Folds one event into the view, in place. It is the same fold as the hub's
 * (both are tested on the same files): it reads no clock and never fails; an
 * event that fits nothing is counted in strays.
 */
export function apply(view: View, event: ProjectedEvent): void {
  switch (event.type) {
    case "run_info":
      return foldRunInfo(view, event);
    case "agent_start":
      view.runStatus = "running";
      view.outcome = "";
      view.outcomeText = "";
      view.fresh = true;
      return view.touch("header");
    case "agent_end":
      return foldAgentEnd(view, event);
    case "agent_idle":
      return foldAgentIdle(view, event);
    case "turn_start":
      view.turn++;
      view.fresh = false;
      view.touch("header");
      return view.setTurn({ ...emptyTurn, turn: view.turn, startedAt: event.t });
    case "turn_end":
      return foldTurnEnd(view, event);
    case "message_start":
      return foldMessageStart(view, event);
    case "text_delta":
    case "thinking_delta":
      return foldDelta(view, event);
    case "message_end":
      return foldMessageEnd(view, event);
    case "call_delta":
      return foldCallDelta(view, event);
    case "tool_start":
      return foldToolStart(view, event);
    case "tool_update":
      return foldToolUpdate(view, event);
    case "tool_end":
      return foldToolEnd(view, event);
    case "tool_result":
      return foldToolResult(view, event);
    case "queue": {
      const { steering, followUp } = event;
      view.queue = steering.length + followUp.length > 0 ? { steering, followUp } : undefined;
      return view.touch("header");
    }
    case "notice":
      return foldNotice(view, event);
    case "worker":
      return foldWorker(view, event);
    case "trim":
      return foldTrim(view, event.beforeTurn);
    case "unknown":
      return;
    default:
      return unreachable(event);
  }
}

/** The pure form: a new view, and the old one as it was. */
export function reduce(view: View, events: Iterable<ProjectedEvent>): View {
  const next = view.clone();
  for (const event of events) apply(next, event);
  return next;
}

const emptyTurn = { turn: 0, startedAt: 0, endedAt: 0, stopReason: "", error: "", usage: undefined };

function unreachable(event: never): never {
  throw new Error(`not an event: ${JSON.stringify(event)}`);
}

function foldRunInfo(view: View, event: RunInfoEvent): void {
  const old = view.run;
  view.run = some({
    title: event.title || (old?.title ?? ""),
    source: event.source || (old?.source ?? ""),
    model: event.model || (old?.model ?? ""),
    cwd: event.cwd || (old?.cwd ?? ""),
    labels: event.labels.size > 0 ? event.labels : (old?.labels ?? event.labels),
  });
  view.touch("header");
}

function foldAgentEnd(view: View, event: AgentEndEvent): void {
  view.runStatus = "settling";
  if (event.willRetry) view.outcome = "retrying";
  view.touch("header");
  presume(view, "run_ended", event.t, anyTurn);
}

/** The outcome is read off the newest prompt's last answer, never off what tools did. */
function foldAgentIdle(view: View, event: AgentIdleEvent): void {
  presume(view, "run_ended", event.t, anyTurn);
  const last = view.fresh ? undefined : lastAnswer(view);
  view.fresh = false;
  let outcome: Outcome = "ok";
  if (event.aborted || last?.stopReason === "aborted") outcome = "aborted";
  else if (last?.stopReason === "error") outcome = "error";
  view.runStatus = "idle";
  view.outcome = outcome;
  view.outcomeText = outcome === "ok" ? "" : (last?.error ?? "");
  view.touch("header");
}

/**
 * The assistant message that decides about the newest prompt, if that has one.
 * A request that fails ends its turn and its prompt, so the message is of the
 * newest turn, and nobody has spoken after it.
 */
function lastAnswer(view: View): Message | undefined {
  const last = view.messages.findLast(
    ({ turn, role }) => turn === view.turn && (role === "assistant" || role === "user"),
  );
  return last?.role === "assistant" ? last : undefined;
}

function foldTurnEnd(view: View, event: TurnEndEvent): void {
  const last = view.turns.at(-1);
  const turn = last?.turn === view.turn ? last : { ...emptyTurn, turn: view.turn };
  const { stopReason, error, usage } = event;
  view.setTurn({ ...turn, endedAt: event.t, stopReason, error, usage: some(usage) });
  presume(view, "turn_ended", event.t, view.turn);
}

function foldNotice(view: View, event: NoticeEvent): void {
  const id = `n${(view.trimmed?.notices ?? 0) + view.notices.length + 1}`;
  const { kind, text, truncated, redacted } = event;
  view.touch(`n/${view.notices.length}`);
  view.notices.push({ id, turn: view.turn, kind, text, at: event.t, truncated: some(truncated), redacted });
  view.appear("notice", id);
}

/** A worker that is lost or gone leaves nothing open behind. */
function foldWorker(view: View, event: WorkerEvent): void {
  view.worker = event.state;
  view.touch("header");
  if (event.state === "live") return;
  presume(view, "worker_lost", event.t, anyTurn);
  loseActive(view, event.t);
  view.queue = undefined;
  view.runStatus = "idle";
}
