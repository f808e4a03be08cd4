import { type HubMessage, missing, type RunSummary, type Stats } from "../protocol/index.ts";
import { Connection, type ConnectionOptions, type Link } from "./connection.ts";
import { type RunHandlers, RunWatch } from "./run-watch.ts";

export interface ClientHandlers {
  link?(link: Link): void;
  /** Something arrived that is no message of the protocol, or an error that belongs to no watch. */
  problem?(text: string): void;
}

export interface ListedRun extends RunSummary {
  /** When the worker was last heard, by this machine's clock; 0 if nobody holds the run. */
  readonly heardAt: number;
}

export interface RunsHandlers {
  /** The list changed. The Map is the client's own: read it, do not keep it. */
  runs(all: ReadonlyMap<string, ListedRun>): void;
  stats?(stats: Stats): void;
}

/**
 * A connection together with what is watched over it: watches are asked for
 * again, from where they were, whenever the link is back.
 */
export class Client {
  readonly connection: Connection;
  readonly #handlers: ClientHandlers;
  readonly #runs = new Map<string, RunWatch>();
  #list: { readonly handlers: RunsHandlers; all: Map<string, ListedRun> } | undefined;

  constructor(options: ConnectionOptions, handlers: ClientHandlers = {}) {
    this.#handlers = handlers;
    this.connection = new Connection(options, {
      link: (link) => this.#link(link),
      message: (message) => this.#message(message),
      undecodable: (error, frame) => this.#undecodable(error, frame),
    });
  }

  /** Watches a run until the watch is closed. One watch for each run. */
  watch(run: string, handlers: RunHandlers): RunWatch {
    if (this.#runs.has(run)) throw new Error(`run ${run} is watched already`);
    const watch = new RunWatch(run, (message) => this.connection.send(message), handlers);
    this.#runs.set(run, watch);
    return watch;
  }

  unwatch(watch: RunWatch): void {
    if (this.#runs.get(watch.run) !== watch) return;
    this.#runs.delete(watch.run);
    watch.close();
  }

  /** Watches the list of runs; a second call replaces the first. Returns what ends it. */
  watchRuns(handlers: RunsHandlers): () => void {
    const list = { handlers, all: new Map<string, ListedRun>() };
    this.#list = list;
    this.connection.send({ type: "watch_runs" });
    return () => {
      if (this.#list !== list) return;
      this.#list = undefined;
      this.connection.send({ type: "unwatch_runs" });
    };
  }

  #link(link: Link): void {
    if (link.state === "live") {
      for (const watch of this.#runs.values()) watch.ask();
      if (this.#list) this.connection.send({ type: "watch_runs" });
    } else {
      for (const watch of this.#runs.values()) watch.linkLost();
    }
    this.#handlers.link?.(link);
  }

  #message(message: HubMessage): void {
    if (message.type === "runs") return this.#listed(message);
    if (message.type === "stats") return this.#list?.handlers.stats?.(message);
    if (!("run" in message)) return;
    const watch = this.#runs.get(message.run);
    if (watch) watch.received(message);
    else if (message.type === "error") this.#handlers.problem?.(`${message.code}: ${message.message}`);
  }

  #undecodable(error: string, frame: unknown): void {
    this.#handlers.problem?.(error);
    for (const watch of this.#runs.values()) watch.undecodable(missing(frame, watch.run));
  }

  #listed(message: Extract<HubMessage, { type: "runs" }>): void {
    const list = this.#list;
    if (!list) return;
    if (message.full) list.all = new Map();
    const now = Date.now();
    for (const run of message.runs) list.all.set(run.run, { ...run, heardAt: run.heardMs < 0 ? 0 : now - run.heardMs });
    for (const run of message.gone) list.all.delete(run);
    list.handlers.runs(list.all);
  }
}
