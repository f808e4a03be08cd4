import { t } from "../lib/i18n.ts";
import { Icon } from "./sprite.tsx";

interface Props {
  fresh: number;
  failed: number;
  onClick: () => void;
}

/** Says that the end is not followed, and what has come since. */
export function NewPill({ fresh, failed, onClick }: Props) {
  return (
    <button type="button" class="pill" onClick={onClick} title={t.follow.off} aria-keyshortcuts="f">
      <Icon name="down" />
      <span class="num">{fresh > 0 ? t.follow.fresh(fresh) : t.follow.latest}</span>
      {failed > 0 && <span class="pill-failed num">{t.follow.failed(failed)}</span>}
    </button>
  );
}
