import type { TimelineItem, Trimmed } from "../protocol/index.ts";
import { some } from "./some.ts";
import type { View } from "./view.ts";

/** Forgets the messages, cards, notices and summaries of turns before the given one, and counts them. */
export function foldTrim(view: View, before: number): void {
  const forgotten = new Set<string>();
  const count = { ...(view.trimmed ?? { turns: 0, messages: 0, tools: 0, notices: 0 }) };
  view.messages = view.messages.filter((message) => {
    if (message.turn >= before) return true;
    count.messages++;
    forgotten.add(rowName({ kind: "message", key: message.id }));
    view.touch(`m/${message.id}`);
    return false;
  });
  for (const [key, tool] of view.tools) {
    if (tool.turn >= before) continue;
    count.tools++;
    view.tools.delete(key);
    forgotten.add(rowName({ kind: "tool", key })).add(rowName({ kind: "toolResult", key }));
    view.touch(`c/${key}`);
  }
  trimNotices(view, before, count, forgotten);
  view.turns = view.turns.filter((turn) => {
    if (turn.turn >= before) return true;
    count.turns++;
    view.touch(`t/${turn.turn}`);
    return false;
  });
  view.timeline = view.timeline.filter((item) => !forgotten.has(rowName(item)));
  view.trimmed = some(count);
  view.reindex();
  view.touch("header");
  view.touch("timeline");
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Notices are named by index in the hash, so all of them change. */
function trimNotices(view: View, before: number, count: Writable<Trimmed>, forgotten: Set<string>): void {
  for (const i of view.notices.keys()) view.touch(`n/${i}`);
  view.notices = view.notices.filter((notice) => {
    if (notice.turn >= before) return true;
    count.notices++;
    forgotten.add(rowName({ kind: "notice", key: notice.id }));
    return false;
  });
}

function rowName(item: TimelineItem): string {
  return `${item.kind}/${item.key}`;
}
