import { expect, test } from "vitest";
import { en } from "../strings/en.ts";
import { dictionaryFor } from "./i18n.ts";

test("falls back to English", () => {
  expect(dictionaryFor(["fr-FR", "tlh"])).toBe(en);
  expect(dictionaryFor(["en-GB"])).toBe(en);
  expect(dictionaryFor([])).toBe(en);
  expect(dictionaryFor(["constructor"])).toBe(en);
});

test.each([
  [1, "1st"],
  [2, "2nd"],
  [3, "3rd"],
  [4, "4th"],
  [11, "11th"],
  [12, "12th"],
  [13, "13th"],
  [21, "21st"],
  [112, "112th"],
])("%i is %s", (n, word) => {
  expect(en.card.ordinal(n)).toBe(word);
});
