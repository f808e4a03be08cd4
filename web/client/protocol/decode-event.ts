import { attachments, truncated, usage } from "./decode-view.ts";
import type { ProjectedEvent } from "./events.ts";
import { Fields, string } from "./fields.ts";

type Decoder<E extends ProjectedEvent> = (f: Fields, t: number) => E;

/** One decoder for each event type; a new type fails to compile until it is here. */
const decoders: {
  [T in Exclude<ProjectedEvent["type"], "unknown">]: Decoder<Extract<ProjectedEvent, { type: T }>>;
} = {
  run_info: (f, t) => ({
    type: "run_info",
    t,
    title: f.string("title"),
    source: f.string("source"),
    model: f.string("model"),
    cwd: f.string("cwd"),
    labels: f.map("labels", string),
  }),
  agent_start: (_, t) => ({ type: "agent_start", t }),
  agent_end: (f, t) => ({ type: "agent_end", t, willRetry: f.bool("willRetry") }),
  agent_idle: (f, t) => ({ type: "agent_idle", t, aborted: f.bool("aborted") }),
  turn_start: (_, t) => ({ type: "turn_start", t }),
  turn_end: (f, t) => ({
    type: "turn_end",
    t,
    stopReason: f.string("stopReason"),
    error: f.string("error"),
    usage: usage(f),
  }),
  message_start: (f, t) => ({ type: "message_start", t, id: f.id("id"), role: f.string("role") }),
  text_delta: (f, t) => ({ type: "text_delta", t, id: f.id("id"), delta: f.string("delta") }),
  thinking_delta: (f, t) => ({ type: "thinking_delta", t, id: f.id("id"), delta: f.string("delta") }),
  message_end: (f, t) => ({
    type: "message_end",
    t,
    id: f.id("id"),
    role: f.string("role"),
    text: f.string("text"),
    thinking: f.string("thinking"),
    stopReason: f.string("stopReason"),
    error: f.string("error"),
    ...cut(f),
  }),
  call_delta: (f, t) => ({
    type: "call_delta",
    t,
    key: f.id("key"),
    id: f.string("id"),
    name: f.string("name"),
    delta: f.string("delta"),
    ...cut(f),
  }),
  tool_start: (f, t) => ({
    type: "tool_start",
    t,
    key: f.id("key"),
    id: f.string("id"),
    name: f.string("name"),
    label: f.string("label"),
    args: f.string("args"),
    parent: f.string("parent"),
    ...cut(f),
  }),
  tool_update: (f, t) => {
    if (f.has("text") && f.has("append")) f.fail("append", "text and append exclude each other");
    return {
      type: "tool_update",
      t,
      key: f.id("key"),
      text: f.optionalString("text"),
      append: f.optionalString("append"),
      phase: f.string("phase"),
      done: f.optionalInt("done"),
      total: f.optionalInt("total"),
      details: f.string("details"),
      ...cut(f),
    };
  },
  tool_end: (f, t) => ({
    type: "tool_end",
    t,
    key: f.id("key"),
    isError: f.bool("isError"),
    text: f.string("text"),
    details: f.string("details"),
    durationMs: f.int("durationMs"),
    attachments: attachments(f),
    output: f.bool("output"),
    ...cut(f),
  }),
  tool_result: (f, t) => ({ type: "tool_result", t, key: f.id("key"), isError: f.bool("isError") }),
  queue: (f, t) => ({ type: "queue", t, steering: f.strings("steering"), followUp: f.strings("followUp") }),
  notice: (f, t) => ({ type: "notice", t, kind: f.string("kind"), text: f.string("text"), ...cut(f) }),
  worker: (f, t) => ({
    type: "worker",
    t,
    state: f.word("state", ["live", "lost", "gone"]),
    by: f.string("by"),
    at: f.int("at"),
  }),
  trim: (f, t) => ({ type: "trim", t, beforeTurn: f.int("beforeTurn") || f.fail("beforeTurn", "is missing") }),
};

const byType = new Map<string, Decoder<ProjectedEvent>>(Object.entries(decoders));

function cut(f: Fields) {
  return { truncated: truncated(f), redacted: f.int("redacted") };
}

export function decodeEvent(value: unknown, path: string): ProjectedEvent {
  const f = new Fields(value, path);
  const type = f.id("type");
  const t = f.int("t");
  if (t < 0) f.fail("t", "is negative");
  const decoder = byType.get(type);
  return decoder ? decoder(f, t) : { type: "unknown", t, name: type };
}
