import { apply, View } from "@ringside/client";
import { describe, expect, test } from "vitest";
import { event } from "../../test/fixtures/decoded.ts";
import { foldFiles } from "../../test/fixtures/fold-files.ts";
import { type CardRow, foldableDone, sectionsOf } from "./transcript.ts";

function folded(...events: object[]): View {
  const view = new View();
  for (const each of events) apply(view, event({ t: 1, ...each }));
  return view;
}

const turn = { type: "turn_start" };
const tool = (key: string, parent = "") => ({ type: "tool_start", key, name: "bash", ...(parent && { parent }) });

test("turns hold messages, cards in source order and notices as they first appeared", () => {
  const view = folded(
    turn,
    { type: "message_end", id: "m1", role: "user", text: "go" },
    { type: "message_start", id: "m2", role: "assistant" },
    tool("c1"),
    tool("c2"),
    { type: "notice", kind: "info", text: "between" },
    tool("c3"),
    { type: "tool_end", key: "c2" },
    { type: "tool_result", key: "c2" },
    turn,
    tool("c4"),
  );
  const shape = sectionsOf(view, []).map((section) => [
    section.turn,
    section.items.map((item) => (item.kind === "cards" ? item.rows.map((row) => row.key) : item.key)),
  ]);
  expect(shape).toEqual([
    [1, ["m1", "m2", ["c1", "c2"], "n1", ["c3"]]],
    [2, [["c4"]]],
  ]);
});

test("a section that did not change is the same object", () => {
  const view = folded(turn, tool("c1"), turn, tool("c2"));
  const before = sectionsOf(view, []);
  apply(view, event(Object.assign(tool("c3"), { t: 2 })));
  const after = sectionsOf(view, before);
  expect(after[0]).toBe(before[0]);
  expect(after[1]).not.toBe(before[1]);
});

test("nested calls follow their parent; rings and strangers stand alone", () => {
  const view = folded(
    turn,
    tool("a"),
    tool("b"),
    tool("a1", "a"),
    tool("a2", "a1"),
    tool("x", "nowhere"),
    tool("s", "s"),
  );
  const item = sectionsOf(view, [])[0]?.items[0];
  expect(item?.kind === "cards" && item.rows.map((row) => [row.key, row.depth])).toEqual([
    ["a", 0],
    ["a1", 1],
    ["a2", 2],
    ["b", 0],
    ["x", 0],
    ["s", 0],
  ]);
});

test("after a trim, notices are still found", () => {
  const view = folded(turn, { type: "notice", kind: "i", text: "old" }, turn, {
    type: "notice",
    kind: "i",
    text: "new",
  });
  apply(view, event({ type: "trim", t: 1, beforeTurn: 2 }));
  expect(sectionsOf(view, []).flatMap((s) => s.items.map((i) => i.kind === "notice" && i.notice.text))).toEqual([
    "new",
  ]);
});

describe.each(foldFiles())("$name", ({ steps }) => {
  test("every card and message has its row", () => {
    const view = new View();
    for (const step of steps) {
      apply(view, event(step.event));
      const items = sectionsOf(view, []).flatMap((section) => section.items);
      const cards = items.flatMap((item) => (item.kind === "cards" ? item.rows.map((row) => row.key) : []));
      expect(cards.sort()).toEqual([...view.tools.keys()].sort());
      const messages = items.filter((item) => item.kind === "message").length;
      expect(messages).toBe(view.messages.length + (view.active ? 1 : 0));
    }
  });
});

test("a past turn folds its done cards but the first three", () => {
  const rows: CardRow[] = ["a", "b", "c", "d", "e", "f"].map((key) => ({ key, parent: "", depth: 0 }));
  expect([...foldableDone(rows, (key) => key !== "b")]).toEqual(["e", "f"]);
  expect([...foldableDone(rows.slice(0, 4), () => true)]).toEqual([]);
});
