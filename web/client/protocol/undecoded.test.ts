import { expect, test } from "vitest";
import { missing } from "./undecoded.ts";

test.each([
  ["a snapshot of the run", { type: "snapshot", run: "r", view: null }, "view"],
  ["events of the run", { type: "events", run: "r", seq: null }, "events"],
  ["merged events of the run", { type: "merged", run: "r", entries: 1 }, "events"],
  ["events of a run that cannot be told", { type: "events", run: null }, "events"],
  ["a snapshot of another run", { type: "snapshot", run: "other" }, "nothing"],
  ["what stands beside the log", { type: "presence", run: "r", people: 5 }, "nothing"],
  ["a message of a newer hub", { type: "hologram", run: "r" }, "nothing"],
  ["an object that is no message", { run: "r" }, "view"],
  ["a list", [], "view"],
  ["null", null, "view"],
])("%s", (_, message, what) => {
  expect(missing(JSON.stringify(message), "r")).toBe(what);
});

test("a frame that cannot be read at all may have been anything", () => {
  expect(missing('{"type":"heartbeat"', "r")).toBe("view");
  expect(missing(new ArrayBuffer(2), "r")).toBe("view");
});
