import type { ToolStatus } from "@ringside/client";
import { toolStatuses } from "@ringside/client";
import { grouped } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import type { Counts } from "../store/run-store.ts";
import { StateGlyph } from "./state-glyph.tsx";

/** Most urgent first. */
const order: readonly ToolStatus[] = ["running", "preparing", "composing", "done", "error", "lost", "skipped"];
if (order.length !== toolStatuses.length) throw new Error("a card state has no place among the counts");

/** How many cards are in each state; states that no card is in are left out. */
export function CountsBar({ counts }: { counts: Counts }) {
  const shown = order.filter((status) => counts[status] > 0);
  return (
    <ul class={`counts ${shown.length > 4 ? "is-long" : ""}`}>
      {shown.map((status) => (
        <li key={status} title={t.card.states[status]}>
          <StateGlyph status={status} silent />
          <span class="num">{grouped(counts[status])}</span> <span class="word">{t.card.states[status]}</span>
        </li>
      ))}
    </ul>
  );
}
