import { describe, expect, test } from "vitest";
import { byteLength, bytes, duration, firstLine, grouped, stopwatch, ticking } from "./format.ts";

const plain = (text: string) => text.replaceAll("\u2009", " ");

describe("format", () => {
  test.each([
    [0, "0"],
    [999, "999"],
    [1234, "1 234"],
    [1234567, "1 234 567"],
  ])("grouped %i", (n, text) => {
    expect(plain(grouped(n))).toBe(text);
  });

  test.each([
    [0, "0.0 s"],
    [120, "0.1 s"],
    [9_960, "10.0 s"],
    [59_940, "59.9 s"],
    [59_960, "1:00"],
    [161_000, "2:41"],
    [3_762_000, "1:02:42"],
    [-5, "0.0 s"],
  ])("duration %i", (ms, text) => {
    expect(plain(duration(ms))).toBe(text);
  });

  test.each([
    [900, "0 s"],
    [7_999, "7 s"],
    [59_999, "59 s"],
    [60_000, "1:00"],
    [-1, "0 s"],
  ])("ticking %i", (ms, text) => {
    expect(plain(ticking(ms))).toBe(text);
  });

  test.each([
    [7_000, "00:07"],
    [161_000, "02:41"],
    [3_600_000, "1:00:00"],
  ])("stopwatch %i", (ms, text) => {
    expect(stopwatch(ms)).toBe(text);
  });

  test.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1 kB"],
    [1500, "1.5 kB"],
    [412_000, "412 kB"],
    [48e9, "48 GB"],
  ])("bytes %i", (n, text) => {
    expect(plain(bytes(n))).toBe(text);
  });

  test("bytes are those of UTF-8", () => {
    expect(byteLength("é🚀")).toBe(6);
  });

  test("the first line that says anything", () => {
    expect(firstLine("\n\n  a b \nc")).toBe("a b");
    expect(firstLine("")).toBe("");
  });
});
