import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAnsi, stripAnsi } from "./ansi.ts";

const esc = "\u001b";

describe("colours become the page's hues", () => {
  test.each([
    ["31", "a-err"],
    ["92", "a-ok"],
    ["1;33", "a-prep a-bold"],
    ["4;9", "a-underline a-strike"],
    ["7", "a-inverse"],
    ["2", "a-ink3"],
    ["44", "a-on-run"],
    ["38;5;196", "a-err"],
    ["38;5;240", "a-ink2"],
    ["38;2;0;200;0", "a-ok"],
    ["38:2:200:0:200", "a-past"],
    ["48;5;4", "a-on-run"],
    ["31;0", ""],
    ["31;39", ""],
    ["1;22", ""],
  ])("%s", (code, classes) => {
    expect(parseAnsi(`${esc}[${code}mx`)).toEqual([[{ text: "x", classes }]]);
  });

  test("a style lasts over lines until it is reset", () => {
    expect(parseAnsi(`${esc}[31ma\nb${esc}[0mc`)).toEqual([
      [{ text: "a", classes: "a-err" }],
      [
        { text: "b", classes: "a-err" },
        { text: "c", classes: "" },
      ],
    ]);
  });
});

test("a carriage return overwrites its line, character by character", () => {
  expect(stripAnsi("progress 10%\rprogress 100%\n")).toBe("progress 100%");
  expect(stripAnsi("abcdef\rXY")).toBe("XYcdef");
  expect(stripAnsi("abc\r\ndef")).toBe("abc\ndef");
  expect(stripAnsi(`long line\r${esc}[Kshort`)).toBe("short");
  expect(stripAnsi("🚀🚀\rx")).toBe("x🚀");
});

test("links are kept where they are http or https, and nothing else of OSC", () => {
  const link = (url: string) => `${esc}]8;;${url}${esc}\\here${esc}]8;;${esc}\\ on`;
  expect(parseAnsi(link("https://example.org/a"))).toEqual([
    [
      { text: "here", classes: "", href: "https://example.org/a" },
      { text: " on", classes: "" },
    ],
  ]);
  expect(parseAnsi(link("javascript:alert(1)"))).toEqual([[{ text: "here on", classes: "" }]]);
  expect(stripAnsi(`a${esc}]0;title\u0007b${esc}]52;c;Zm9v${esc}\\c`)).toBe("abc");
});

test.each([
  ["cursor moves", `a${esc}[2Jb${esc}[10;5Hc`, "abc"],
  ["bells and backspaces", "a\u0007\u0008b\u0000c\u009bd", "abcd"],
  ["charset switches", `${esc}(Ba${esc}=b`, "ab"],
  ["a sequence that was cut", `abc${esc}[3`, "abc"],
  ["a title that never ends", `a${esc}]0;x\nb`, "a\nb"],
  ["a lone escape", `a${esc}`, "a"],
])("%s are removed", (_, text, left) => {
  expect(stripAnsi(text)).toBe(left);
});

test("lines are counted as a reader counts them", () => {
  expect(parseAnsi("a\nb\n")).toHaveLength(2);
  expect(parseAnsi("a\n\nb")).toHaveLength(3);
  expect(parseAnsi("")).toHaveLength(1);
});

test("no control is left, whatever comes", () => {
  const piece = fc.constantFrom(
    "a",
    "\n",
    "\r",
    "\t",
    esc,
    "[",
    "]",
    ";",
    "8",
    "m",
    "K",
    "\u0007",
    "\\",
    "31",
    "é",
    "🚀",
    "\u009b",
    " ",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
      for (const line of parseAnsi(pieces.join(""))) {
        for (const span of line) expect(span.text.replaceAll("\t", "")).not.toMatch(/\p{Cc}/u);
      }
    }),
  );
});

test("plain text comes out as it was", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "B", " ", "\t", "é", "🚀", "<", "&"),
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (lines) => {
      expect(stripAnsi(lines.join("\n"))).toBe(lines.join("\n"));
    }),
  );
});
