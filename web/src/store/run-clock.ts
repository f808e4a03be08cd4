import type { View } from "@ringside/client";

/** How far behind this machine a run may plausibly be; more means a recorded run, or a clock that is wrong. */
const plausibleMs = 24 * 3600 * 1000;
const aheadMs = 2_000;

/**
 * What time it is for a run. Its times are of its worker's clock, or of the
 * day it was recorded, so they are compared with each other: the newest event
 * was "now" when it arrived.
 */
export class RunClock {
  /** This machine's time minus the run's. */
  #offset = 0;
  #stoppedAt = Number.POSITIVE_INFINITY;

  /** An event of the run's time t arrived just now. */
  heard(t: number, now: number): void {
    if (t > 0) this.#offset = now - t;
  }

  /** A snapshot arrived: its newest time is a bound, not an arrival. */
  joined(view: View, now: number): void {
    const newest = newestTime(view);
    const behind = now - newest;
    if (newest > 0) this.#offset = behind < -aheadMs || behind > plausibleMs ? behind : 0;
  }

  /** The link is lost: what time it is for the run is not known any more. */
  stop(now: number): void {
    this.#stoppedAt = now;
  }

  go(): void {
    this.#stoppedAt = Number.POSITIVE_INFINITY;
  }

  /** The run's time at this machine's time. */
  at(now: number): number {
    return Math.min(now, this.#stoppedAt) - this.#offset;
  }
}

function newestTime(view: View): number {
  let newest = view.active?.startedAt ?? 0;
  for (const tool of view.tools.values()) newest = Math.max(newest, tool.startedAt, tool.endedAt);
  for (const message of view.messages) newest = Math.max(newest, message.at);
  for (const turn of view.turns) newest = Math.max(newest, turn.startedAt, turn.endedAt);
  return newest;
}
