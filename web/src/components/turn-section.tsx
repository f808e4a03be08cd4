import { Component } from "preact";
import { duration, fullTime, grouped } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import type { Item, Section } from "../lib/transcript.ts";
import { Bubble } from "./bubble.tsx";
import { CardGroup, overlap } from "./card-group.tsx";
import { NoticeRow } from "./notice-row.tsx";
import { useRun } from "./run-context.ts";
import { useSettling } from "./use-settling.ts";

interface Props {
  section: Section;
  past: boolean;
}

/** One turn. Sections are reused while they are the same, so this draws only when something appeared. */
export class TurnSection extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    return next.section !== this.props.section || next.past !== this.props.past;
  }

  override render({ section, past }: Props) {
    return (
      <section class="turn" aria-label={section.turn > 0 ? t.turn.title(section.turn) : undefined}>
        {section.turn > 0 && <TurnHeading section={section} />}
        {section.items.map((item, i) => (
          <ItemView key={keyOf(item, i)} item={item} name={`${section.turn}/${keyOf(item, i)}`} past={past} />
        ))}
      </section>
    );
  }
}

/** A group is named by its first card, which stays first. */
function keyOf(item: Item, i: number): string {
  return item.kind === "cards" ? `cards/${item.rows[0]?.key ?? i}` : `${item.kind}/${item.key}`;
}

function ItemView({ item, name, past }: { item: Item; name: string; past: boolean }) {
  switch (item.kind) {
    case "message":
      return <Bubble id={item.key} />;
    case "cards":
      return <CardGroup name={name} rows={item.rows} past={past} />;
    case "notice":
      return <NoticeRow notice={item.notice} />;
    default:
      return item satisfies never;
  }
}

/** "Turn 4 · 6 tools in parallel · 4 running, 1 preparing". */
function TurnHeading({ section }: { section: Section }) {
  const store = useRun();
  const turn = store.turn(section.turn).value;
  const tools = useSettling(section.cards);
  const facts: string[] = [];
  if (tools.length > 0) {
    facts.push(overlap(tools) ? t.turn.parallel(tools.length) : t.turn.tools(tools.length));
    const states = (["running", "preparing", "composing", "done", "error", "lost", "skipped"] as const)
      .map((status) => [tools.filter((tool) => tool.status === status).length, t.card.states[status]] as const)
      .filter(([n]) => n > 0);
    if (states.length > 1 || turn?.endedAt === 0)
      facts.push(states.map(([n, word]) => `${grouped(n)} ${word}`).join(", "));
  }
  if (turn && turn.endedAt > 0 && turn.startedAt > 0) facts.push(duration(turn.endedAt - turn.startedAt));
  return (
    <header class="turn-head" title={fullTime(turn?.startedAt ?? 0)}>
      <h2>{t.turn.title(section.turn)}</h2>
      <span class="num">{facts.join(" · ")}</span>
    </header>
  );
}
