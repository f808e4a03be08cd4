import type { Notice, TimelineItem, View } from "@ringside/client";

/** One card's row. Nested calls follow their parent. */
export interface CardRow {
  readonly key: string;
  /** The key of the call it was made inside of, "" at the top. */
  readonly parent: string;
  readonly depth: number;
}

/** What a turn shows, in the order of first appearance. */
export type Item =
  | { readonly kind: "message"; readonly key: string }
  | { readonly kind: "cards"; readonly rows: readonly CardRow[] }
  | { readonly kind: "notice"; readonly key: string; readonly notice: Notice };

export interface Section {
  readonly turn: number;
  readonly items: readonly Item[];
  /** All cards of the turn. */
  readonly cards: readonly string[];
}

/**
 * The view's timeline by turns. Sections of `old` that would be equal are
 * reused, so that whoever draws them sees that nothing changed.
 */
export function sectionsOf(view: View, old: readonly Section[]): readonly Section[] {
  const oldByTurn = new Map(old.map((section) => [section.turn, section]));
  // A turn is there as soon as it began, even if nothing has appeared in it.
  const byTurn = new Map<number, TimelineItem[]>(view.turns.map(({ turn }) => [turn, []]));
  for (const item of view.timeline) {
    const turn = turnOf(view, item);
    if (turn === undefined) continue;
    const items = byTurn.get(turn);
    if (items) items.push(item);
    else byTurn.set(turn, [item]);
  }
  const ordered = [...byTurn].sort(([a], [b]) => a - b);
  return ordered.map(([turn, items]) => {
    const section = sectionOf(view, turn, items);
    const before = oldByTurn.get(turn);
    return before && sameSection(before, section) ? before : section;
  });
}

/** Undefined for what has no row of its own. */
function turnOf(view: View, { kind, key }: TimelineItem): number | undefined {
  switch (kind) {
    case "message":
      return view.message(key)?.turn ?? (view.active?.id === key ? view.active.turn : undefined);
    case "tool":
      return view.tools.get(key)?.turn;
    case "notice":
      return noticeOf(view, key)?.turn;
    case "toolResult":
      return undefined;
    default:
      return kind satisfies never;
  }
}

/** A notice's id is its number since the run's start. */
function noticeOf(view: View, id: string): Notice | undefined {
  const notice = view.notices[Number(id.slice(1)) - 1 - (view.trimmed?.notices ?? 0)];
  return notice?.id === id ? notice : view.notices.find((each) => each.id === id);
}

function sectionOf(view: View, turn: number, timeline: readonly TimelineItem[]): Section {
  const cards = timeline.filter((item) => item.kind === "tool").map((item) => item.key);
  const here = new Set(cards);
  const children = new Map<string, string[]>();
  const roots = new Set<string>();
  for (const key of cards) {
    const parent = view.tools.get(key)?.parent ?? "";
    if (parent === key || !here.has(parent)) roots.add(key);
    else children.set(parent, [...(children.get(parent) ?? []), key]);
  }
  const items: Item[] = [];
  for (const { kind, key } of timeline) {
    if (kind === "message") items.push({ kind, key });
    else if (kind === "notice") {
      const notice = noticeOf(view, key);
      if (notice) items.push({ kind, key, notice });
    } else if (kind === "tool" && roots.has(key)) {
      const rows = rowsUnder(key, "", 0, children, new Set());
      const last = items.at(-1);
      if (last?.kind === "cards") items[items.length - 1] = { kind: "cards", rows: [...last.rows, ...rows] };
      else items.push({ kind: "cards", rows });
    }
  }
  return { turn, items, cards };
}

/** The card and what was called inside it. A ring of parents is cut by `seen`. */
function rowsUnder(
  key: string,
  parent: string,
  depth: number,
  children: ReadonlyMap<string, readonly string[]>,
  seen: Set<string>,
): CardRow[] {
  if (seen.has(key)) return [];
  seen.add(key);
  const inside = (children.get(key) ?? []).flatMap((child) => rowsUnder(child, key, depth + 1, children, seen));
  return [{ key, parent, depth }, ...inside];
}

function sameSection(a: Section, b: Section): boolean {
  return a.items.length === b.items.length && a.items.every((item, i) => sameItem(item, b.items[i]));
}

function sameItem(a: Item, b: Item | undefined): boolean {
  if (b === undefined) return false;
  if (a.kind === "cards") {
    return (
      b.kind === "cards" &&
      a.rows.length === b.rows.length &&
      a.rows.every((row, i) => row.key === b.rows[i]?.key && row.parent === b.rows[i]?.parent)
    );
  }
  return b.kind === a.kind && a.key === b.key;
}

/** Past turns keep their first done cards and fold the others, if there are at least two. */
export const doneShown = 3;

/** The keys that a past turn folds into "N more done": done cards only, in source order. */
export function foldableDone(rows: readonly CardRow[], isPlainDone: (key: string) => boolean): ReadonlySet<string> {
  const done = rows.filter((row) => row.depth === 0 && isPlainDone(row.key));
  const folded = done.slice(doneShown);
  return new Set(folded.length >= 2 ? folded.map((row) => row.key) : []);
}
