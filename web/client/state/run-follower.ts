import type {
  Check,
  Events,
  Merged,
  Missing,
  Position,
  ProjectedEvent,
  Snapshot,
  SnapshotReason,
} from "../protocol/index.ts";
import { apply } from "./fold.ts";
import { HashJob } from "./hash.ts";
import { View } from "./view.ts";

/** Why a follower cannot go on from where it is and needs a snapshot. */
export type Break = "gap" | "epoch" | "mismatch" | "undecodable";

/** What a message did. */
export type Followed =
  | { readonly kind: "ignored" }
  /** The view was replaced. */
  | { readonly kind: "reset"; readonly reason: SnapshotReason }
  /** So many events were folded. */
  | { readonly kind: "folded"; readonly events: number; readonly lastT: number }
  /** The hub's hash is for exactly this view; finish the job and compare. */
  | { readonly kind: "check"; readonly job: HashJob; readonly expected: string }
  | { readonly kind: "broken"; readonly why: Break };

const ignored: Followed = { kind: "ignored" };

/**
 * One run as its messages tell it: a view and the position it is at. It folds
 * only what continues that position. After a break it ignores everything until
 * a snapshot comes; asking for that is the caller's part.
 */
export class RunFollower {
  view = new View();
  /** Undefined until the first snapshot. */
  position: Position | undefined;
  /** How often the view had to be replaced because it was not the hub's, or because a message could not be decoded. */
  resyncs = 0;
  #broken = false;

  /** The position to resume from, or undefined where a snapshot is needed. */
  get resumeFrom(): Position | undefined {
    return this.#broken ? undefined : this.position;
  }

  snapshot(message: Snapshot): Followed {
    this.view = View.from(message.view);
    this.position = { epoch: message.epoch, seq: message.seq };
    this.#broken = false;
    return { kind: "reset", reason: message.reason };
  }

  events(message: Events): Followed {
    return this.#fold(message.epoch, message.seq, message.seq + message.events.length - 1, (seq) =>
      message.events.slice(Math.max(0, seq - message.seq)),
    );
  }

  merged(message: Merged): Followed {
    return this.#fold(message.epoch, message.from, message.to, (seq) =>
      message.entries.flatMap(([at, event]) => (at >= seq ? event : [])),
    );
  }

  /** Folds what of first..last is new; a batch may begin before the position, never after it. */
  #fold(epoch: string, first: number, last: number, from: (seq: number) => readonly ProjectedEvent[]): Followed {
    const at = this.resumeFrom;
    if (!at) return ignored;
    if (epoch !== at.epoch) return this.break("epoch");
    if (last <= at.seq) return ignored;
    if (first > at.seq + 1) return this.break("gap");
    const events = from(at.seq + 1);
    for (const event of events) apply(this.view, event);
    this.position = { epoch, seq: last };
    return { kind: "folded", events: events.length, lastT: events.at(-1)?.t ?? 0 };
  }

  /** A hash counts only at its exact position. */
  check(message: Check): Followed {
    const at = this.resumeFrom;
    if (!at || at.epoch !== message.epoch || at.seq !== message.seq) return ignored;
    return { kind: "check", job: new HashJob(this.view), expected: message.hash };
  }

  /** A message could not be decoded. While a snapshot is due, only a missing snapshot matters. */
  undecodable(missing: Missing): Followed {
    if (missing === "nothing" || (missing === "events" && !this.resumeFrom)) return ignored;
    return this.break("undecodable");
  }

  /** Notes that the view cannot be continued. */
  break(why: Break): Followed {
    this.#broken = true;
    if (why === "mismatch" || why === "undecodable") this.resyncs++;
    return { kind: "broken", why };
  }
}
