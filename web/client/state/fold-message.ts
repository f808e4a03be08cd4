import type { MessageEndEvent, MessageStartEvent, TextDeltaEvent, ThinkingDeltaEvent } from "../protocol/index.ts";
import { skipWritten } from "./fold-tool.ts";
import { some } from "./some.ts";
import type { View } from "./view.ts";

/** Opens an assistant bubble. Other roles do not stream: their message_end says everything. */
export function foldMessageStart(view: View, event: MessageStartEvent): void {
  if (event.role !== "assistant" || view.message(event.id)) return;
  if (view.active?.id !== event.id) {
    loseActive(view, event.t);
    view.appear("message", event.id);
  }
  // Started again, it replaces what its deltas built.
  view.setActive({ id: event.id, turn: view.turn, text: "", thinking: "", startedAt: event.t });
}

/** A delta without a start opens the bubble; one for another message is a stray. */
export function foldDelta(view: View, event: TextDeltaEvent | ThinkingDeltaEvent): void {
  let active = view.active;
  if (view.message(event.id) || (active && active.id !== event.id)) return view.stray();
  if (!active) {
    active = { id: event.id, turn: view.turn, text: "", thinking: "", startedAt: event.t };
    view.appear("message", event.id);
  }
  if (event.type === "text_delta") view.setActive({ ...active, text: active.text + event.delta });
  else view.setActive({ ...active, thinking: active.thinking + event.delta });
}

/** The final message is the truth, whatever the deltas built, and also where none came. */
export function foldMessageEnd(view: View, event: MessageEndEvent): void {
  const { id, role, text, thinking, stopReason, error, truncated, redacted } = event;
  if (role === "assistant" && view.message(id) === undefined) view.fresh = false; // without a turn of its own
  const earlier = view.active?.id === id ? view.active : view.message(id);
  if (earlier === undefined) view.appear("message", id);
  else if (earlier === view.active) view.setActive(undefined);
  const { turn, startedAt } = earlier ?? { turn: view.turn, startedAt: 0 };
  view.settle({
    id,
    role,
    turn,
    text,
    thinking,
    stopReason,
    error,
    startedAt,
    at: event.t,
    truncated: some(truncated),
    redacted,
  });
  if (role === "assistant" && (stopReason === "error" || stopReason === "aborted")) skipWritten(view, event.t);
}

/** Keeps the text of a message whose end will not come. */
export function loseActive(view: View, t: number): void {
  const active = view.active;
  if (!active) return;
  view.setActive(undefined);
  const { id, turn, text, thinking, startedAt } = active;
  view.settle({
    id,
    role: "assistant",
    turn,
    text,
    thinking,
    stopReason: "lost",
    error: "",
    startedAt,
    at: t,
    truncated: undefined,
    redacted: 0,
  });
}
