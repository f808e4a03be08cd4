import type { Presence } from "@ringside/client";
import { t } from "../lib/i18n.ts";

const shown = 3;

/** Who watches: initials of the first few, and how many more. A name is text, never markup. */
export function PresenceBar({ presence }: { presence: Presence | undefined }) {
  if (!presence || presence.watching < 1) return null;
  const named = presence.people.filter((person) => person.name !== "").slice(0, shown);
  const more = presence.watching - named.length;
  return (
    <span class="presence" title={t.run.watching(presence.watching)}>
      <span class="offscreen">{t.run.watching(presence.watching)}</span>
      <span class="avatars" aria-hidden="true">
        {named.map((person) => (
          <bdi key={person.observer} class="avatar" title={person.name}>
            {initials(person.name)}
          </bdi>
        ))}
        {more > 0 && <span class="avatar count">{named.length > 0 ? `+${more}` : more}</span>}
      </span>
    </span>
  );
}

/** "Mia Krüger" is MK, "李雷" is 李; whoever has no name but the hub's, "Viewer 23", is 23. */
export function initials(name: string): string {
  const number = /^Viewer (\d{1,4})$/.exec(name)?.[1];
  if (number) return number;
  const [first, ...rest] = name.trim().split(/\s+/u);
  const letter = (word: string | undefined) => [...(word ?? "")][0]?.toUpperCase() ?? "";
  return letter(first) + letter(rest.at(-1));
}
