import { describe, expect, test } from "vitest";
import { event, view } from "../../test/fixtures/decoded.ts";
import { foldFiles } from "../../test/fixtures/fold-files.ts";
import { apply, reduce } from "./fold.ts";
import { hash } from "./hash.ts";
import { viewToJSON } from "./json.ts";
import { View } from "./view.ts";

describe.each(foldFiles())("$name: $title", ({ steps }) => {
  test("gives the hub's view and hash after each event", () => {
    const folded = new View();
    for (const [i, step] of steps.entries()) {
      apply(folded, event(step.event));
      expect(viewToJSON(folded), `view after step ${i}`).toEqual(step.view);
      expect(hash(folded), `hash after step ${i}`).toBe(step.hash);
    }
  });

  test("goes on the same from the snapshot of any step", () => {
    for (const [i, start] of steps.entries()) {
      const joined = view(start.view);
      expect(hash(joined), `joined at step ${i}`).toBe(start.hash);
      for (const step of steps.slice(i + 1)) apply(joined, event(step.event));
      expect(hash(joined), `joined at step ${i}, at the end`).toBe(steps.at(-1)?.hash);
    }
  });
});

test("reduce leaves the view that it was given as it was", () => {
  const before = view({ runStatus: "idle", tools: { c1: { key: "c1", status: "preparing" } } });
  const after = reduce(before, [event({ type: "tool_update", t: 5, key: "c1", text: "half" })]);
  expect(before.tools.get("c1")?.status).toBe("preparing");
  expect(after.tools.get("c1")).toMatchObject({ status: "running", progressText: "half" });
});

test("changes are told by the entity's name, once", () => {
  const v = new View();
  apply(v, event({ type: "turn_start", t: 1 }));
  apply(v, event({ type: "tool_start", t: 2, key: "c1", name: "bash" }));
  expect([...v.takeChanges()].sort()).toEqual(["c/c1", "header", "t/1", "timeline"]);
  expect(v.takeChanges().size).toBe(0);
});

test("an event of an unknown kind changes nothing", () => {
  const v = new View();
  apply(v, event({ type: "hologram", t: 1, beams: 3 }));
  expect(v.takeChanges().size).toBe(0);
});
