import type { Tool } from "@ringside/client";
import { isSettled } from "@ringside/client";
import { t } from "../lib/i18n.ts";
import { fragment } from "../lib/router.ts";
import { type CardRow, foldableDone } from "../lib/transcript.ts";
import { Card } from "./card.tsx";
import { useRun } from "./run-context.ts";
import { Icon } from "./sprite.tsx";
import { useSettling } from "./use-settling.ts";

interface Props {
  name: string;
  rows: readonly CardRow[];
  /** The turn is over and read: its done cards may fold. */
  past: boolean;
}

/** The calls that were made together: in source order, each settling by itself. */
export function CardGroup({ name, rows, past }: Props) {
  const store = useRun();
  const tools = new Map(useSettling(rows.map((row) => row.key)).map((tool) => [tool.key, tool]));
  const more = store.disclosure(`more/${name}`);
  const linked = fragment.value.get("c");
  const plainDone = (key: string) => {
    const tool = tools.get(key);
    return tool?.status === "done" && !tool.conflict && key !== linked && !store.disclosure(`card/${key}`).value;
  };
  const folded = past ? foldableDone(rows, plainDone) : new Set<string>();
  const inside = countInside(rows);
  const finish = finishOrder(rows, tools);
  const shown = rows.filter((row) => {
    if (folded.has(row.key)) return more.value;
    if (row.parent === "") return true;
    // Calls inside another are closed at first, but a failure is never hidden.
    return store.disclosure(`card/${row.parent}`).value || tools.get(row.key)?.status === "error" || row.key === linked;
  });
  return (
    <div class="group">
      <ul>
        {shown.map((row) => (
          <Card
            key={row.key}
            cardKey={row.key}
            depth={row.depth}
            finish={finish.get(row.key) ?? ""}
            inside={inside.get(row.key) ?? 0}
          />
        ))}
      </ul>
      {folded.size > 0 && (
        <button
          type="button"
          class="group-more"
          aria-expanded={more.value}
          onClick={() => {
            more.value = !more.value;
          }}
        >
          <span>{more.value ? t.turn.less : t.turn.more(folded.size)}</span>
          <Icon name="chevron" class="chevron" />
        </button>
      )}
    </div>
  );
}

function countInside(rows: readonly CardRow[]): Map<string, number> {
  const inside = new Map<string, number>();
  for (const { parent } of rows) if (parent) inside.set(parent, (inside.get(parent) ?? 0) + 1);
  return inside;
}

/** "1st to finish", "2nd", …: only among calls that ran together. Those that ended in the same instant share a rank. */
function finishOrder(rows: readonly CardRow[], tools: ReadonlyMap<string, Tool>): Map<string, string> {
  const top = rows.filter((row) => row.depth === 0).flatMap((row) => tools.get(row.key) ?? []);
  const words = new Map<string, string>();
  if (top.length < 2 || !overlap(top)) return words;
  const ended = top.filter(isSettled).sort((a, b) => a.endedAt - b.endedAt);
  let first = true;
  for (const tool of ended) {
    const rank = ended.findIndex((other) => other.endedAt === tool.endedAt) + 1;
    words.set(tool.key, t.card.finish(t.card.ordinal(rank), !first));
    first = false;
  }
  return words;
}

/** Whether any two of them ran at the same time. */
export function overlap(tools: readonly Tool[]): boolean {
  const started = tools.filter((tool) => tool.startedAt > 0).sort((a, b) => a.startedAt - b.startedAt);
  let latestEnd = 0;
  for (const tool of started) {
    if (tool.startedAt < latestEnd) return true;
    latestEnd = Math.max(latestEnd, tool.endedAt || Number.POSITIVE_INFINITY);
  }
  return false;
}
