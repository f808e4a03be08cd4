import fc from "fast-check";
import { expect, test } from "vitest";
import { foldLines, mostLines } from "./output.ts";

const lines = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

test("the first three and last two hundred lines are shown", () => {
  expect(foldLines(lines(203), 0).hidden).toBe(0);
  const { head, tail, hidden } = foldLines(lines(1882), 0);
  expect([head, tail[0], tail.length, hidden]).toEqual([[1, 2, 3], 1683, 200, 1679]);
});

test("more are shown on request, up to what a page can hold", () => {
  expect(foldLines(lines(1882), 200).hidden).toBe(1479);
  expect(foldLines(lines(1882), Number.MAX_SAFE_INTEGER).hidden).toBe(0);
  expect(foldLines(lines(mostLines + 10), Number.MAX_SAFE_INTEGER)).toMatchObject({ hidden: 7 });
});

test("nothing is lost or doubled", () => {
  fc.assert(
    fc.property(fc.nat(3000), fc.nat(3000), (n, extra) => {
      const { head, tail, hidden } = foldLines(lines(n), extra);
      expect(head.length + hidden + tail.length).toBe(n);
      if (hidden > 0) expect(tail[0]).toBe(head.length + hidden + 1);
    }),
  );
});
