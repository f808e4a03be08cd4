import { describe, expect, test } from "vitest";
import { byteLength, bytes, duration, fullTime, grouped, headline, shortTime, stopwatch, ticking } from "./format.ts";

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

  test("times are of 24 hours and local, with the date where that is not today", () => {
    const at = new Date(2026, 2, 5, 15, 4, 9).getTime();
    expect(shortTime(at, new Date(2026, 2, 5, 23).getTime())).toBe("15:04:09");
    expect(shortTime(at, new Date(2026, 2, 6, 1).getTime())).toBe("2026-03-05 15:04:09");
    expect(shortTime(new Date(2026, 2, 5, 0, 4, 9).getTime(), at)).toBe("00:04:09");
    expect(fullTime(at)).toBe("2026-03-05 15:04:09");
    expect([shortTime(0, at), fullTime(0)]).toEqual(["", ""]);
  });

  test("bytes are those of UTF-8", () => {
    expect(byteLength("é🚀")).toBe(6);
  });

  test.each([
    ["\n\n  a b \nc", "a b"],
    [
      'Validation failed for tool "read":\n\n  - path: is missing\n\nReceived:',
      'Validation failed for tool "read": - path: is missing',
    ],
    ["Only this:\r\n \n", "Only this:"],
    ["", ""],
  ])("the headline of %j", (text, says) => {
    expect(headline(text)).toBe(says);
  });
});
