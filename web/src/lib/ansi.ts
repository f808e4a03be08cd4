/**
 * Terminal output as lines of styled text. Colours become classes of the
 * page's own hues (so they pass in both themes), `\r` overwrites its line, OSC 8
 * becomes a link, every other control is removed.
 */
export interface Span {
  readonly text: string;
  /** Space-separated class names, "" for plain text. */
  readonly classes: string;
  /** Where it leads, http or https only. */
  readonly href?: string;
}

export type Line = readonly Span[];

type Hue = "ink" | "ink2" | "ink3" | "err" | "ok" | "prep" | "run" | "past";

interface Style {
  fg?: Hue | undefined;
  bg?: Hue | undefined;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  inverse?: boolean;
  strike?: boolean;
}

const csi = "\\u001b\\[([0-9;:<=>?]{0,64})[ -/]{0,8}([@-~])";
const osc = "\\u001b\\]([^\\u0007\\u001b\\n]{0,4096})(?:\\u0007|\\u001b\\\\|(?=\\u001b)|(?=\\n)|$)";
const otherEscape = "\\u001b(?:\\[[0-9;:<=>?]{0,64}$|[PX^_][^\\u001b\\n]{0,4096}(?:\\u001b\\\\)?|[ -/]{0,8}[0-~])?";
const control = "[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]";
const plain = "[^\\u0000-\\u0008\\u000a-\\u001f\\u007f-\\u009f]+";
const pattern = new RegExp(`${csi}|${osc}|${otherEscape}|(\\r*\\n)|(\\r)|(${plain})|${control}`, "gu");

export function parseAnsi(text: string): Line[] {
  const lines: Line[] = [];
  let line = new LineBuilder();
  let style: Style = {};
  let href: string | undefined;
  for (const match of text.matchAll(pattern)) {
    const [, params, command, oscText, newline, carriage, plainText] = match;
    if (plainText !== undefined) line.write(plainText, classesOf(style), href);
    else if (newline !== undefined) {
      lines.push(line.spans());
      line = new LineBuilder();
    } else if (carriage !== undefined) line.toStart();
    else if (command === "m") style = restyle(style, params ?? "");
    else if (command === "K") line.erase();
    else if (oscText !== undefined) href = linkOf(oscText, href);
  }
  const last = line.spans();
  if (last.length > 0 || lines.length === 0) lines.push(last);
  return lines;
}

/** The text alone, as it reads after everything was overwritten. */
export function stripAnsi(text: string): string {
  return parseAnsi(text)
    .map((line) => line.map((span) => span.text).join(""))
    .join("\n");
}

/** One line that may be overwritten from its start. Only then it is split into characters. */
class LineBuilder {
  #spans: Span[] = [];
  #rest: Span[] = [];

  write(text: string, classes: string, href: string | undefined): void {
    if (this.#rest.length > 0) this.#rest = dropChars(this.#rest, [...text].length);
    const last = this.#spans.at(-1);
    if (last && last.classes === classes && last.href === href) {
      this.#spans[this.#spans.length - 1] = { ...last, text: last.text + text };
    } else {
      this.#spans.push(href === undefined ? { text, classes } : { text, classes, href });
    }
  }

  toStart(): void {
    this.#rest = [...this.#spans, ...this.#rest];
    this.#spans = [];
  }

  /** Erases from the cursor to the line's end. */
  erase(): void {
    this.#rest = [];
  }

  spans(): Line {
    return [...this.#spans, ...this.#rest];
  }
}

function dropChars(spans: Span[], count: number): Span[] {
  let left = count;
  for (const [i, span] of spans.entries()) {
    const chars = [...span.text];
    if (chars.length > left) return [{ ...span, text: chars.slice(left).join("") }, ...spans.slice(i + 1)];
    left -= chars.length;
  }
  return [];
}

function linkOf(oscText: string, current: string | undefined): string | undefined {
  if (!oscText.startsWith("8;")) return current;
  const url = oscText.slice(oscText.indexOf(";", 2) + 1);
  return /^https?:\/\//i.test(url) ? url : undefined;
}

function classesOf(style: Style): string {
  const names: string[] = [];
  const fg = style.dim && (style.fg === undefined || style.fg === "ink") ? "ink3" : style.fg;
  if (fg) names.push(`a-${fg}`);
  if (style.bg) names.push(`a-on-${style.bg}`);
  for (const name of ["bold", "italic", "underline", "inverse", "strike"] as const)
    if (style[name]) names.push(`a-${name}`);
  return names.join(" ");
}

const basic: readonly Hue[] = ["ink3", "err", "ok", "prep", "run", "past", "run", "ink"];

/** Applies one SGR sequence. */
function restyle(style: Style, params: string): Style {
  let next: Style = { ...style };
  const codes = params.split(/[;:]/).map((code) => (code === "" ? 0 : Number(code)));
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0;
    if (code === 38 || code === 48) {
      const [hue, used] = extended(codes.slice(i + 1));
      if (code === 38) next.fg = hue;
      else next.bg = hue;
      i += used;
    } else next = simple(next, code);
  }
  return next;
}

function simple(style: Style, code: number): Style {
  if (code >= 30 && code <= 37) return { ...style, fg: basic[code - 30] };
  if (code >= 90 && code <= 97) return { ...style, fg: basic[code - 90] };
  if (code >= 40 && code <= 47) return { ...style, bg: basic[code - 40] };
  if (code >= 100 && code <= 107) return { ...style, bg: basic[code - 100] };
  return { ...(code === 0 ? {} : style), ...switches[code] };
}

const switches: Readonly<Record<number, Style>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  29: { strike: false },
  39: { fg: undefined },
  49: { bg: undefined },
};

/** What follows 38 or 48: a palette index or a colour; and how many codes that took. */
function extended(codes: readonly number[]): [hue: Hue | undefined, used: number] {
  const [mode, a = 0, b = 0, c = 0] = codes;
  if (mode === 5) return [paletteHue(a), 2];
  if (mode === 2) return [nearestHue(a, b, c), 4];
  return [undefined, codes.length];
}

function paletteHue(index: number): Hue | undefined {
  if (index < 16) return basic[index % 8];
  if (index >= 232) return index < 240 ? "ink3" : index < 248 ? "ink2" : "ink";
  const level = (n: number) => (n === 0 ? 0 : 55 + 40 * n);
  const cube = index - 16;
  return nearestHue(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

/** Any colour becomes the nearest hue that is readable in both themes. */
function nearestHue(r: number, g: number, b: number): Hue {
  const max = Math.max(r, g, b);
  const min = Math.min(r, g, b);
  if (max - min < 40) return max < 100 ? "ink3" : max < 180 ? "ink2" : "ink";
  const sector =
    (max === r ? (g - b) / (max - min) : max === g ? 2 + (b - r) / (max - min) : 4 + (r - g) / (max - min)) * 60;
  const degrees = (sector + 360) % 360;
  if (degrees < 20 || degrees >= 330) return "err";
  if (degrees < 70) return "prep";
  if (degrees < 165) return "ok";
  return degrees < 260 ? "run" : "past";
}
