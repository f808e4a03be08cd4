import { signal } from "@preact/signals";
import { Client, type Link, platformSocket, type RunSummary } from "@ringside/client";
import { announce } from "../lib/announce.ts";
import { t } from "../lib/i18n.ts";
import { RunStore } from "./run-store.ts";

/** The page's one connection and what is watched over it. */
export class AppStore {
  readonly link = signal<Link>({ state: "connecting", attempt: 1 });
  /** When the hub was last heard before the link was lost. */
  readonly lostAt = signal(0);
  readonly runs = signal<readonly RunSummary[] | undefined>(undefined);
  readonly client: Client;
  #run: RunStore | undefined;
  #runsFrame = 0;

  constructor(url: string, open = platformSocket) {
    this.client = new Client(
      { url, open, hello: () => ({ client: "ringside-web" }) },
      { link: (link) => this.#link(link) },
    );
  }

  start(): void {
    this.client.connection.open();
    // A machine that slept, or a network that changed, is noticed without waiting for a timer.
    addEventListener("online", () => this.client.connection.retryNow());
    document.addEventListener("visibilitychange", () => this.client.connection.verify());
  }

  /** Watches this run until another one or none is asked for. */
  openRun(run: string): RunStore {
    if (this.#run?.run !== run) {
      this.closeRun();
      this.#run = new RunStore(this.client, run);
    }
    return this.#run;
  }

  closeRun(): void {
    this.#run?.close();
    this.#run = undefined;
  }

  get openedRun(): RunStore | undefined {
    return this.#run;
  }

  /** Watches the list of runs. Returns what ends it. */
  openRuns(): () => void {
    return this.client.watchRuns({
      runs: (all) => {
        this.#runsFrame ||= requestAnimationFrame(() => {
          this.#runsFrame = 0;
          this.runs.value = [...all.values()].sort(newestFirst);
        });
      },
    });
  }

  #link(link: Link): void {
    const before = this.link.value.state;
    const heardAt = this.client.connection.heardAt;
    if (before === "live" && link.state !== "live") {
      this.lostAt.value = heardAt;
      this.#run?.linkLost(heardAt);
      announce(t.announce.linkLost);
    }
    if (link.state === "live") {
      if (this.lostAt.value > 0) announce(t.announce.linkBack);
      this.lostAt.value = 0;
      this.#run?.linkBack();
    }
    this.link.value = link;
  }
}

/** By their start, so that rows do not move while they are read. */
function newestFirst(a: RunSummary, b: RunSummary): number {
  return b.startedAt - a.startedAt || (a.run < b.run ? -1 : 1);
}
