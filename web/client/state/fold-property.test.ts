import fc from "fast-check";
import { expect, test } from "vitest";
import { event, view } from "../../test/fixtures/decoded.ts";
import type { ProjectedEvent } from "../protocol/index.ts";
import { apply, reduce } from "./fold.ts";
import { digestsOf, hash } from "./hash.ts";
import { viewToJSON } from "./json.ts";
import { isOpen, View } from "./view.ts";

/** Events that often meet: few keys, few ids, every type. */
const text = fc.constantFrom("", "a", "é", "🚀", "\u2028", '<&>"\\', "\u0000\u001b");
const t = fc.nat(9);
const key = fc.constantFrom("c1", "c2", "c3", "constructor", "__proto__");
const id = fc.constantFrom("m1", "m2", "m3", "__proto__");
const role = fc.constantFrom("assistant", "user");
const stopReason = fc.constantFrom("", "stop", "error", "aborted");
const truncated = fc.record({ args: fc.nat(2), progress: fc.nat(2), result: fc.nat(2) }, { requiredKeys: [] });
const cut = { truncated, redacted: fc.nat(2) };

type Arbitraries = Record<string, fc.Arbitrary<unknown>>;

function kind(type: string, required: Arbitraries, optional: Arbitraries = {}): fc.Arbitrary<object> {
  const must = fc.record<Record<string, unknown>>({ type: fc.constant(type), t, ...required });
  const may = fc.record<Record<string, unknown>, never>(optional, { requiredKeys: [] });
  return fc.tuple(must, may).map(([a, b]) => ({ ...a, ...b }));
}

const anyEvent: fc.Arbitrary<ProjectedEvent> = fc
  .oneof(
    kind("run_info", {}, { title: text, labels: fc.dictionary(text, text) }),
    kind("agent_start", {}),
    kind("agent_end", {}, { willRetry: fc.boolean() }),
    kind("agent_idle", {}, { aborted: fc.boolean() }),
    kind("turn_start", {}),
    kind("turn_end", { stopReason }, { error: text, usage: fc.record({ input: fc.nat(3) }, { requiredKeys: [] }) }),
    kind("message_start", { id, role }),
    kind("text_delta", { id, delta: text }),
    kind("thinking_delta", { id, delta: text }),
    kind("message_end", { id, role, stopReason }, { text, thinking: text, error: text, ...cut }),
    kind("call_delta", { key, delta: text }, { id: text, name: text, ...cut }),
    kind("tool_start", { key, args: text }, { parent: key, ...cut }),
    kind("tool_update", { key }, { text, phase: text, done: fc.nat(3), total: fc.nat(3), details: text, ...cut }),
    kind("tool_update", { key, append: text }, { phase: text, done: fc.nat(3), ...cut }),
    kind(
      "tool_end",
      { key },
      { isError: fc.boolean(), text, details: text, durationMs: fc.nat(9), output: fc.boolean(), ...cut },
    ),
    kind("tool_result", { key }, { isError: fc.boolean() }),
    kind("queue", {}, { steering: fc.array(text, { maxLength: 2 }), followUp: fc.array(text, { maxLength: 2 }) }),
    kind("notice", { kind: text, text }, cut),
    kind("worker", { state: fc.constantFrom("live", "lost", "gone") }),
    kind("trim", { beforeTurn: fc.integer({ min: 1, max: 5 }) }),
  )
  .map(event);

const events = fc.array(anyEvent, { maxLength: 60 });

test("a snapshot taken at any point goes on like the view it was taken from", () => {
  fc.assert(
    fc.property(events, events, (before, after) => {
      const folded = reduce(new View(), before);
      const joined = view(JSON.parse(JSON.stringify(viewToJSON(folded))));
      expect(viewToJSON(joined)).toEqual(viewToJSON(folded));
      for (const e of after) {
        apply(folded, e);
        apply(joined, e);
      }
      expect(digestsOf(joined)).toEqual(digestsOf(folded));
      expect(hash(joined)).toBe(hash(folded));
    }),
  );
});

test("the hash that is kept up to date is the hash made afresh", () => {
  fc.assert(
    fc.property(events, (all) => {
      const v = new View();
      for (const e of all) {
        apply(v, e);
        expect(hash(v)).toBe(hash(view(JSON.parse(JSON.stringify(viewToJSON(v))))));
      }
    }),
    { numRuns: 30 },
  );
});

test("what was read never changes, and nothing stays open in an idle run", () => {
  fc.assert(
    fc.property(events, (all) => {
      const v = new View();
      for (const e of all) {
        const seen = [...v.messages, ...v.tools.values(), ...v.turns].map(
          (entity) => [entity, JSON.stringify(entity)] as const,
        );
        apply(v, e);
        for (const [entity, was] of seen) expect(JSON.stringify(entity)).toBe(was);
        const open = [...v.tools.values()].filter(isOpen).map((tool) => tool.key);
        expect([...v.open].sort()).toEqual(open.sort());
        if (e.type === "agent_idle" || e.type === "agent_end") expect(open).toEqual([]);
      }
    }),
  );
});
