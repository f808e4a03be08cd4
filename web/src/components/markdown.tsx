import type { MarkedToken, Tokens } from "marked";
import { Component, Fragment, type VNode } from "preact";
import { t } from "../lib/i18n.ts";
import { decodeEntities, known, lexMarkdown, safeHref } from "../lib/markdown.ts";
import { CopyButton } from "./copy-button.tsx";

/** Deeper nesting than anyone writes is shown as it was written. */
const deepest = 24;

/** Markdown of a model: built from tokens, so that nothing in it can be markup of the page. */
export function Markdown({ text }: { text: string }) {
  return (
    <div class="prose">
      {lexMarkdown(text).map((token, i) => (
        <Block key={i} token={token} />
      ))}
    </div>
  );
}

/** A block that reads the same is not drawn again: only the streaming tail is. */
class Block extends Component<{ token: MarkedToken }> {
  override shouldComponentUpdate(next: { token: MarkedToken }): boolean {
    return next.token.raw !== this.props.token.raw || next.token.type !== this.props.token.type;
  }

  override render() {
    return node(this.props.token, 0);
  }
}

function nodes(tokens: readonly MarkedToken[], depth: number) {
  return tokens.map((token, i) => <Fragment key={i}>{node(token, depth)}</Fragment>);
}

function inside(token: { tokens?: Tokens.Generic["tokens"] }, depth: number) {
  return nodes(known(token.tokens), depth + 1);
}

function node(token: MarkedToken, depth: number): VNode | string | null {
  if (depth > deepest) return token.raw;
  switch (token.type) {
    case "paragraph":
      return <p>{inside(token, depth)}</p>;
    case "text":
      return token.tokens ? <Fragment>{inside(token, depth)}</Fragment> : decodeEntities(token.text);
    case "escape":
      return token.text;
    case "strong":
      return <strong>{inside(token, depth)}</strong>;
    case "em":
      return <em>{inside(token, depth)}</em>;
    case "del":
      return <del>{inside(token, depth)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "code":
      return <CodeBlock token={token} />;
    case "heading":
      return <Heading depth={token.depth}>{inside(token, depth)}</Heading>;
    case "blockquote":
      return <blockquote>{inside(token, depth)}</blockquote>;
    case "list":
      return <List token={token} depth={depth} />;
    case "list_item":
      return <li>{inside(token, depth)}</li>;
    case "checkbox":
      return token.checked ? "☑ " : "☐ ";
    case "hr":
      return <hr />;
    case "table":
      return <Table token={token} depth={depth} />;
    case "link":
      return <Link href={token.href}>{inside(token, depth)}</Link>;
    case "image":
      return `[image${token.text ? `: ${token.text}` : ""}]`;
    case "html":
      return token.raw; // shown as text
    case "space":
    case "def":
      return null;
    default:
      return unreachable(token);
  }
}

function unreachable(token: never): never {
  throw new Error(`no such token: ${JSON.stringify(token)}`);
}

type Children = { children: VNode[] };

function Heading({ depth, children }: Children & { depth: number }) {
  // The page's own headings come first: a turn is an h2.
  return depth <= 2 ? <h3>{children}</h3> : <h4>{children}</h4>;
}

function Link({ href, children }: Children & { href: string }) {
  const safe = safeHref(href);
  if (!safe) return <span>{children}</span>;
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function CodeBlock({ token }: { token: Tokens.Code }) {
  return (
    <div class="code-block">
      <pre tabIndex={0}>
        <code>{token.text}</code>
      </pre>
      <CopyButton text={() => token.text} label={t.copy.copy} />
    </div>
  );
}

function List({ token, depth }: { token: Tokens.List; depth: number }) {
  const items = token.items.map((item, i) => <li key={i}>{nodes(known(item.tokens), depth + 1)}</li>);
  return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ token, depth }: { token: Tokens.Table; depth: number }) {
  return (
    <div class="table-scroll" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {token.header.map((cell, i) => (
              <th key={i} class={cell.align ? `align-${cell.align}` : undefined}>
                {inside(cell, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j} class={cell.align ? `align-${cell.align}` : undefined}>
                  {inside(cell, depth)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
