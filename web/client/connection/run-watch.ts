import type {
  ClientMessage,
  ErrorMessage,
  HubMessage,
  Missing,
  Presence,
  SnapshotReason,
  Status,
} from "../protocol/index.ts";
import type { HashJob } from "../state/index.ts";
import { type Break, type Followed, RunFollower } from "../state/run-follower.ts";

export interface RunHandlers {
  /** Events were folded; lastT is the newest one's time. */
  folded?(events: number, lastT: number): void;
  /** A snapshot replaced the view. */
  reset?(reason: SnapshotReason): void;
  status?(status: Status): void;
  presence?(presence: Presence): void;
  /** The view could not be continued, and a snapshot was asked for. */
  broken?(why: Break): void;
  /** The hub's hash was compared with the view's own. */
  checked?(equal: boolean): void;
  /** The hub does not serve this run, or not now; it is asked again from time to time. */
  refused?(error: ErrorMessage): void;
}

/** How long a refused watch waits until it asks again. */
const askAgainMs = 5_000;
/** A view that is replaced again and again is replaced ever more rarely. */
const firstResyncMs = 1_000;
const longestResyncMs = 60_000;
/** A hash is computed in pieces of this length. */
const sliceMs = 4;

/** One watched run. It resumes after a lost link and replaces a view that is not the hub's. */
export class RunWatch {
  readonly run: string;
  readonly follower = new RunFollower();
  readonly #send: (message: ClientMessage) => boolean;
  readonly #handlers: RunHandlers;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hashing: ReturnType<typeof setTimeout> | undefined;
  /** A snapshot will be asked for when the timer fires. */
  #resyncing = false;
  #resyncMs = 0;
  #lastResync = 0;
  #closed = false;

  constructor(run: string, send: (message: ClientMessage) => boolean, handlers: RunHandlers) {
    this.run = run;
    this.#send = send;
    this.#handlers = handlers;
    this.ask();
  }

  /** Asks for the run from where the view is. Called whenever the link is live anew. */
  ask(): void {
    if (this.#closed) return;
    this.#stopWaiting();
    const from = this.follower.resumeFrom;
    this.#send({ type: "watch", run: this.run, ...(from && { from }) });
  }

  /** Says what this person is looking at: a card's key or "". */
  look(target: string): void {
    this.#send({ type: "look", run: this.run, target });
  }

  /** Asks the hub for its hash, to compare. */
  check(): void {
    this.#send({ type: "check", run: this.run });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.linkLost();
    this.#send({ type: "unwatch", run: this.run });
  }

  /** Ends what only makes sense on a live link. */
  linkLost(): void {
    this.#stopWaiting();
    this.#stopHashing();
  }

  /** A message could not be decoded, and this is what it would have told. */
  undecodable(missing: Missing): void {
    if (!this.#closed) this.#followed(this.follower.undecodable(missing));
  }

  received(message: HubMessage): void {
    if (this.#closed) return;
    switch (message.type) {
      case "snapshot":
        return this.#followed(this.follower.snapshot(message));
      case "events":
        return this.#followed(this.follower.events(message));
      case "merged":
        return this.#followed(this.follower.merged(message));
      case "check":
        return this.#followed(this.follower.check(message));
      case "status":
        return this.#handlers.status?.(message);
      case "presence":
        return this.#handlers.presence?.(message);
      case "error":
        if (message.re === "watch") this.#refused(message);
        return;
      default:
        return;
    }
  }

  #followed(followed: Followed): void {
    switch (followed.kind) {
      case "ignored":
        return;
      case "folded":
        return this.#handlers.folded?.(followed.events, followed.lastT);
      case "reset":
        this.#stopHashing();
        return this.#handlers.reset?.(followed.reason);
      case "check":
        if (this.#hashing === undefined) this.#hash(followed.job, followed.expected);
        return;
      case "broken":
        return this.#resync(followed.why);
      default:
        return unreachable(followed);
    }
  }

  #hash(job: HashJob, expected: string): void {
    this.#hashing = setTimeout(() => {
      const until = Date.now() + sliceMs;
      const hash = job.step(() => Date.now() >= until);
      if (hash === undefined) return this.#hash(job, expected);
      this.#stopHashing();
      if (hash === expected) this.#resyncMs = 0;
      this.#handlers.checked?.(hash === expected);
      if (hash !== expected) this.#followed(this.follower.break("mismatch"));
    });
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer);
    this.#resyncing = false;
  }

  #stopHashing(): void {
    clearTimeout(this.#hashing);
    this.#hashing = undefined;
  }

  #resync(why: Break): void {
    this.#handlers.broken?.(why);
    if (this.#resyncing) return;
    this.#stopWaiting();
    this.#resyncing = true;
    const wait = this.#lastResync + this.#resyncMs - Date.now();
    this.#resyncMs = Math.min(longestResyncMs, this.#resyncMs * 2 || firstResyncMs);
    this.#timer = setTimeout(
      () => {
        this.#lastResync = Date.now();
        this.ask();
      },
      Math.max(0, wait),
    );
  }

  #refused(error: ErrorMessage): void {
    this.#handlers.refused?.(error);
    this.#stopWaiting();
    if (error.code !== "forbidden") this.#timer = setTimeout(() => this.ask(), askAgainMs);
  }
}

function unreachable(value: never): never {
  throw new Error(`not handled: ${JSON.stringify(value)}`);
}
