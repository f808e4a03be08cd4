import fc from "fast-check";
import { expect, test } from "vitest";
import { oneLine, pretty } from "./args.ts";

test("a command stands alone, everything else as it was sent", () => {
  expect(oneLine('{"command":"df -h\\n /home","timeout":5}')).toBe("df -h /home");
  expect(oneLine('{"path":"a b",  "n":1e400}')).toBe('{"path":"a b", "n":1e400}');
  expect(oneLine('{"command":["a"]}')).toBe('{"command":["a"]}');
  expect(oneLine('{"command":"docker logs | gre')).toBe('{"command":"docker logs | gre');
  expect(oneLine("x".repeat(5000))).toHaveLength(300);
});

test("laying out keeps numbers, doubled keys and text", () => {
  expect(pretty('{"n":1e400,"z":12345678901234567890,"a":{"b":[]},"a":"{,}"}')).toBe(
    '{\n  "n": 1e400,\n  "z": 12345678901234567890,\n  "a": {\n    "b": []\n  },\n  "a": "{,}"\n}',
  );
  expect(pretty("not {json")).toBe("not {json");
});

test("any JSON means the same after it was laid out", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.parse(pretty(text))).toEqual(JSON.parse(text));
    }),
  );
});
