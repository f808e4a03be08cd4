import { type ClientMessage, type HubMessage, missing } from "../protocol/index.ts";

/** Used where a hub does not say. */
const defaultHeartbeatMs = 5_000;
/** So many heartbeats in silence are a dead link. An unlikely heartbeat is not believed: silence is within these bounds. */
const heartbeats = 2.5;
const shortestMs = 1_000;
const longestMs = 300_000;
/** A large message may take so long. A browser shows none of it until it is whole, so meanwhile silence is no sign. */
const largeMs = 60_000;

const list = "runs";
const nameOf = (run: string) => `run/${run}`;

/** Knows how long a link may be silent before it counts as dead. Times are of this machine's clock. */
export class Silence {
  #usualMs: number;
  #heardAt: number;
  /** What may be large and has not come yet: the list, or a run and whether it has to be a snapshot. */
  readonly #due = new Map<string, { readonly run: string; readonly snapshot: boolean }>();
  #dueUntil = 0;

  /** The first message may take that long. */
  constructor(firstMs: number, now: number) {
    this.#usualMs = firstMs;
    this.#heardAt = now;
  }

  /** When the link counts as dead if nothing comes until then. */
  get deadline(): number {
    return Math.max(this.#heardAt + this.#usualMs, this.#due.size > 0 ? this.#dueUntil : 0);
  }

  welcomed(heartbeatMs: number): void {
    this.#usualMs = Math.min(longestMs, Math.max(shortestMs, heartbeats * (heartbeatMs || defaultHeartbeatMs)));
  }

  sent(message: ClientMessage, now: number): void {
    if (message.type === "watch") this.#await(nameOf(message.run), message.run, message.from === undefined, now);
    else if (message.type === "unwatch") this.#due.delete(nameOf(message.run));
    else if (message.type === "watch_runs") this.#await(list, "", false, now);
    else if (message.type === "unwatch_runs") this.#due.delete(list);
  }

  received(message: HubMessage, now: number): void {
    this.#heardAt = now;
    if (message.type === "runs") this.#due.delete(list);
    if (!("run" in message)) return;
    const name = nameOf(message.run);
    // What a watch that was asked for anew still gets says nothing about its snapshot.
    const ends = message.type === "snapshot" || message.type === "error" || !this.#due.get(name)?.snapshot;
    if (ends) this.#due.delete(name);
    if (message.type === "status" && message.delivery?.step === "snapshot") {
      this.#await(name, message.run, true, now);
    }
  }

  /** A frame that could not be decoded came: it may have been what was due. */
  undecodable(frame: unknown, now: number): void {
    this.#heardAt = now;
    for (const [name, { run }] of this.#due) {
      if (name === list ? missing(frame, "") === "view" : missing(frame, run) !== "nothing") this.#due.delete(name);
    }
  }

  #await(name: string, run: string, snapshot: boolean, now: number): void {
    this.#due.set(name, { run, snapshot });
    this.#dueUntil = now + largeMs;
  }
}
