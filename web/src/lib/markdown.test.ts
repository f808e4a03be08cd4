import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeEntities, lexMarkdown, safeHref } from "./markdown.ts";

test.each([
  ["https://example.org/a b", "https://example.org/a%20b"],
  ["HTTP://example.org", "http://example.org/"],
  ["javascript:alert(1)", undefined],
  ["JaVaScRiPt:alert(1)", undefined],
  ["data:text/html,x", undefined],
  ["//example.org", undefined],
  ["/r/x", undefined],
  ["vbscript:x", undefined],
])("%s leads to %s", (href, to) => {
  expect(safeHref(href)).toBe(to);
});

test("character references are read, what is none stays", () => {
  expect(decodeEntities("a &amp; b &lt;c&gt; &#65;&#x1F680; &nope; &#0; &#xD800; &")).toBe(
    "a & b <c> A🚀 &nope; &#0; &#xD800; &",
  );
});

test("whatever a model writes is lexed or stays text", () => {
  const piece = fc.constantFrom(
    "*",
    "_",
    "`",
    "#",
    ">",
    "-",
    "1.",
    "[",
    "](",
    ")",
    "<b>",
    "&amp;",
    "|",
    "\n",
    "\n\n",
    "  ",
    "x",
    "```",
    "~~",
    "![",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      expect(lexMarkdown(pieces.join(""))).toBeInstanceOf(Array);
    }),
  );
});

test("deep nesting does not overflow", () => {
  expect(lexMarkdown(`${">".repeat(20_000)} x`).length).toBeGreaterThan(0);
});
