import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decode, decodeProjectedEvent, decodeText, decodeViewData } from "./decode.ts";

const event = (json: unknown) => decodeProjectedEvent(json);

describe("what is wrong is named, and where", () => {
  test.each([
    [null, "message: not an object"],
    [[], "message: not an object"],
    [{}, "type: is missing"],
    [{ type: "hello" }, 'type: unknown message "hello"'],
    [{ type: "__proto__" }, 'type: unknown message "__proto__"'],
    [{ type: "x".repeat(500) }, `type: unknown message "${"x".repeat(40)}…"`],
    [{ type: "events", epoch: "e", seq: 1 }, "run: is missing"],
    [{ type: "events", run: "r", seq: "1" }, "seq: not an integer"],
    [{ type: "events", run: "r", seq: 2 ** 53 }, "seq: not an integer"],
    [{ type: "events", run: "r", events: {} }, "events: not a list"],
    [{ type: "events", run: "r", events: [1] }, "events[0]: not an object"],
    [
      { type: "snapshot", run: "r", reason: "mood", view: {} },
      'reason: "mood" is none of join, epoch, slow, unknown_position, asked',
    ],
    [{ type: "snapshot", run: "r", reason: "join" }, "view: not an object"],
    [
      { type: "snapshot", run: "r", reason: "join", view: { runStatus: "busy" } },
      'view.runStatus: "busy" is none of idle, running, settling',
    ],
    [{ type: "merged", run: "r", entries: [[1]] }, "entries[0]: not [seq, event]"],
    [{ type: "merged", run: "r", entries: [[1, { type: "notice", t: "x" }]] }, "entries[0][1].t: not an integer"],
    [{ type: "presence", run: "r", people: [{ name: 5 }] }, "people[0].name: not a string"],
  ])("%j", (message, error) => {
    expect(decode(message)).toEqual({ ok: false, error });
  });

  test.each([
    [{ type: "tool_end", t: 1 }, "event.key: is missing"],
    [{ type: "text_delta", t: 1 }, "event.id: is missing"],
    [
      { type: "tool_update", t: 1, key: "c1", text: "", append: "" },
      "event.append: text and append exclude each other",
    ],
    [{ type: "worker", t: 1, state: "asleep" }, 'event.state: "asleep" is none of live, lost, gone'],
    [{ type: "trim", t: 1 }, "event.beforeTurn: is missing"],
    [{ type: "queue", t: 1, steering: ["a", 2] }, "event.steering[1]: not a string"],
    [{ type: "run_info", t: 1, labels: { a: 1 } }, 'event.labels["a"]: not a string'],
    [{ type: "tool_end", t: 1, key: "c1", durationMs: 1.5 }, "event.durationMs: not an integer"],
  ])("event %j", (json, error) => {
    expect(event(json)).toEqual({ ok: false, error });
  });

  test("a card under another key", () => {
    const tools = { c1: { key: "c2", status: "done" } };
    expect(decodeViewData({ runStatus: "idle", tools })).toEqual({
      ok: false,
      error: 'view.tools: "c1" is not the card of that key',
    });
  });

  test("text that is no JSON", () => {
    expect(decodeText("{]")).toEqual({ ok: false, error: 'message: not JSON: "{]"' });
    expect(decodeText(new Uint8Array(1))).toEqual({ ok: false, error: "message: not text" });
  });
});

test("members that are not known are ignored, kinds of events that are not known are kept as such", () => {
  expect(decode({ type: "heartbeat", t: 5, mood: "good" })).toEqual({ ok: true, value: { type: "heartbeat", t: 5 } });
  expect(event({ type: "hologram", t: 5, beams: 3 })).toEqual({
    ok: true,
    value: { type: "unknown", t: 5, name: "hologram" },
  });
});

test("a tool_update's absent parts differ from empty ones", () => {
  expect(event({ type: "tool_update", t: 1, key: "c1" })).toMatchObject({
    value: { text: undefined, done: undefined },
  });
  expect(event({ type: "tool_update", t: 1, key: "c1", text: "", done: 0 })).toMatchObject({
    value: { text: "", done: 0 },
  });
});

describe("null is nowhere the same as absent", () => {
  test.each([
    { type: "text_delta", t: 1, id: "m1", delta: null },
    { type: "text_delta", t: null, id: "m1", delta: "x" },
    { type: "tool_end", t: 1, key: "c1", isError: null },
    { type: "tool_end", t: 1, key: "c1", truncated: null },
    { type: "tool_end", t: 1, key: "c1", attachments: null },
    { type: "tool_update", t: 1, key: "c1", text: null },
    { type: "tool_update", t: 1, key: "c1", done: null },
    { type: "queue", t: 1, steering: null },
    { type: "run_info", t: 1, labels: null },
    { type: "turn_end", t: 1, usage: null },
  ])("%j", (json) => {
    expect(event(json).ok).toBe(false);
  });

  test.each([{ turns: null }, { tools: null }, { queue: null }, { run: { labels: null } }, { worker: null }])(
    "a view with %j",
    (json) => {
      expect(decodeViewData({ runStatus: "idle" }).ok).toBe(true);
      expect(decodeViewData({ runStatus: "idle", ...json }).ok).toBe(false);
    },
  );
});

test("names like an object's own members are only names", () => {
  const json = JSON.parse(
    '{"runStatus":"idle","tools":{"__proto__":{"key":"__proto__","status":"done"}},"run":{"labels":{"constructor":"x"}}}',
  );
  const view = decodeViewData(json);
  if (!view.ok) throw new Error(view.error);
  expect([...view.value.tools.keys()]).toEqual(["__proto__"]);
  expect(view.value.run?.labels.get("constructor")).toBe("x");
});

test("nothing from outside throws", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      decodeText(text);
      decode({ type: "snapshot", run: "r", reason: "join", view: JSON.parse(text) });
      event(JSON.parse(text));
    }),
  );
});
