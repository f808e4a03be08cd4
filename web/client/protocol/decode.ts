/** From outside bytes to typed messages: the only place where that is done. */
import { decodeEvent } from "./decode-event.ts";
import { decodeView } from "./decode-view.ts";
import { outcomes, runStatuses, type ToolStatus, toolStatuses, type ViewData, workerStates } from "./entities.ts";
import type { ProjectedEvent } from "./events.ts";
import { DecodeError, Fields, quote } from "./fields.ts";
import {
  deliverySteps,
  type HubMessage,
  type Person,
  type Position,
  type RunSummary,
  snapshotReasons,
} from "./messages.ts";

/** What was decoded, or what was wrong with it and where. */
export type Decoded<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string };

/** A parsed message from a hub. Unknown members are ignored: a newer hub may say more. */
export function decode(value: unknown): Decoded<HubMessage> {
  return attempt(() => hubMessage(value));
}

/** The same from the frame's text. */
export function decodeText(text: unknown): Decoded<HubMessage> {
  return attempt(() => {
    if (typeof text !== "string") throw new DecodeError("message: not text");
    return hubMessage(parse(text));
  });
}

/** A view as snapshots and the HTTP API carry it. */
export function decodeViewData(value: unknown): Decoded<ViewData> {
  return attempt(() => decodeView(value, "view"));
}

/** One projected event. */
export function decodeProjectedEvent(value: unknown): Decoded<ProjectedEvent> {
  return attempt(() => decodeEvent(value, "event"));
}

function attempt<T>(read: () => T): Decoded<T> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (error instanceof DecodeError) return { ok: false, error: error.message };
    throw error;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DecodeError(`message: not JSON: ${quote(text)}`);
  }
}

const decoders: { [T in HubMessage["type"]]: (f: Fields) => Extract<HubMessage, { type: T }> } = {
  welcome: (f) => {
    const limits = f.fields("limits");
    return {
      type: "welcome",
      observer: f.string("observer"),
      role: f.string("role"),
      node: f.string("node"),
      heartbeatMs: f.int("heartbeatMs"),
      limits: { messageBytes: limits?.int("messageBytes") ?? 0, watches: limits?.int("watches") ?? 0 },
    };
  },
  snapshot: (f) => ({
    type: "snapshot",
    run: f.id("run"),
    ...position(f),
    reason: f.word("reason", snapshotReasons),
    view: decodeView(f.raw("view"), f.path("view")),
  }),
  events: (f) => ({ type: "events", run: f.id("run"), ...position(f), events: f.list("events", decodeEvent) }),
  merged: (f) => ({
    type: "merged",
    run: f.id("run"),
    epoch: f.string("epoch"),
    from: f.int("from"),
    to: f.int("to"),
    entries: f.list("entries", mergedEntry),
  }),
  check: (f) => ({ type: "check", run: f.id("run"), ...position(f), hash: f.id("hash") }),
  status: (f) => {
    const worker = f.fields("worker");
    const delivery = f.fields("delivery");
    return {
      type: "status",
      run: f.id("run"),
      worker: worker && { heardMs: worker.int("heardMs"), stale: worker.bool("stale") },
      store: f.word("store", ["", "up", "down"]),
      delivery: delivery && {
        step: delivery.word("step", deliverySteps),
        behind: delivery.int("behind"),
        merged: delivery.int("merged"),
      },
    };
  },
  presence: (f) => ({
    type: "presence",
    run: f.id("run"),
    watching: f.int("watching"),
    people: f.list("people", person),
  }),
  runs: (f) => ({ type: "runs", full: f.bool("full"), runs: f.list("runs", runSummary), gone: f.strings("gone") }),
  stats: (f) => ({
    type: "stats",
    node: f.string("node"),
    t: f.int("t"),
    uptimeMs: f.int("uptimeMs"),
    runs: f.int("runs"),
    observers: f.int("observers"),
    eventsIn: f.int("eventsIn"),
    sends: f.int("sends"),
    memoryBytes: f.int("memoryBytes"),
  }),
  heartbeat: (f) => ({ type: "heartbeat", t: f.int("t") }),
  error: (f) => ({
    type: "error",
    re: f.string("re"),
    run: f.string("run"),
    code: f.string("code"),
    message: f.string("message"),
  }),
  bye: (f) => ({ type: "bye", code: f.int("code"), reason: f.string("reason"), retryAfterMs: f.int("retryAfterMs") }),
};

const byType = new Map<string, (f: Fields) => HubMessage>(Object.entries(decoders));

function hubMessage(value: unknown): HubMessage {
  const f = new Fields(value, "");
  const type = f.id("type");
  const decoder = byType.get(type);
  return decoder ? decoder(f) : f.fail("type", `unknown message ${quote(type)}`);
}

function position(f: Fields): Position {
  return { epoch: f.string("epoch"), seq: f.int("seq") };
}

function mergedEntry(value: unknown, path: string): readonly [number, ProjectedEvent] {
  if (!Array.isArray(value) || value.length !== 2) throw new DecodeError(`${path}: not [seq, event]`);
  const [seq, event]: unknown[] = value;
  if (!Number.isSafeInteger(seq)) throw new DecodeError(`${path}[0]: not an integer`);
  return [Number(seq), decodeEvent(event, `${path}[1]`)];
}

function person(value: unknown, path: string): Person {
  const f = new Fields(value, path);
  return { observer: f.string("observer"), name: f.string("name"), target: f.string("target") };
}

function runSummary(value: unknown, path: string): RunSummary {
  const f = new Fields(value, path);
  return {
    run: f.id("run"),
    ...position(f),
    owner: f.string("owner"),
    title: f.string("title"),
    source: f.string("source"),
    model: f.string("model"),
    // A run that was claimed and not yet written to has no status.
    runStatus: f.word("runStatus", ["", ...runStatuses]),
    worker: f.word("worker", workerStates),
    outcome: f.word("outcome", outcomes),
    turn: f.int("turn"),
    tools: toolCounts(f),
    errors: f.int("errors"),
    lastText: f.string("lastText"),
    startedAt: f.int("startedAt"),
    lastAt: f.int("lastAt"),
    heardMs: f.int("heardMs"),
  };
}

function toolCounts(f: Fields): ReadonlyMap<ToolStatus, number> {
  const counts = f.fields("tools");
  const out = new Map<ToolStatus, number>();
  for (const status of toolStatuses) {
    const n = counts?.int(status) ?? 0;
    if (n > 0) out.set(status, n);
  }
  return out;
}
