/** Long output is shown by its first and last lines. */
export const headLines = 3;
export const tailLines = 200;
/** More lines than that are never put on the page; the raw output holds them. */
export const mostLines = 10_000;

export interface Folded<T> {
  readonly head: readonly T[];
  readonly tail: readonly T[];
  /** How many lines lie between them. */
  readonly hidden: number;
}

/** Folds the middle away; `extra` more lines are shown before the tail. */
export function foldLines<T>(lines: readonly T[], extra: number): Folded<T> {
  const tail = Math.min(mostLines, tailLines + extra);
  const hidden = lines.length - headLines - tail;
  if (hidden <= 0) return { head: lines, tail: [], hidden: 0 };
  return { head: lines.slice(0, headLines), tail: lines.slice(-tail), hidden };
}
