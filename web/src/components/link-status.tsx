import type { Link } from "@ringside/client";
import { closeCode } from "@ringside/client";
import { grouped, ticking, timeOfDay } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { now } from "../store/clock.ts";
import { Banner } from "./banner.tsx";

const words: Record<Link["state"], string> = {
  connecting: t.link.connecting,
  live: t.link.live,
  waiting: t.link.lost,
  stopped: t.link.stopped,
};

/** Live, or not, in one word. */
export function LinkDot({ link }: { link: Link }) {
  return (
    <span class={`link-dot is-${link.state}`}>
      <span class="dot" aria-hidden="true" />
      {words[link.state]}
    </span>
  );
}

interface Props {
  link: Link;
  /** When the hub was last heard, 0 if it never was. */
  lostAt: number;
  retry: () => void;
}

/** Says that what is shown may be old, since when, and what happens next. */
export function LinkBanner({ link, lostAt, retry }: Props) {
  const action = (
    <button type="button" class="button" onClick={retry}>
      {t.link.retryNow}
    </button>
  );
  const asOf = lostAt > 0 && t.link.asOf(timeOfDay(lostAt), ticking(now.value - lostAt));
  switch (link.state) {
    case "live":
      return null;
    case "connecting":
      if (lostAt === 0 && link.attempt === 1) return null;
      return (
        <Banner tone="warn" icon="warning" title={t.link.reconnectingNow}>
          {asOf} {t.link.attempt(link.attempt)}
        </Banner>
      );
    case "waiting": {
      const seconds = Math.max(1, Math.ceil((link.retryAt - now.value) / 1000));
      return (
        <Banner tone="warn" icon="warning" title={t.link.reconnectingIn(seconds)} actions={action}>
          {asOf} {t.link.attempt(link.attempt)}
        </Banner>
      );
    }
    case "stopped":
      return (
        <Banner tone="warn" icon="warning" title={stoppedText(link.code, link.reason)} actions={action}>
          {asOf}
        </Banner>
      );
    default:
      return link satisfies never;
  }
}

function stoppedText(code: number, reason: string): string {
  if (code === closeCode.token) return t.link.expired;
  if (code === closeCode.forbidden) return t.link.forbidden;
  return t.link.refused(reason || grouped(code));
}
