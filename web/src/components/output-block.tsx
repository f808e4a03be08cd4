import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { type Line, parseAnsi, stripAnsi } from "../lib/ansi.ts";
import { byteLength, bytes } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { foldLines, headLines } from "../lib/output.ts";
import { CopyButton } from "./copy-button.tsx";

interface Props {
  title: string;
  text: string;
  copyLabel: string;
  /** How many bytes it had before it was cut, 0 if it was not. */
  cutFrom?: number;
  /** What is known of a text that is only a part of what there was, in words. */
  excerpt?: string;
  tone?: "error";
  empty?: string;
  children?: ComponentChildren;
}

/**
 * Text of a tool: coloured, long output by its first and last lines. Lines have
 * numbers where those are known: in an excerpt they are not.
 */
export function OutputBlock({ title, text, copyLabel, cutFrom = 0, excerpt = "", tone, empty, children }: Props) {
  const [extra, setExtra] = useState(0);
  const lines = useMemo(() => parseAnsi(text), [text]);
  const { head, tail, hidden } = foldLines(lines, extra);
  const size = byteLength(text);
  const cut = excerpt || (cutFrom > size && t.card.truncated(size, cutFrom));
  return (
    <section class="block">
      <header class="block-head">
        <h4>{title}</h4>
        {text !== "" && <span class="block-facts num">{cut || `${t.card.lines(lines.length)} · ${bytes(size)}`}</span>}
        <span class="grow" />
        {children}
        {text !== "" && <CopyButton text={() => stripAnsi(text)} label={copyLabel} />}
      </header>
      {text === "" ? (
        empty && <p class="block-empty">{empty}</p>
      ) : (
        <div class={`output ${tone === "error" ? "is-error" : ""}`} tabIndex={0} role="group" aria-label={title}>
          <Lines lines={head} from={cut ? 0 : 1} />
          {hidden > 0 && (
            <div class="output-fold">
              <span class="num">{cut ? t.card.hiddenOfExcerpt(hidden) : t.card.hidden(hidden)}</span>
              <button type="button" class="text-button" onClick={() => setExtra(extra + 200)}>
                {t.card.show200}
              </button>
              <button type="button" class="text-button" onClick={() => setExtra(Number.MAX_SAFE_INTEGER)}>
                {cut ? t.card.showExcerpt : t.card.showAll}
              </button>
            </div>
          )}
          {tail.length > 0 && <Lines lines={tail} from={cut ? 0 : headLines + hidden + 1} />}
        </div>
      )}
    </section>
  );
}

/** From that number on, or without any from 0. The numbers are drawn by the style sheet, so that they are not copied. */
function Lines({ lines, from }: { lines: readonly Line[]; from: number }) {
  return (
    <ol class={`lines ${from === 0 ? "is-unnumbered" : ""}`} start={from}>
      {lines.map((line, i) => (
        <li key={from + i} value={from + i}>
          {line.map((span, j) =>
            span.href ? (
              <a key={j} class={span.classes} href={span.href} target="_blank" rel="noopener noreferrer nofollow">
                {span.text}
              </a>
            ) : span.classes ? (
              <span key={j} class={span.classes}>
                {span.text}
              </span>
            ) : (
              span.text
            ),
          )}
          {"\n"}
        </li>
      ))}
    </ol>
  );
}
