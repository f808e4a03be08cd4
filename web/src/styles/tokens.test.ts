import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

/** Recomputes the contrast of every token pair from the style sheet itself (WCAG 2.2). */
const css = readFileSync(new URL("tokens.css", import.meta.url), "utf8");

type Tokens = ReadonlyMap<string, string>;

function tokensOf(selector: string): Tokens {
  const start = css.indexOf(`${selector} {`);
  if (start < 0) throw new Error(`no ${selector}`);
  const block = css.slice(start, css.indexOf("}", start));
  return new Map(
    [...block.matchAll(/--([a-z0-9-]+): (#[0-9a-f]{6});/g)].map(([, name = "", value = ""]) => [name, value]),
  );
}

const themes = { dark: tokensOf(":root"), light: tokensOf(':root[data-theme="light"]') };

function luminance(hex: string): number {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

function contrast(tokens: Tokens, a: string, b: string): number {
  const [x, y] = [a, b].map((name) => {
    const hex = tokens.get(name);
    if (!hex) throw new Error(`no token ${name}`);
    return luminance(hex);
  });
  const [high, low] = [Math.max(x ?? 0, y ?? 0), Math.min(x ?? 0, y ?? 0)];
  return (high + 0.05) / (low + 0.05);
}

const grounds = ["bg0", "bg1", "bg2", "bg3"];
const states = ["prep", "run", "ok", "err", "idle", "past"];

describe.each(Object.entries(themes))("%s", (_, tokens) => {
  test("has every token of the other theme", () => {
    expect([...tokens.keys()].sort()).toEqual([...themes.dark.keys()].sort());
  });

  test.each(["ink", "ink2", "ink3", ...states])("%s can be read on every ground", (text) => {
    for (const ground of grounds) expect(contrast(tokens, text, ground), ground).toBeGreaterThanOrEqual(4.5);
  });

  test.each(states)("%s can be read on its own tint, and ink on it too", (state) => {
    for (const text of [state, "ink", "ink2"]) {
      expect(contrast(tokens, text, `${state}-bg`), text).toBeGreaterThanOrEqual(4.5);
    }
  });

  test("control edges can be seen", () => {
    for (const ground of grounds) expect(contrast(tokens, "edge", ground), ground).toBeGreaterThanOrEqual(3);
  });

  test("the primary button and the pill can be read", () => {
    expect(contrast(tokens, "bg0", "ink")).toBeGreaterThanOrEqual(4.5);
  });
});

test("colour is stated nowhere else", async () => {
  const { readdirSync } = await import("node:fs");
  const folder = new URL("./", import.meta.url);
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".css") && each !== "tokens.css")) {
    expect(readFileSync(new URL(name, folder), "utf8"), name).not.toMatch(/#[0-9a-f]{3,8}\b/i);
  }
});
