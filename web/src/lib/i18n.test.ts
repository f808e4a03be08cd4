import { expect, test } from "vitest";
import { en } from "../strings/en.ts";
import { zhCN } from "../strings/zh-cn.ts";
import { dictionaryFor } from "./i18n.ts";

test("falls back to English", async () => {
  expect(await dictionaryFor(["fr-FR", "tlh"])).toBe(en);
  expect(await dictionaryFor(["en-GB"])).toBe(en);
  expect(await dictionaryFor([])).toBe(en);
  expect(await dictionaryFor(["constructor"])).toBe(en);
});

test("takes the first language that it has", async () => {
  expect(await dictionaryFor(["zh-CN", "en"])).toBe(zhCN);
  expect(await dictionaryFor(["zh-Hans-SG"])).toBe(zhCN);
  expect(await dictionaryFor(["de", "zh"])).toBe(zhCN);
  expect(await dictionaryFor(["en", "zh-CN"])).toBe(en);
});

/** What a dictionary says, each text by its path; functions say it of samples. */
function texts(of: object, path = ""): Map<string, string> {
  const all = new Map<string, string>();
  for (const [name, value] of Object.entries(of)) {
    const at = path === "" ? name : `${path}.${name}`;
    if (typeof value === "string") all.set(at, value);
    else if (typeof value === "function") all.set(at, String(value(1234, "b", "c")));
    else for (const [inner, text] of texts(value, at)) all.set(inner, text);
  }
  return all;
}

test("Chinese says everything, with the same values, and in Chinese", () => {
  const english = texts(en);
  const chinese = texts(zhCN);
  expect([...chinese.keys()]).toEqual([...english.keys()]);
  const same = [...chinese].filter(([at, text]) => !/\p{Script=Han}/u.test(text) && text === english.get(at));
  expect(same.map(([at]) => at)).toEqual(["product", "newTabTitle"]);
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
