import { type Dictionary, en } from "../strings/en.ts";

/** The languages of the page by their BCP 47 prefix. zh-CN comes as a second file beside en. */
const dictionaries: ReadonlyMap<string, Dictionary> = new Map([["en", en]]);

export function dictionaryFor(languages: readonly string[]): Dictionary {
  for (const language of languages) {
    const found = dictionaries.get(language) ?? dictionaries.get(language.split("-")[0] ?? "");
    if (found) return found;
  }
  return en;
}

/** The dictionary of this browser's language. */
export const t: Dictionary = dictionaryFor(globalThis.navigator?.languages ?? []);
