import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeHub } from "../../test/fixtures/fake-hub.ts";
import type { RunSummary } from "../protocol/index.ts";
import { hash } from "../state/index.ts";
import { Client } from "./client.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const run = "r";
const snapshot = (seq: number, reason = "join", epoch = "e1") => ({
  type: "snapshot",
  run,
  epoch,
  seq,
  reason,
  view: { runStatus: "idle" },
});
const events = (seq: number, ...texts: string[]) => ({
  type: "events",
  run,
  epoch: "e1",
  seq,
  events: texts.map((text) => ({ type: "notice", t: 5, kind: "info", text })),
});

function watching() {
  const hub = new FakeHub();
  const problems: string[] = [];
  const told: unknown[] = [];
  const client = new Client(
    { url: "ws://hub/ws", open: hub.open, random: () => 0 },
    { problem: (text) => problems.push(text) },
  );
  client.connection.open();
  const watch = client.watch(run, {
    folded: (n, t) => told.push(["folded", n, t]),
    reset: (reason) => told.push(["reset", reason]),
    broken: (why) => told.push(["broken", why]),
    checked: (equal) => told.push(["checked", equal]),
    refused: (error) => told.push(["refused", error.code]),
    presence: (presence) => told.push(["presence", presence.watching]),
    status: (status) => told.push(["status", status.worker?.stale]),
  });
  return { hub, client, watch, told, problems };
}

test("asks for a snapshot, follows, and resumes from its position when the link is back", () => {
  const { hub, watch, told } = watching();
  const first = hub.welcome();
  expect(first.sent.at(-1)).toEqual({ type: "watch", run });
  first.say(snapshot(3));
  first.say(events(4, "a", "b"));
  first.handlers.closed(1006, "");
  vi.advanceTimersByTime(1000);
  const second = hub.welcome();
  expect(second.sent.at(-1)).toEqual({ type: "watch", run, from: { epoch: "e1", seq: 5 } });
  second.say(events(6, "c"));
  expect(watch.follower.view.notices.map((notice) => notice.text)).toEqual(["a", "b", "c"]);
  expect(told).toEqual([
    ["reset", "join"],
    ["folded", 2, 5],
    ["folded", 1, 5],
  ]);
});

test("a gap asks for a snapshot at once", () => {
  const { hub, told } = watching();
  const socket = hub.welcome();
  socket.say(snapshot(3));
  socket.say(events(6, "x"));
  vi.advanceTimersByTime(0);
  expect(socket.sent.at(-1)).toEqual({ type: "watch", run });
  socket.say(snapshot(9, "asked"));
  expect(told).toEqual([
    ["reset", "join"],
    ["broken", "gap"],
    ["reset", "asked"],
  ]);
});

test("a hash that fits is the end of it; one that does not brings a snapshot and is counted", () => {
  const { hub, watch, told } = watching();
  const socket = hub.welcome();
  socket.say(snapshot(3));
  socket.say({ type: "check", run, epoch: "e1", seq: 3, hash: hash(watch.follower.view) });
  vi.advanceTimersByTime(1);
  expect(told.at(-1)).toEqual(["checked", true]);
  socket.say({ type: "check", run, epoch: "e1", seq: 3, hash: "0".repeat(64) });
  vi.advanceTimersByTime(1);
  expect(told.slice(-2)).toEqual([
    ["checked", false],
    ["broken", "mismatch"],
  ]);
  vi.advanceTimersByTime(1);
  expect(socket.sent.at(-1)).toEqual({ type: "watch", run });
  expect(watch.follower.resyncs).toBe(1);
});

test("a view that never fits is replaced ever more rarely", () => {
  const { hub } = watching();
  const socket = hub.welcome(1_000_000);
  for (let i = 0; i < 200; i++) {
    socket.say(snapshot(3));
    socket.say({ type: "check", run, epoch: "e1", seq: 3, hash: "0".repeat(64) });
    vi.advanceTimersByTime(1000);
  }
  const asked = socket.types().filter((type) => type === "watch").length;
  expect(asked).toBeGreaterThan(4);
  expect(asked).toBeLessThan(14);
});

