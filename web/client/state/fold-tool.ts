import type {
  CallDeltaEvent,
  Cause,
  Tool,
  ToolEndEvent,
  ToolResultEvent,
  ToolStartEvent,
  ToolUpdateEvent,
  Truncated,
} from "../protocol/index.ts";
import { some } from "./some.ts";
import { isOpen, isSettled, type View } from "./view.ts";

/** Makes presume look at the open cards of every turn. */
export const anyTurn = -1;

function newTool(key: string, turn: number): Tool {
  return {
    key,
    id: "",
    name: "",
    label: "",
    turn,
    status: "composing",
    cause: "",
    rawArgs: "",
    progressText: "",
    phase: "",
    done: 0,
    total: 0,
    details: "",
    resultText: "",
    durationMs: 0,
    parent: "",
    startedAt: 0,
    endedAt: 0,
    late: false,
    conflict: undefined,
    truncated: undefined,
    redacted: 0,
    attachments: [],
    output: false,
  };
}

/** The model is still writing the call. One that has started or ended is written already. */
export function foldCallDelta(view: View, event: CallDeltaEvent): void {
  const old = view.tools.get(event.key);
  if (old && old.status !== "composing") return;
  const tool = old ?? newTool(event.key, view.turn);
  view.setTool({
    ...tool,
    id: event.id || tool.id,
    name: event.name || tool.name,
    rawArgs: tool.rawArgs + event.delta,
    truncated: some(event.truncated) ?? tool.truncated,
    redacted: event.redacted || tool.redacted,
  });
}

/**
 * A start is not execution, only preparing. A skipped card had only been
 * written, so its start is news; any other card has started already.
 */
export function foldToolStart(view: View, event: ToolStartEvent): void {
  const old = view.tools.get(event.key);
  if (old && old.status !== "composing" && old.status !== "skipped") return;
  const { id, name, label, parent, args, truncated, redacted } = event;
  view.setTool({
    ...newTool(event.key, old?.turn ?? view.turn),
    id,
    name,
    label,
    parent,
    status: "preparing",
    rawArgs: args,
    startedAt: event.t,
    truncated: some(truncated),
    redacted,
  });
}

/** Only a real update makes a card running. One for a card that has ended, or is presumed to have, leaves no trace. */
export function foldToolUpdate(view: View, event: ToolUpdateEvent): void {
  const old = view.tools.get(event.key);
  if (!old) return view.stray();
  if (!isOpen(old)) return;
  const base = event.text === undefined ? old : replaced(old, event.text);
  view.setTool({
    ...base,
    status: "running",
    progressText: base.progressText + (event.append ?? ""),
    phase: event.phase || base.phase,
    done: event.done ?? base.done,
    total: event.total ?? base.total,
    details: event.details || base.details,
    truncated: event.truncated ? withProgress(base.truncated, event.truncated) : base.truncated,
    redacted: event.redacted || base.redacted,
  });
}

/** Text replaces the progress with all its parts. */
function replaced(tool: Tool, text: string): Tool {
  const truncated = withProgress(tool.truncated, undefined);
  return { ...tool, progressText: text, phase: "", done: 0, total: 0, details: "", truncated };
}

/** Settles a card: what was presumed gives way (late), what had settled stays (conflict). */
export function foldToolEnd(view: View, event: ToolEndEvent): void {
  const old = view.tools.get(event.key);
  if (!old) return view.stray();
  const { isError, text, details, durationMs, attachments, output } = event;
  if (isSettled(old)) {
    const differs = isError !== (old.status === "error") || text !== old.resultText;
    if (!old.conflict && differs) view.setTool({ ...old, conflict: some({ isError, text, at: event.t }) });
    return;
  }
  view.setTool({
    ...old,
    late: !isOpen(old),
    cause: "",
    status: isError ? "error" : "done",
    resultText: text,
    details,
    durationMs,
    endedAt: event.t,
    attachments,
    output,
    truncated: withResult(old.truncated, event.truncated),
    redacted: event.redacted || old.redacted,
  });
}

/** Gives the result its place in the conversation. The card stays, unless the two disagree. */
export function foldToolResult(view: View, event: ToolResultEvent): void {
  const old = view.tools.get(event.key);
  if (!old) return view.stray();
  view.appear("toolResult", event.key);
  const { isError } = event;
  if (isSettled(old) && !old.conflict && isError !== (old.status === "error")) {
    view.setTool({ ...old, conflict: some({ isError, text: "", at: event.t }) });
  }
}

/** Closes the open cards of a turn (or of any): started ones are lost, written ones skipped. */
export function presume(view: View, cause: Cause, t: number, turn: number): void {
  for (const tool of openTools(view)) {
    if (turn !== anyTurn && tool.turn !== turn) continue;
    if (tool.status === "composing") view.setTool({ ...tool, status: "skipped", endedAt: t });
    else view.setTool({ ...tool, status: "lost", cause, endedAt: t });
  }
}

/** Closes the calls of a message that failed while they were written: they will never start. */
export function skipWritten(view: View, t: number): void {
  for (const tool of openTools(view)) {
    if (tool.status === "composing") view.setTool({ ...tool, status: "skipped", endedAt: t });
  }
}

function openTools(view: View): Tool[] {
  return [...view.open].flatMap((key) => view.tools.get(key) ?? []);
}

const uncut: Truncated = { args: 0, progress: 0, result: 0, details: 0, text: 0 };

/** Only the progress part is taken from `of`. */
function withProgress(cut: Truncated | undefined, of: Truncated | undefined): Truncated | undefined {
  const old = cut ?? uncut;
  const args = Math.max(old.args, of?.args ?? 0);
  return some({ ...old, args, progress: of?.progress ?? 0, details: of?.details ?? 0 });
}

/** The result and details parts are taken from `of`. */
function withResult(cut: Truncated | undefined, of: Truncated | undefined): Truncated | undefined {
  return some({ ...(cut ?? uncut), result: of?.result ?? 0, details: of?.details ?? 0 });
}
