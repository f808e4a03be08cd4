import { batch, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type {
  Active,
  Break,
  Client,
  ErrorMessage,
  Message,
  Outcome,
  Presence,
  Queue,
  Run,
  RunStatus,
  RunWatch,
  SnapshotReason,
  Status,
  Tool,
  ToolStatus,
  Trimmed,
  Turn,
  View,
  WorkerState,
} from "@ringside/client";
import { type Section, sectionsOf } from "../lib/transcript.ts";
import { RunClock } from "./run-clock.ts";

/** The part of a view that belongs to no entity of its own. */
export interface Header {
  readonly runStatus: RunStatus;
  readonly turn: number;
  readonly worker: WorkerState;
  readonly outcome: Outcome;
  readonly outcomeText: string;
  readonly run: Run | undefined;
  readonly queue: Queue | undefined;
  readonly trimmed: Trimmed | undefined;
}

export type Counts = Readonly<Record<ToolStatus, number>>;

/** Something about how this page receives the run that people have to know. */
export type Note =
  | { readonly kind: "gap"; readonly seq: number; readonly from: number; readonly to: number }
  | { readonly kind: "resynced" }
  | { readonly kind: "unread" };

/** Things that happened, for whoever announces them. */
export type Happening =
  | { readonly kind: "turn"; readonly turn: number }
  | { readonly kind: "failed"; readonly tool: Tool }
  | { readonly kind: "settled" };

const noCounts: Counts = { composing: 0, preparing: 0, running: 0, done: 0, error: 0, lost: 0, skipped: 0 };

/** Snapshots that begin a watch; the others come in the midst of one. */
const newWatch: ReadonlySet<SnapshotReason> = new Set(["join", "unknown_position", "asked"]);

/**
 * One watched run as signals, one for each entity. Events are folded as they
 * arrive; signals are set at most once per frame, and not at all while the
 * page is hidden.
 */
export class RunStore {
  readonly run: string;
  readonly clock = new RunClock();
  readonly header: Signal<Header>;
  readonly active = signal<Active | undefined>(undefined);
  /** The turn whose message is written to its end, calls and all; -1 while one is being written, or none is known. */
  readonly writtenTurn = signal(-1);
  readonly sections = signal<readonly Section[]>([]);
  readonly counts = signal<Counts>(noCounts);
  /** False until the first snapshot has come. */
  readonly joined = signal(false);
  readonly seq = signal(0);
  readonly presence = signal<Presence | undefined>(undefined);
  readonly worker = signal<{ stale: boolean; heardAt: number } | undefined>(undefined);
  readonly store = signal<Status["store"]>("");
  readonly delivery = signal<Status["delivery"]>(undefined);
  readonly refused = signal<ErrorMessage | undefined>(undefined);
  /** Something that the hub sent could not be read, and the snapshot that makes up for it has not come yet. */
  readonly unread = signal(false);
  readonly note = signal<Note | undefined>(undefined);
  /** What is open and what is closed, by name; it outlives the components. */
  readonly #disclosures = new Map<string, Signal<boolean>>();
  readonly #tools = new Map<string, Signal<Tool | undefined>>();
  readonly #messages = new Map<string, Signal<Message | undefined>>();
  readonly #turns = new Map<number, Signal<Turn | undefined>>();
  readonly #statuses = new Map<string, ToolStatus>();
  readonly #listeners = new Set<(happening: Happening) => void>();
  readonly #watch: RunWatch;
  readonly #client: Client;
  #frame = 0;
  #lostAt = 0;
  #mismatch = false;

  constructor(client: Client, run: string) {
    this.run = run;
    this.#client = client;
    this.#watch = client.watch(run, {
      folded: (_, lastT) => this.#folded(lastT),
      reset: (reason) => this.#reset(reason),
      broken: (why: Break) => {
        this.#mismatch = why === "mismatch";
        this.unread.value = why === "undecodable";
      },
      status: (status) => this.#status(status),
      presence: (presence) => {
        this.presence.value = presence;
      },
      refused: (error) => {
        this.refused.value = error;
      },
    });
    this.header = signal(headerOf(this.view));
  }

  /** The folded view: read it, never keep its containers. */
  get view(): View {
    return this.#watch.follower.view;
  }

  get watch(): RunWatch {
    return this.#watch;
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#client.unwatch(this.#watch);
  }

  tool(key: string): ReadonlySignal<Tool | undefined> {
    return entry(this.#tools, key, () => this.view.tools.get(key));
  }

  message(id: string): ReadonlySignal<Message | undefined> {
    return entry(this.#messages, id, () => this.view.message(id));
  }

  turn(n: number): ReadonlySignal<Turn | undefined> {
    return entry(this.#turns, n, () => this.#turnNow(n));
  }

  /** When the first turn that is known began, 0 if none did. */
  firstTurnAt(): number {
    return this.view.turns[0]?.startedAt ?? 0;
  }

  /** Whether the part of that name is open. */
  disclosure(name: string, initially = false): Signal<boolean> {
    return entry(this.#disclosures, name, () => initially);
  }

  /** Is told what happened, once a frame at most. Returns what ends it. */
  onHappening(listener: (happening: Happening) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The link was lost; the last message had come at that time. */
  linkLost(heardAt: number): void {
    if (this.#lostAt === 0 && this.joined.value) this.#lostAt = heardAt;
    this.clock.stop(heardAt);
  }

  linkBack(): void {
    // A new watch begins with every update, and the hub tells only what changes.
    this.delivery.value = undefined;
    this.clock.go();
  }

  #folded(lastT: number): void {
    this.#lostAt = 0;
    this.refused.value = undefined;
    this.clock.heard(lastT, Date.now());
    this.#schedule();
  }

  #reset(reason: SnapshotReason): void {
    const now = Date.now();
    this.clock.joined(this.view, now);
    if (this.#mismatch) this.note.value = { kind: "resynced" };
    else if (this.unread.value && this.joined.value) this.note.value = { kind: "unread" };
    else if (this.#lostAt > 0 && reason !== "epoch") {
      this.note.value = { kind: "gap", seq: this.#watch.follower.position?.seq ?? 0, from: this.#lostAt, to: now };
    }
    this.#mismatch = false;
    this.#lostAt = 0;
    batch(() => {
      this.refused.value = undefined;
      this.unread.value = false;
      if (newWatch.has(reason)) this.delivery.value = undefined;
      this.#refreshAll();
    });
  }

  #status(status: Status): void {
    const { worker, store, delivery } = status;
    batch(() => {
      if (worker) this.worker.value = { stale: worker.stale, heardAt: Date.now() - worker.heardMs };
      if (store) this.store.value = store;
      if (delivery) this.delivery.value = delivery;
    });
  }

  #schedule(): void {
    // A hidden page gets no frames: it folds on and draws once when it is seen again.
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.flush();
    });
  }

  /** Brings every signal to what the view is now. */
  flush(): void {
    const changes = this.view.takeChanges();
    if (changes.size === 0) return;
    const happenings: Happening[] = [];
    batch(() => {
      const counts = { ...this.counts.value };
      for (const name of changes) this.#refresh(name, counts, happenings);
      this.writtenTurn.value = writtenTurn(this.view);
      this.counts.value = counts;
      this.seq.value = this.#watch.follower.position?.seq ?? 0;
    });
    for (const happening of happenings) for (const listener of this.#listeners) listener(happening);
  }

  #refresh(name: string, counts: Record<ToolStatus, number>, happenings: Happening[]): void {
    const view = this.view;
    const [kind, key = ""] = split(name);
    switch (kind) {
      case "header": {
        const before = this.header.value;
        this.header.value = headerOf(view);
        if (before.turn !== view.turn) happenings.push({ kind: "turn", turn: view.turn });
        if (before.runStatus !== "idle" && view.runStatus === "idle") happenings.push({ kind: "settled" });
        return;
      }
      case "active":
        this.active.value = view.active;
        return;
      case "timeline":
        this.sections.value = sectionsOf(view, this.sections.value);
        return;
      case "m":
        update(this.#messages, key, view.message(key));
        return;
      case "c":
        this.#refreshTool(key, counts, happenings);
        return;
      case "t":
        if (this.sections.value.at(-1)?.turn !== Number(key)) this.#refresh("timeline", counts, happenings);
        update(this.#turns, Number(key), this.#turnNow(Number(key)));
        return;
    }
  }

  #refreshTool(key: string, counts: Record<ToolStatus, number>, happenings: Happening[]): void {
    const tool = this.view.tools.get(key);
    const before = this.#statuses.get(key);
    if (before) counts[before]--;
    if (tool) {
      counts[tool.status]++;
      this.#statuses.set(key, tool.status);
      if (tool.status === "error" && before !== "error") happenings.push({ kind: "failed", tool });
    } else this.#statuses.delete(key);
    update(this.#tools, key, tool);
  }

  #refreshAll(): void {
    const view = this.view;
    view.takeChanges();
    this.header.value = headerOf(view);
    this.active.value = view.active;
    this.writtenTurn.value = writtenTurn(view);
    this.sections.value = sectionsOf(view, this.sections.value);
    this.seq.value = this.#watch.follower.position?.seq ?? 0;
    for (const [key, each] of this.#tools) each.value = view.tools.get(key);
    for (const [id, each] of this.#messages) each.value = view.message(id);
    for (const [n, each] of this.#turns) each.value = this.#turnNow(n);
    this.#statuses.clear();
    const counts = { ...noCounts };
    for (const [key, tool] of view.tools) {
      counts[tool.status]++;
      this.#statuses.set(key, tool.status);
    }
    this.counts.value = counts;
    this.joined.value = true;
  }

  #turnNow(n: number): Turn | undefined {
    return this.view.turns.findLast((turn) => turn.turn === n);
  }
}

function headerOf(view: View): Header {
  const { runStatus, turn, worker, outcome, outcomeText, run, queue, trimmed } = view;
  return { runStatus, turn, worker, outcome, outcomeText, run, queue, trimmed };
}

function writtenTurn(view: View): number {
  if (view.active) return -1;
  return view.messages.findLast((message) => message.role === "assistant")?.turn ?? -1;
}

/** "c/KEY" is ["c", "KEY"]; a key may hold slashes. */
function split(name: string): [kind: string, key?: string] {
  const slash = name.indexOf("/");
  return slash < 0 ? [name] : [name.slice(0, slash), name.slice(slash + 1)];
}

function entry<K, V>(all: Map<K, Signal<V>>, key: K, initial: () => V): Signal<V> {
  let found = all.get(key);
  if (!found) {
    found = signal(initial());
    all.set(key, found);
  }
  return found;
}

/** Sets the signal where somebody asked for it; what is gone is forgotten. */
function update<K, V>(all: Map<K, Signal<V | undefined>>, key: K, value: V | undefined): void {
  const found = all.get(key);
  if (!found) return;
  found.value = value;
  if (value === undefined) all.delete(key);
}
