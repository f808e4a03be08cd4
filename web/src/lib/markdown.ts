import { lexer, type MarkedToken, type Token } from "marked";

/**
 * Markdown as tokens, by marked's lexer alone: no HTML is ever made from it, so
 * there is nothing to sanitise. Text that the lexer trips over stays text.
 */
export function lexMarkdown(text: string): readonly MarkedToken[] {
  try {
    return known(lexer(text));
  } catch {
    return [{ type: "paragraph", raw: text, text, tokens: [{ type: "text", raw: text, text, escaped: false }] }];
  }
}

/** No extension is ever registered, so every token is one of marked's own. */
export function known(tokens: readonly Token[] | undefined): readonly MarkedToken[] {
  return (tokens ?? []).filter(isKnown);
}

const types: ReadonlySet<string> = new Set([
  "blockquote",
  "br",
  "checkbox",
  "code",
  "codespan",
  "def",
  "del",
  "em",
  "escape",
  "heading",
  "hr",
  "html",
  "image",
  "link",
  "list",
  "list_item",
  "paragraph",
  "space",
  "strong",
  "table",
  "text",
] satisfies MarkedToken["type"][]);

function isKnown(token: Token): token is MarkedToken {
  return types.has(token.type);
}

/** A link's target where it is http or https, else undefined: the link is shown as its text. */
export function safeHref(href: string): string | undefined {
  try {
    const url = new URL(href);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
  } catch {
    return undefined; // relative or broken: it leads nowhere from here
  }
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Character references, which the lexer leaves in text for a browser to read. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name) return entities[String(name).toLowerCase()] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}
