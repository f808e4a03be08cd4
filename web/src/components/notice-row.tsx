import type { Notice } from "@ringside/client";
import { fullTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";

/** Something that the host told. */
export function NoticeRow({ notice }: { notice: Notice }) {
  return (
    <p class="notice" title={fullTime(notice.at)}>
      {notice.kind && <span class="notice-kind">{notice.kind.replaceAll("_", " ")}</span>}
      <span>{notice.text}</span>
      {notice.redacted > 0 && <span class="notice-kind">{t.card.redacted(notice.redacted)}</span>}
    </p>
  );
}
