import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeHub } from "../../test/fixtures/fake-hub.ts";
import type { HubMessage } from "../protocol/index.ts";
import { backoffMs } from "./backoff.ts";
import { Connection, type Link } from "./connection.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function connect(random = () => 0.5) {
  const hub = new FakeHub();
  const links: Link[] = [];
  const messages: HubMessage[] = [];
  const problems: string[] = [];
  const connection = new Connection(
    { url: "ws://hub/ws", open: hub.open, hello: () => ({ name: "Mia" }), random },
    {
      link: (link) => links.push(link),
      message: (message) => messages.push(message),
      undecodable: (error) => problems.push(error),
    },
  );
  connection.open();
  return { hub, connection, links, messages, problems };
}

test("says hello on the subprotocol and is live after welcome", () => {
  const { hub, connection, links } = connect();
  expect(hub.latest).toMatchObject({ url: "ws://hub/ws", protocol: "ringside.v1" });
  expect(connection.send({ type: "watch_runs" })).toBe(false);
  hub.welcome();
  expect(hub.latest.sent).toEqual([{ type: "hello", name: "Mia" }]);
  expect(links.map((link) => link.state)).toEqual(["connecting", "live"]);
  expect(connection.send({ type: "watch_runs" })).toBe(true);
});

test("open is harmless when it is open already", () => {
  const { hub, connection } = connect();
  connection.open();
  expect(hub.sockets).toHaveLength(1);
});

test("two and a half silent heartbeats are a lost link, one message more is not", () => {
  const { hub, connection } = connect();
  const socket = hub.welcome(1000);
  vi.advanceTimersByTime(2400);
  socket.say({ type: "heartbeat", t: 1 });
  vi.advanceTimersByTime(2499);
  expect(connection.link.state).toBe("live");
  vi.advanceTimersByTime(1);
  expect(connection.link.state).toBe("waiting");
  expect(socket.closed).toBeDefined();
});

test.each([
  ["no heartbeat at all", 0, 12_500],
  ["an unlikely short one", 1, 1_000],
  ["an unlikely long one", 1e12, 300_000],
])("%s is not believed", (_, heartbeatMs, silenceMs) => {
  const { hub, connection } = connect();
  hub.welcome(heartbeatMs);
  vi.advanceTimersByTime(silenceMs - 1);
  expect(connection.link.state).toBe("live");
  vi.advanceTimersByTime(1);
  expect(connection.link.state).toBe("waiting");
});

describe("a large message, of which nothing is seen until it is whole", () => {
  const watch = { type: "watch", run: "r" } as const;
  const snapshot = { type: "snapshot", run: "r", epoch: "e", seq: 1, reason: "join", view: { runStatus: "idle" } };
  const events = { type: "events", run: "r", epoch: "e", seq: 2, events: [] };

  test("may take a minute after the run was asked for", () => {
    const { hub, connection } = connect();
    const socket = hub.welcome(1000);
    connection.send(watch);
    vi.advanceTimersByTime(59_999);
    connection.verify();
    expect(connection.link.state).toBe("live");
    vi.advanceTimersByTime(1);
    expect(connection.link.state).toBe("waiting");
    expect(socket.closed).toBeDefined();
  });

  test.each([
    ["its snapshot", watch, snapshot],
    ["what continues it", { ...watch, from: { epoch: "e", seq: 1 } }, events],
    [
      "the word that there is none",
      watch,
      { type: "error", re: "watch", run: "r", code: "unknown_run", message: "no" },
    ],
    ["what cannot be read", watch, { ...snapshot, view: null }],
  ])("is awaited until %s has come", (_, asked, message) => {
    const { hub, connection } = connect();
    const socket = hub.welcome(1000);
    connection.send(asked);
    vi.advanceTimersByTime(30_000);
    socket.say(message);
    vi.advanceTimersByTime(2_499);
    expect(connection.link.state).toBe("live");
    vi.advanceTimersByTime(1);
    expect(connection.link.state).toBe("waiting");
  });

  test("is awaited on over what the earlier watch of the run still gets", () => {
    const { hub, connection } = connect();
    const socket = hub.welcome(1000);
    connection.send(watch);
    socket.say(events);
    vi.advanceTimersByTime(30_000);
    expect(connection.link.state).toBe("live");
  });

  test("is awaited on when another one has come", () => {
    const { hub, connection } = connect();
    const socket = hub.welcome(1000);
    connection.send(watch);
    connection.send({ type: "watch_runs" });
    socket.say({ type: "runs", full: true, runs: [] });
    socket.say({ ...snapshot, run: "other" });
    vi.advanceTimersByTime(30_000);
    expect(connection.link.state).toBe("live");
    connection.send({ type: "unwatch", run: "r" });
    vi.advanceTimersByTime(1);
    expect(connection.link.state).toBe("waiting");
  });

  test("may come in the midst of a watch, where the hub says so", () => {
    const { hub, connection } = connect();
    const socket = hub.welcome(1000);
    socket.say({ type: "status", run: "r", delivery: { step: "snapshot", behind: 9 } });
    vi.advanceTimersByTime(30_000);
    expect(connection.link.state).toBe("live");
    socket.say({ ...snapshot, reason: "slow" });
    vi.advanceTimersByTime(2_500);
    expect(connection.link.state).toBe("waiting");
  });

  test("is not awaited on the next link", () => {
    const { hub, connection } = connect();
    hub.welcome(1000);
    connection.send(watch);
    hub.latest.handlers.closed(1006, "");
    connection.retryNow();
    hub.welcome(1000);
    vi.advanceTimersByTime(2_500);
    expect(connection.link.state).toBe("waiting");
  });
});

