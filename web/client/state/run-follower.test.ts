import { describe, expect, test } from "vitest";
import { value } from "../../test/fixtures/decoded.ts";
import { foldFiles } from "../../test/fixtures/fold-files.ts";
import { decode, type HubMessage } from "../protocol/index.ts";
import { hash } from "./hash.ts";
import { type Followed, RunFollower } from "./run-follower.ts";

const run = "r";
const notice = (text: string) => ({ type: "notice", t: 1, kind: "info", text });

function give(follower: RunFollower, message: object): Followed {
  const decoded: HubMessage = value(decode({ run, ...message }));
  switch (decoded.type) {
    case "snapshot":
      return follower.snapshot(decoded);
    case "events":
      return follower.events(decoded);
    case "merged":
      return follower.merged(decoded);
    case "check":
      return follower.check(decoded);
    default:
      throw new Error(`not for a follower: ${decoded.type}`);
  }
}

function joined(seq = 10): RunFollower {
  const follower = new RunFollower();
  give(follower, { type: "snapshot", epoch: "e1", seq, reason: "join", view: { runStatus: "idle" } });
  return follower;
}

const texts = (follower: RunFollower) => follower.view.notices.map((n) => n.text);

test("folds what continues its position", () => {
  const follower = joined();
  expect(give(follower, { type: "events", epoch: "e1", seq: 11, events: [notice("a"), notice("b")] })).toMatchObject({
    kind: "folded",
    events: 2,
  });
  expect(follower.position).toEqual({ epoch: "e1", seq: 12 });
  expect(texts(follower)).toEqual(["a", "b"]);
});

test("a batch that begins before the position is folded from the position on", () => {
  const follower = joined(11);
  give(follower, { type: "events", epoch: "e1", seq: 11, events: [notice("old"), notice("new")] });
  expect(texts(follower)).toEqual(["new"]);
  expect(give(follower, { type: "events", epoch: "e1", seq: 11, events: [notice("old")] }).kind).toBe("ignored");
});

test.each([
  ["a gap", { epoch: "e1", seq: 12 }, "gap"],
  ["another epoch", { epoch: "e2", seq: 11 }, "epoch"],
])("%s breaks it, and nothing counts until a snapshot", (_, at, why) => {
  const follower = joined();
  expect(give(follower, { type: "events", ...at, events: [notice("x")] })).toEqual({ kind: "broken", why });
  expect(follower.resumeFrom).toBeUndefined();
  expect(give(follower, { type: "events", epoch: "e1", seq: 11, events: [notice("x")] }).kind).toBe("ignored");
  expect(texts(follower)).toEqual([]);
  give(follower, { type: "snapshot", epoch: "e2", seq: 20, reason: "asked", view: { runStatus: "running" } });
  expect(follower.resumeFrom).toEqual({ epoch: "e2", seq: 20 });
  expect(follower.view.runStatus).toBe("running");
});

test("merged catch-up moves to its end, whatever was left out", () => {
  const follower = joined();
  const entries = [
    [11, notice("a")],
    [14, notice("d")],
  ];
  expect(give(follower, { type: "merged", epoch: "e1", from: 11, to: 15, entries }).kind).toBe("folded");
  expect(follower.position?.seq).toBe(15);
  expect(texts(follower)).toEqual(["a", "d"]);
});

test("a check counts only at its exact position", () => {
  const follower = joined();
  expect(give(follower, { type: "check", epoch: "e1", seq: 9, hash: "x" }).kind).toBe("ignored");
  expect(give(follower, { type: "check", epoch: "e2", seq: 10, hash: "x" }).kind).toBe("ignored");
  const check = give(follower, { type: "check", epoch: "e1", seq: 10, hash: hash(follower.view) });
  if (check.kind !== "check") throw new Error(check.kind);
  expect(check.job.finish()).toBe(check.expected);
});

describe.each(foldFiles())("$name", ({ steps }) => {
  test("a join at every seq ends in the same hash", () => {
    const events = steps.map((step) => step.event);
    for (const [i, step] of steps.entries()) {
      const follower = new RunFollower();
      give(follower, { type: "snapshot", epoch: "e", seq: i + 1, reason: "join", view: step.view });
      give(follower, { type: "events", epoch: "e", seq: 1, events });
      expect(follower.position?.seq).toBe(steps.length);
      expect(hash(follower.view)).toBe(steps.at(-1)?.hash);
    }
  });
});
