import type { ToolStatus } from "@ringside/client";
import { t } from "../lib/i18n.ts";
import { Icon } from "./sprite.tsx";

/**
 * A card's state as its own glyph and its own word. The word is for those who
 * do not see the glyph; where it stands beside the glyph anyway, it is left out.
 */
export function StateGlyph({ status, silent = false }: { status: ToolStatus; silent?: boolean }) {
  return (
    <span class={`glyph s-${status}`}>
      {status === "running" ? (
        // A quick tool must not flicker: the running glyph takes over after a moment.
        <>
          <Icon name="preparing" class="until-running" />
          <Icon name="running" class="once-running" />
        </>
      ) : (
        <Icon name={status} />
      )}
      {!silent && <span class="offscreen">{t.card.states[status]}</span>}
    </span>
  );
}
