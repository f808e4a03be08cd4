/** What a follower of a run lacks after a frame that could not be decoded. */
export type Missing = "nothing" | "events" | "view";

const kinds: ReadonlyMap<unknown, Missing> = new Map([
  ["snapshot", "view"],
  ["events", "events"],
  ["merged", "events"],
]);

/**
 * Says what a frame that could not be decoded may have told of a run. One that
 * names another run, or is of a kind that carries no events, told nothing of
 * it; one that cannot be read at all may have been anything.
 */
export function missing(frame: unknown, run: string): Missing {
  const message = parse(frame);
  if (!message || typeof message.type !== "string") return "view";
  if (typeof message.run === "string" && message.run !== run) return "nothing";
  return kinds.get(message.type) ?? "nothing";
}

function parse(frame: unknown): { readonly type?: unknown; readonly run?: unknown } | undefined {
  if (typeof frame !== "string") return undefined;
  try {
    const value: unknown = JSON.parse(frame);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
