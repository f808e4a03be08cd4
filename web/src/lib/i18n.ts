import { type Dictionary, en } from "../strings/en.ts";

/**
 * The languages beside English by their BCP 47 prefix: each a file of its own, which only its readers load. Whoever
 * reads another Chinese than zh-CN is nearer to it than to English.
 */
const others: ReadonlyMap<string, () => Promise<Dictionary>> = new Map([
  ["zh", async () => (await import("../strings/zh-cn.ts")).zhCN],
]);

export async function dictionaryFor(languages: readonly string[]): Promise<Dictionary> {
  for (const language of languages) {
    const prefix = language.toLowerCase().split("-")[0] ?? "";
    if (prefix === "en") return en;
    const load = others.get(prefix);
    if (load) return await load().catch(() => en);
  }
  return en;
}

/** The dictionary of this browser's language, once loadLanguage is done: read it when drawing, keep nothing of it. */
export let t: Dictionary = en;

/** Called before the first draw. */
export async function loadLanguage(): Promise<void> {
  t = await dictionaryFor(globalThis.navigator?.languages ?? []);
  document.documentElement.lang = t.language;
}
