/** The arguments of a call are the model's own words: raw, untrusted, perhaps cut and no JSON at all. */

/** One line that says most: a command alone where there is one, else the raw text. */
export function oneLine(rawArgs: string): string {
  const command = commandOf(rawArgs);
  return (command ?? rawArgs).replace(/\s+/g, " ").trim().slice(0, 300);
}

function commandOf(rawArgs: string): string | undefined {
  const parsed = parse(rawArgs);
  if (typeof parsed !== "object" || parsed === null || !("command" in parsed)) return undefined;
  return typeof parsed.command === "string" ? parsed.command : undefined;
}

/**
 * The arguments over several lines. The text's own tokens are kept (numbers
 * that JavaScript would round, doubled keys): only space between them changes.
 */
export function pretty(text: string): string {
  return parse(text) === undefined ? text : reindent(text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Lays valid JSON out anew, token by token. */
function reindent(json: string): string {
  let out = "";
  let depth = 0;
  const newline = () => `\n${"  ".repeat(Math.min(depth, 40))}`;
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  for (const [i, token] of tokens.entries()) {
    const next = tokens[i + 1];
    if (token === "{" || token === "[") {
      depth++;
      out += next === "}" || next === "]" ? token : token + newline();
    } else if (token === "}" || token === "]") {
      depth--;
      const before = tokens[i - 1];
      out += before === "{" || before === "[" ? token : newline() + token;
    } else if (token === ",") out += `,${newline()}`;
    else if (token === ":") out += ": ";
    else out += token;
  }
  return out;
}