describe("a frame that cannot be decoded", () => {
  const nullDelta = {
    type: "events",
    run,
    epoch: "e1",
    seq: 4,
    events: [{ type: "text_delta", t: 1, id: "m", delta: null }],
  };

  test("breaks the run that it is of: a snapshot is asked for, and that is counted", () => {
    const { hub, watch, told, problems } = watching();
    const socket = hub.welcome();
    socket.say(snapshot(3));
    socket.say(nullDelta);
    vi.advanceTimersByTime(0);
    expect(socket.sent.at(-1)).toEqual({ type: "watch", run });
    expect(told.at(-1)).toEqual(["broken", "undecodable"]);
    expect(problems).toEqual(["events[0].delta: not a string"]);
    expect(watch.follower.resyncs).toBe(1);
    socket.say(snapshot(9, "asked"));
    socket.say(events(10, "x"));
    expect(told.slice(-2)).toEqual([
      ["reset", "asked"],
      ["folded", 1, 5],
    ]);
  });

  test("leaves other runs alone", () => {
    const { hub, told } = watching();
    const socket = hub.welcome();
    socket.say(snapshot(3));
    socket.say({ ...nullDelta, run: "other" });
    socket.say({ type: "presence", run, watching: null });
    vi.advanceTimersByTime(0);
    expect(told).toEqual([["reset", "join"]]);
  });

  test("is asked for ever more rarely where it is the snapshot", () => {
    const { hub } = watching();
    const socket = hub.welcome(60_000);
    for (let i = 0; i < 2000; i++) {
      socket.say({ ...snapshot(3), view: { runStatus: null } });
      vi.advanceTimersByTime(100);
    }
    const asked = socket.types().filter((type) => type === "watch").length;
    expect(asked).toBeGreaterThan(4);
    expect(asked).toBeLessThan(14);
  });

  test("many at once delay the next question no more than one does", () => {
    const { hub } = watching();
    const socket = hub.welcome(60_000);
    socket.say(snapshot(3));
    for (let i = 0; i < 50; i++) socket.handlers.received("{");
    vi.advanceTimersByTime(0);
    expect(socket.types()).toEqual(["hello", "watch", "watch"]);
    for (let i = 0; i < 50; i++) socket.handlers.received("{");
    vi.advanceTimersByTime(1_000);
    expect(socket.types()).toEqual(["hello", "watch", "watch", "watch"]);
  });
});

test("an unknown run is told, and asked for again", () => {
  const { hub, told } = watching();
  const socket = hub.welcome(60_000);
  socket.say({ type: "error", re: "watch", run, code: "unknown_run", message: "no run r" });
  expect(told).toEqual([["refused", "unknown_run"]]);
  const before = socket.sent.length;
  vi.advanceTimersByTime(5_000);
  expect(socket.sent.slice(before)).toEqual([{ type: "watch", run }]);
});

test("status and presence are handed on", () => {
  const { hub, told } = watching();
  const socket = hub.welcome();
  socket.say({ type: "presence", run, watching: 7, people: [{ observer: "o1", name: "<b>" }] });
  socket.say({ type: "status", run, worker: { heardMs: 9000, stale: true } });
  expect(told).toEqual([
    ["presence", 7],
    ["status", true],
  ]);
});

test("after unwatch nothing of the run is told", () => {
  const { hub, client, watch, told } = watching();
  const socket = hub.welcome();
  client.unwatch(watch);
  socket.say(snapshot(3));
  expect(socket.sent.at(-1)).toEqual({ type: "unwatch", run });
  expect(told).toEqual([]);
  socket.handlers.closed(1006, "");
  vi.advanceTimersByTime(1000);
  expect(hub.welcome().types()).toEqual(["hello"]);
});

test("the list of runs is kept whole over changes and lost links", () => {
  const { hub, client } = watching();
  const seen: string[][] = [];
  const stop = client.watchRuns({ runs: (all: ReadonlyMap<string, RunSummary>) => seen.push([...all.keys()]) });
  const socket = hub.welcome();
  expect(socket.types()).toContain("watch_runs");
  const line = (name: string) => ({ run: name, epoch: "e", seq: 1, heardMs: 5 });
  socket.say({ type: "runs", full: true, runs: [line("a"), line("b")] });
  socket.say({ type: "runs", runs: [line("c")], gone: ["a"] });
  socket.handlers.closed(1006, "");
  vi.advanceTimersByTime(1000);
  const next = hub.welcome();
  expect(next.types()).toContain("watch_runs");
  next.say({ type: "runs", full: true, runs: [line("d")] });
  expect(seen).toEqual([["a", "b"], ["b", "c"], ["d"]]);
  stop();
  expect(next.types().at(-1)).toBe("unwatch_runs");
});

test("an error that belongs to no watch is told", () => {
  const { hub, problems } = watching();
  hub.welcome().say({ type: "error", re: "hello", code: "bad_message", message: "name too long" });
  expect(problems).toEqual(["bad_message: name too long"]);
});
