import {
  type Active,
  type Attachment,
  type Conflict,
  causes,
  type Message,
  type Notice,
  outcomes,
  type Queue,
  type Run,
  runStatuses,
  type TimelineItem,
  type Tool,
  type Trimmed,
  type Truncated,
  type Turn,
  timelineKinds,
  toolStatuses,
  type Usage,
  type ViewData,
  workerStates,
} from "./entities.ts";
import { Fields, string } from "./fields.ts";

export function decodeView(value: unknown, path: string): ViewData {
  const f = new Fields(value, path);
  return {
    runStatus: f.word("runStatus", runStatuses),
    turn: f.int("turn"),
    worker: f.word("worker", workerStates),
    outcome: f.word("outcome", outcomes),
    outcomeText: f.string("outcomeText"),
    fresh: f.bool("fresh"),
    run: optional(f, "run", run),
    activeAssistant: optional(f, "activeAssistant", active),
    messages: f.list("messages", message),
    tools: tools(f),
    timeline: f.list("timeline", timelineItem),
    turns: f.list("turns", turn),
    queue: optional(f, "queue", queue),
    notices: f.list("notices", notice),
    strays: f.int("strays"),
    trimmed: optional(f, "trimmed", trimmed),
  };
}

function optional<T>(f: Fields, name: string, read: (f: Fields) => T): T | undefined {
  const fields = f.fields(name);
  return fields && read(fields);
}

function tools(f: Fields): ReadonlyMap<string, Tool> {
  const all = f.map("tools", tool);
  for (const [key, t] of all) if (t.key !== key) f.fail("tools", `${JSON.stringify(key)} is not the card of that key`);
  return all;
}

function run(f: Fields): Run {
  return {
    title: f.string("title"),
    source: f.string("source"),
    model: f.string("model"),
    cwd: f.string("cwd"),
    labels: f.map("labels", string),
  };
}

function active(f: Fields): Active {
  return {
    id: f.id("id"),
    turn: f.int("turn"),
    text: f.string("text"),
    thinking: f.string("thinking"),
    startedAt: f.int("startedAt"),
  };
}

function message(value: unknown, path: string): Message {
  const f = new Fields(value, path);
  return {
    id: f.id("id"),
    role: f.string("role"),
    turn: f.int("turn"),
    text: f.string("text"),
    thinking: f.string("thinking"),
    stopReason: f.string("stopReason"),
    error: f.string("error"),
    startedAt: f.int("startedAt"),
    at: f.int("at"),
    truncated: truncated(f),
    redacted: f.int("redacted"),
  };
}

function tool(value: unknown, path: string): Tool {
  const f = new Fields(value, path);
  return {
    key: f.id("key"),
    id: f.string("id"),
    name: f.string("name"),
    label: f.string("label"),
    turn: f.int("turn"),
    status: f.word("status", toolStatuses),
    cause: f.word("cause", causes),
    rawArgs: f.string("rawArgs"),
    progressText: f.string("progressText"),
    phase: f.string("phase"),
    done: f.int("done"),
    total: f.int("total"),
    details: f.string("details"),
    resultText: f.string("resultText"),
    durationMs: f.int("durationMs"),
    parent: f.string("parent"),
    startedAt: f.int("startedAt"),
    endedAt: f.int("endedAt"),
    late: f.bool("late"),
    conflict: optional(f, "conflict", conflict),
    truncated: truncated(f),
    redacted: f.int("redacted"),
    attachments: attachments(f),
    output: f.bool("output"),
  };
}

function conflict(f: Fields): Conflict {
  return { isError: f.bool("isError"), text: f.string("text"), at: f.int("at") };
}

export function truncated(f: Fields): Truncated | undefined {
  return optional(f, "truncated", (t) => ({
    args: t.int("args"),
    progress: t.int("progress"),
    result: t.int("result"),
    details: t.int("details"),
    text: t.int("text"),
  }));
}

export function attachments(f: Fields): readonly Attachment[] {
  return f.list("attachments", (value, path) => {
    const a = new Fields(value, path);
    return { mimeType: a.string("mimeType"), bytes: a.int("bytes") };
  });
}

export function usage(f: Fields): Usage | undefined {
  return optional(f, "usage", (u) => ({
    input: u.int("input"),
    output: u.int("output"),
    cacheRead: u.int("cacheRead"),
    cacheWrite: u.int("cacheWrite"),
    total: u.int("total"),
    cost: u.int("cost"),
  }));
}

function timelineItem(value: unknown, path: string): TimelineItem {
  const f = new Fields(value, path);
  return { kind: f.word("kind", timelineKinds), key: f.id("key") };
}

function turn(value: unknown, path: string): Turn {
  const f = new Fields(value, path);
  return {
    turn: f.int("turn"),
    startedAt: f.int("startedAt"),
    endedAt: f.int("endedAt"),
    stopReason: f.string("stopReason"),
    error: f.string("error"),
    usage: usage(f),
  };
}

function queue(f: Fields): Queue {
  return { steering: f.strings("steering"), followUp: f.strings("followUp") };
}

function notice(value: unknown, path: string): Notice {
  const f = new Fields(value, path);
  return {
    id: f.id("id"),
    turn: f.int("turn"),
    kind: f.string("kind"),
    text: f.string("text"),
    at: f.int("at"),
    truncated: truncated(f),
    redacted: f.int("redacted"),
  };
}

function trimmed(f: Fields): Trimmed {
  return { turns: f.int("turns"), messages: f.int("messages"), tools: f.int("tools"), notices: f.int("notices") };
}
