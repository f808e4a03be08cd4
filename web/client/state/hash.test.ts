import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { event, view } from "../../test/fixtures/decoded.ts";
import { canonical } from "./canonical.ts";
import { apply } from "./fold.ts";
import { compareBytes, HashJob, hash } from "./hash.ts";
import { sha256 } from "./sha256.ts";
import { View } from "./view.ts";

describe("sha256", () => {
  test.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    [
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ],
  ])("of %j is the standard's", (text, digest) => {
    expect(sha256(text)).toBe(digest);
  });

  test("is the platform's for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        expect(sha256(text)).toBe(createHash("sha256").update(text).digest("hex"));
      }),
    );
    const long = "ringside 🚀 ".repeat(20_000);
    expect(sha256(long)).toBe(createHash("sha256").update(long).digest("hex"));
  });
});

describe("canonical JSON", () => {
  test("sorts by UTF-16 units, leaves empty members out and escapes as RFC 8785 does", () => {
    const labels = new Map([
      ["\ufb33", "hebrew"],
      ["🚀", ""],
      ["a", "1"],
    ]);
    expect(
      canonical({ z: 1, a: '\u0000\n\u2028"\\/', no: "", none: 0, off: false, list: [], gone: undefined, labels }),
    ).toBe('{"a":"\\u0000\\n\u2028\\"\\\\/","labels":{"a":"1","🚀":"","\ufb33":"hebrew"},"z":1}');
  });

  test("keeps a member that is an object, and list entries, even empty ones", () => {
    expect(canonical({ usage: {}, list: ["", { a: 0 }], map: new Map() })).toBe('{"list":["",{}],"usage":{}}');
  });
});

test("names are sorted by their bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
      expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
  expect(["\ufb33", "🚀", "a"].sort(compareBytes)).toEqual(["a", "\ufb33", "🚀"]);
});

test("a hash computed in slices is the hash at its start, whatever is folded meanwhile", () => {
  const v = view({
    runStatus: "running",
    turn: 1,
    tools: { c1: { key: "c1", status: "running", turn: 1 }, c2: { key: "c2", status: "done", turn: 1 } },
    timeline: [
      { kind: "tool", key: "c1" },
      { kind: "tool", key: "c2" },
    ],
  });
  const expected = hash(v.clone());
  const job = new HashJob(v);
  expect(job.step(() => true)).toBeUndefined();
  apply(v, event({ type: "tool_end", t: 9, key: "c1", text: "ok" }));
  apply(v, event({ type: "notice", t: 9, kind: "info", text: "more" }));
  expect(job.finish()).toBe(expected);
  expect(hash(v)).not.toBe(expected);
});

test("every part of the header counts, and outcomeText does not", () => {
  const base = { runStatus: "idle" };
  const parts = [
    { turn: 1 },
    { worker: "live" },
    { outcome: "ok" },
    { run: { title: "x" } },
    { queue: { steering: ["x"] } },
    { strays: 1 },
    { trimmed: { turns: 1 } },
  ];
  const hashes = parts.map((part) => hash(view({ ...base, ...part })));
  expect(new Set([hash(new View()), ...hashes]).size).toBe(parts.length + 1);
  expect(hash(view({ ...base, outcomeText: "x" }))).toBe(hash(new View()));
});
