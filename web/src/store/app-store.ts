import { batch, signal } from "@preact/signals";
import { Client, type Link, type ListedRun, platformSocket } from "@ringside/client";
import { announce } from "../lib/announce.ts";
import { t } from "../lib/i18n.ts";
import { RunStore } from "./run-store.ts";

/** The page's one connection and what is watched over it. */
export class AppStore {
  readonly link = signal<Link>({ state: "connecting", attempt: 1 });
  /** When the hub was last heard before the link was lost. */
  readonly lostAt = signal(0);
  readonly runs = signal<readonly ListedRun[] | undefined>(undefined);
  /** Until when the list of runs is known: 0 for now, else when it was last watched over a link that lived. */
  readonly runsKnownAt = signal(0);
  /** The run that is watched. */
  readonly opened = signal<RunStore | undefined>(undefined);
  readonly client: Client;
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

  /** Watches this run in place of any other. Returns what ends it. */
  openRun(run: string): () => void {
    this.opened.value?.close();
    const store = new RunStore(this.client, run);
    this.opened.value = store;
    return () => {
      if (this.opened.value !== store) return;
      this.opened.value = undefined;
      store.close();
    };
  }

  /** Watches the list of runs. Returns what ends it. */
  openRuns(): () => void {
    const stop = this.client.watchRuns({
      runs: (all) => {
        this.#runsFrame ||= requestAnimationFrame(() => {
          this.#runsFrame = 0;
          batch(() => {
            this.runs.value = [...all.values()].sort(newestFirst);
            if (this.link.value.state === "live") this.runsKnownAt.value = 0;
          });
        });
      },
    });
    return () => {
      stop();
      cancelAnimationFrame(this.#runsFrame);
      this.#runsFrame = 0;
      this.runsKnownAt.value ||= Date.now();
    };
  }

  #link(link: Link): void {
    const before = this.link.value.state;
    const heardAt = this.client.connection.heardAt;
    if (before === "live" && link.state !== "live") {
      this.lostAt.value = heardAt;
      this.runsKnownAt.value ||= heardAt;
      this.opened.value?.linkLost(heardAt);
      announce(t.announce.linkLost);
    }
    if (link.state === "live") {
      if (this.lostAt.value > 0) announce(t.announce.linkBack);
      this.lostAt.value = 0;
      this.opened.value?.linkBack();
    }
    this.link.value = link;
  }
}

/** By their start, so that rows do not move while they are read. */
function newestFirst(a: ListedRun, b: ListedRun): number {
  return b.startedAt - a.startedAt || (a.run < b.run ? -1 : 1);
}
