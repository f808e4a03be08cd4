import type { Tool } from "@ringside/client";
import { stripAnsi } from "../lib/ansi.ts";
import { oneLine } from "../lib/args.ts";
import { grouped, headline, shortTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { now } from "../store/clock.ts";
import { CardDuration } from "./duration.tsx";
import { useRun } from "./run-context.ts";
import { Icon } from "./sprite.tsx";
import { StateGlyph } from "./state-glyph.tsx";

interface Props {
  tool: Tool;
  open: boolean;
  /** Where it finished among its group, "" if that says nothing. */
  finish: string;
  /** How many calls it made inside. */
  inside: number;
  bodyId: string;
  toggle: () => void;
}

/** A card's one line: glyph, name, arguments, what it is doing, time. The whole row toggles; the chevron is the button. */
export function CardRow({ tool, open, finish, inside, bodyId, toggle }: Props) {
  const name = tool.label || tool.name || t.card.unnamed;
  const writing = useWriting(tool);
  const onRow = () => {
    // Whoever selects text in the row does not want it to open.
    if (getSelection()?.isCollapsed ?? true) toggle();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the chevron is the button; the row only makes it larger for a pointer
    // biome-ignore lint/a11y/noStaticElementInteractions: as above
    <div class="card-row" onClick={onRow}>
      <StateGlyph status={tool.status} silent={tool.status === "composing"} />
      <span class="card-name" title={tool.name}>
        {name}
      </span>
      <code class={`card-args ${writing ? "is-composing" : ""}`}>{oneLine(tool.rawArgs)}</code>
      <span class="card-says">
        <CardSays tool={tool} writing={writing} finish={finish} />
        {inside > 0 && <span class="card-inside">{t.card.inside(inside)}</span>}
      </span>
      <CardDuration tool={tool} />
      <button
        type="button"
        class="card-toggle"
        aria-expanded={open}
        aria-controls={open ? bodyId : undefined}
        aria-label={open ? t.card.hide(name) : t.card.show(name)}
        onClick={(event) => {
          event.stopPropagation();
          toggle();
        }}
      >
        <Icon name="chevron" class="chevron" />
      </button>
      {tool.status === "error" && !open && (
        <span class="card-error">{headline(stripAnsi(tool.resultText.slice(0, 2000)))}</span>
      )}
    </div>
  );
}

/** Whether the model is still writing the call, as far as is known. Tools that run one by one leave written calls waiting. */
function useWriting(tool: Tool): boolean {
  const { writtenTurn } = useRun();
  return tool.status === "composing" && writtenTurn.value !== tool.turn;
}

/** What the card says about itself, in words that claim no more than is known. */
function CardSays({ tool, writing, finish }: { tool: Tool; writing: boolean; finish: string }) {
  const { status, late, conflict } = tool;
  switch (status) {
    case "composing":
      return <span>{writing ? t.card.composingLong : t.card.written}</span>;
    case "preparing":
      return <Preparing tool={tool} />;
    case "running":
      return <Progress tool={tool} />;
    case "lost":
      return <span>{lostText(tool)}</span>;
    case "skipped":
      return <span>{t.card.skippedLong}</span>;
    case "done":
    case "error":
      if (conflict) return <span class="s-error">{t.card.conflict}</span>;
      return <span class="finish">{late ? t.card.late : finish}</span>;
    default:
      return status satisfies never;
  }
}

/** A tool that never reports stays here until it ends. */
function Preparing({ tool }: { tool: Tool }) {
  const elapsed = useRun().clock.at(now.value) - tool.startedAt;
  return <span class="s-preparing">{elapsed >= 1000 ? t.card.noProgress : t.card.states.preparing}</span>;
}

/** A bar only where a total is known; otherwise words alone. */
function Progress({ tool }: { tool: Tool }) {
  const { done, total, phase } = tool;
  if (total > 0) {
    const text = t.card.of(done, total);
    return (
      <>
        <progress value={Math.min(done, total)} max={total} aria-label={t.card.progress} />
        <span class="num progress-count">{text}</span>
      </>
    );
  }
  const line = phase || lastLine(tool.progressText);
  return <span class="progress-text">{line || (done > 0 ? grouped(done) : t.card.states.running)}</span>;
}

function lastLine(text: string): string {
  return stripAnsi(text.slice(-2000)).trimEnd().split("\n").at(-1)?.trim() ?? "";
}

function lostText(tool: Tool): string {
  const time = shortTime(tool.endedAt, now.peek());
  if (tool.cause === "worker_lost") return t.card.lostWorker(time);
  return tool.cause === "run_ended" ? t.card.lostRun(time) : t.card.lostTurn(time);
}