test("a machine that slept finds out as soon as it looks", () => {
  const { hub, connection } = connect();
  hub.welcome(1000);
  vi.setSystemTime(Date.now() + 3_600_000);
  connection.verify();
  expect(connection.link.state).toBe("waiting");
});

test("a socket that is never welcomed is given up", () => {
  const { hub, connection } = connect();
  hub.latest.handlers.opened();
  vi.advanceTimersByTime(10_000);
  expect(connection.link).toMatchObject({ state: "waiting", attempt: 2 });
});

test("reconnects by itself, ever later, and starts anew after a steady link", () => {
  const { hub, connection } = connect(() => 0.999);
  const waits: number[] = [];
  for (let i = 0; i < 8; i++) {
    hub.latest.handlers.closed(1006, "");
    if (connection.link.state !== "waiting") throw new Error(connection.link.state);
    waits.push(connection.link.retryAt - Date.now());
    vi.advanceTimersByTime(waits.at(-1) ?? 0);
  }
  expect(waits).toEqual([999, 1998, 3996, 7992, 14985, 14985, 14985, 14985]);
  const socket = hub.welcome(60_000);
  vi.advanceTimersByTime(6_000);
  socket.handlers.closed(1006, "");
  expect(connection.link).toMatchObject({ state: "waiting", attempt: 1 });
});

test("a hub that welcomes and hangs up at once does not restart the back-off", () => {
  const { hub, connection } = connect();
  hub.welcome().handlers.closed(1006, "");
  vi.advanceTimersByTime(1_000);
  hub.welcome().handlers.closed(1006, "");
  expect(connection.link).toMatchObject({ state: "waiting", attempt: 3 });
});

test("comes back no earlier than the hub said", () => {
  const { hub, connection } = connect(() => 0);
  const socket = hub.welcome();
  socket.say({ type: "bye", code: 4430, reason: "too slow", retryAfterMs: 7000 });
  socket.handlers.closed(4430, "");
  expect(connection.link).toMatchObject({ state: "waiting", code: 4430, reason: "too slow" });
  vi.advanceTimersByTime(6_999);
  expect(hub.sockets).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(hub.sockets).toHaveLength(2);
});

describe.each([4400, 4401, 4403, 4408])("code %i", (code) => {
  test("is not answered with an attempt, until someone asks", () => {
    const { hub, connection } = connect();
    hub.welcome().handlers.closed(code, "why");
    expect(connection.link).toEqual({ state: "stopped", code, reason: "why" });
    vi.advanceTimersByTime(600_000);
    expect(hub.sockets).toHaveLength(1);
    connection.retryNow();
    expect(hub.sockets).toHaveLength(2);
  });
});

test.each([1012, 4429, 4430, 1006, 1001])("code %i is", (code) => {
  const { hub } = connect();
  hub.welcome().handlers.closed(code, "");
  vi.advanceTimersByTime(60_000);
  expect(hub.sockets.length).toBeGreaterThan(1);
});

test("retryNow does not wait, and the wait that was does not connect again", () => {
  const { hub, connection } = connect();
  hub.latest.handlers.closed(1006, "");
  connection.retryNow();
  expect(hub.sockets).toHaveLength(2);
  hub.welcome(600_000);
  vi.advanceTimersByTime(60_000);
  expect(hub.sockets).toHaveLength(2);
});

test("a socket that was given up is not listened to", () => {
  const { hub, connection, messages } = connect();
  const old = hub.welcome(1000);
  vi.advanceTimersByTime(3_000);
  const states = connection.link;
  old.say({ type: "heartbeat", t: 1 });
  old.handlers.closed(4401, "late");
  expect(messages).toEqual([]);
  expect(connection.link).toBe(states);
});

test("a frame that is no message is told and left out", () => {
  const { hub, messages, problems } = connect();
  const socket = hub.welcome();
  socket.handlers.received("{");
  socket.handlers.received(new ArrayBuffer(2));
  socket.say({ type: "events", run: "r", epoch: "e", seq: 1, events: [{ type: "tool_end", t: 1 }] });
  socket.say({ type: "heartbeat", t: 5 });
  expect(messages).toEqual([{ type: "heartbeat", t: 5 }]);
  expect(problems).toEqual(['message: not JSON: "{"', "message: not text", "events[0].key: is missing"]);
});

test("close ends it, with no attempt after it", () => {
  const { hub, connection } = connect();
  hub.welcome();
  connection.close();
  vi.advanceTimersByTime(600_000);
  expect(hub.latest.closed).toEqual({ code: 1000 });
  expect(hub.sockets).toHaveLength(1);
  expect(connection.link.state).toBe("stopped");
});

test("the wait has full jitter", () => {
  expect(backoffMs(1, 0, () => 0)).toBe(0);
  expect(backoffMs(3, 0, () => 0.5)).toBe(1000);
  expect(backoffMs(99, 0, () => 0.5)).toBe(7500);
  expect(backoffMs(1, -5, () => 0)).toBe(0);
});
