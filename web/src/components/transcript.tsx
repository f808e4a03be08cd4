import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Follow } from "../lib/follow.ts";
import { t } from "../lib/i18n.ts";
import { fragment } from "../lib/router.ts";
import type { Section } from "../lib/transcript.ts";
import type { RunStore } from "../store/run-store.ts";
import { EmptyState } from "./empty-state.tsx";
import { FollowContext } from "./follow-context.ts";
import { NewPill } from "./new-pill.tsx";
import { TurnSection } from "./turn-section.tsx";

/** So many of the newest turns are drawn at first; the rest on request. */
const turnsDrawn = 40;

/** The run from its first turn on. It follows the end until someone reads. */
export function Transcript({ store }: { store: RunStore }) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const following = useSignal(true);
  const seen = useSignal({ rows: 0, failed: 0 });
  const foldBefore = useSignal(store.header.peek().turn);
  const drawn = useSignal(turnsDrawn);
  const follow = useMemo(
    () =>
      new Follow((now) => {
        following.value = now;
      }),
    [following],
  );

  useEffect(() => {
    if (scroller.current && content.current) return follow.attach(scroller.current, content.current);
    return undefined;
  }, [follow]);

  // While someone reads, what came since is counted, and past turns keep their height.
  useSignalEffect(() => {
    const rows = rowCount(store);
    const failed = store.counts.value.error;
    const turn = store.header.value.turn;
    if (!following.value) return;
    seen.value = { rows, failed };
    foldBefore.value = turn;
  });

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "f" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      follow.resume();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [follow]);

  const sections = store.sections.value;
  const shown = sections.slice(-Math.max(drawn.value, turnsFromLinked(sections)));
  const hidden = sections.length - shown.length;
  const trimmed = store.header.value.trimmed?.turns ?? 0;
  return (
    <FollowContext.Provider value={follow}>
      <main class="scroll-frame">
        <div
          class={`scroll ${following.value ? "is-following" : ""}`}
          ref={scroller}
          role="log"
          aria-live="off"
          tabIndex={0}
        >
          <div class="transcript" ref={content}>
            {trimmed > 0 && <p class="hint">{t.run.trimmed(trimmed)}</p>}
            {hidden > 0 && (
              <button
                type="button"
                class="button earlier"
                onClick={() => {
                  follow.pause();
                  drawn.value += turnsDrawn;
                }}
              >
                {t.turn.earlier(Math.min(hidden, turnsDrawn))}
              </button>
            )}
            {sections.length === 0 && (
              <EmptyState title={t.empty.noEvents}>
                <p>{t.empty.noEventsLong}</p>
              </EmptyState>
            )}
            {shown.map((section) => (
              <TurnSection key={section.turn} section={section} past={section.turn < foldBefore.value} />
            ))}
          </div>
        </div>
        {!following.value && (
          <NewPill
            fresh={rowCount(store) - seen.value.rows}
            failed={store.counts.value.error - seen.value.failed}
            onClick={() => follow.resume()}
          />
        )}
      </main>
    </FollowContext.Provider>
  );
}

/** How many of the last turns it takes to draw the card that a link leads to. */
function turnsFromLinked(sections: readonly Section[]): number {
  const linked = fragment.value.get("c");
  const i = linked === null ? -1 : sections.findIndex((section) => section.cards.includes(linked));
  return i < 0 ? 0 : sections.length - i;
}

/** How many things can be seen: messages, cards and notices. */
function rowCount(store: RunStore): number {
  let rows = 0;
  for (const section of store.sections.value) {
    for (const item of section.items) rows += item.kind === "cards" ? item.rows.length : 1;
  }
  return rows;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
