import { signal } from "@preact/signals";

/** What the one polite status region says. */
export const announcement = signal("");

const pauseMs = 3_000;
let waiting: string | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Tells people who listen to the page: boundaries only, and at most one message in three seconds (the newest). */
export function announce(text: string): void {
  if (timer !== undefined) {
    waiting = text;
    return;
  }
  announcement.value = text;
  timer = setTimeout(() => {
    timer = undefined;
    const next = waiting;
    waiting = undefined;
    if (next !== undefined) announce(next);
  }, pauseMs);
}
