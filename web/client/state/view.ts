import type {
  Active,
  Message,
  Notice,
  Outcome,
  Queue,
  Run,
  RunStatus,
  TimelineItem,
  TimelineKind,
  Tool,
  Trimmed,
  Turn,
  ViewData,
  WorkerState,
} from "../protocol/index.ts";

/**
 * The state that folding a run's events gives. The view owns its containers
 * and changes them in place; entities (messages, cards, turns, notices) are
 * immutable and replaced, so whatever was read stays valid. Readers must not
 * change the containers.
 *
 * Each change is noted by the entity's name: `header`, `active`, `timeline`,
 * `m/ID`, `c/KEY`, `t/N`, `n/INDEX` (the names of the hash). See takeChanges.
 */
export class View {
  runStatus: RunStatus = "idle";
  turn = 0;
  worker: WorkerState = "";
  outcome: Outcome = "";
  outcomeText = "";
  fresh = false;
  run: Run | undefined;
  active: Active | undefined;
  messages: Message[] = [];
  readonly tools = new Map<string, Tool>();
  timeline: TimelineItem[] = [];
  turns: Turn[] = [];
  queue: Queue | undefined;
  notices: Notice[] = [];
  strays = 0;
  trimmed: Trimmed | undefined;

  /** Keys of the cards that are composing, preparing or running. */
  readonly open = new Set<string>();
  /** Digests of the two parts that are no entity of their own. The hash keeps them here until they change. */
  readonly partDigests = new Map<string, string>();
  readonly #messageIndex = new Map<string, number>();
  #changes = new Set<string>();

  static from(data: ViewData): View {
    const v = new View();
    v.runStatus = data.runStatus;
    v.turn = data.turn;
    v.worker = data.worker;
    v.outcome = data.outcome;
    v.outcomeText = data.outcomeText;
    v.fresh = data.fresh;
    v.run = data.run;
    v.active = data.activeAssistant;
    v.messages = [...data.messages];
    for (const [key, tool] of data.tools) v.tools.set(key, tool);
    v.timeline = [...data.timeline];
    v.turns = [...data.turns];
    v.queue = data.queue;
    v.notices = [...data.notices];
    v.strays = data.strays;
    v.trimmed = data.trimmed;
    v.reindex();
    return v;
  }

  /** The view as data. The containers are the view's own: copy what has to outlive the next event. */
  data(): ViewData {
    return { ...this.#scalars(), ...this.#containers() };
  }

  #scalars() {
    const { runStatus, turn, worker, outcome, outcomeText, fresh, run, active, queue, strays, trimmed } = this;
    return {
      runStatus,
      turn,
      worker,
      outcome,
      outcomeText,
      fresh,
      run,
      activeAssistant: active,
      queue,
      strays,
      trimmed,
    };
  }

  #containers() {
    const { messages, tools, timeline, turns, notices } = this;
    return { messages, tools, timeline, turns, notices };
  }

  /** A view that can be folded on by itself; entities are shared. */
  clone(): View {
    return View.from(this.data());
  }

  message(id: string): Message | undefined {
    const i = this.#messageIndex.get(id);
    return i === undefined ? undefined : this.messages[i];
  }

  /** Adds a message, or replaces the one with its id. */
  settle(message: Message): void {
    const i = this.#messageIndex.get(message.id);
    if (i === undefined) {
      this.#messageIndex.set(message.id, this.messages.length);
      this.messages.push(message);
    } else {
      this.messages[i] = message;
    }
    this.touch(`m/${message.id}`);
  }

  setActive(active: Active | undefined): void {
    this.active = active;
    this.touch("active");
  }

  setTool(tool: Tool): void {
    if (!this.tools.has(tool.key)) this.appear("tool", tool.key);
    this.tools.set(tool.key, tool);
    if (isOpen(tool)) this.open.add(tool.key);
    else this.open.delete(tool.key);
    this.touch(`c/${tool.key}`);
  }

  /** Puts a summary in place of the last one with its number, or at the end. */
  setTurn(turn: Turn): void {
    if (this.turns.at(-1)?.turn === turn.turn) this.turns[this.turns.length - 1] = turn;
    else this.turns.push(turn);
    this.touch(`t/${turn.turn}`);
  }

  /** Adds the first appearance of something to the timeline. */
  appear(kind: TimelineKind, key: string): void {
    this.timeline.push({ kind, key });
    this.touch("timeline");
  }

  stray(): void {
    this.strays++;
    this.touch("header");
  }

  touch(name: string): void {
    this.#changes.add(name);
    this.partDigests.delete(name);
  }

  /** The names of what has changed since the last call. */
  takeChanges(): ReadonlySet<string> {
    const changes = this.#changes;
    this.#changes = new Set();
    return changes;
  }

  /** Builds what is derived from the containers. */
  reindex(): void {
    this.#messageIndex.clear();
    for (const [i, message] of this.messages.entries()) this.#messageIndex.set(message.id, i);
    this.open.clear();
    for (const tool of this.tools.values()) if (isOpen(tool)) this.open.add(tool.key);
  }
}

export function isOpen(tool: Tool): boolean {
  return tool.status === "composing" || tool.status === "preparing" || tool.status === "running";
}

/** A settled card never changes again, except that a conflict is noted. */
export function isSettled(tool: Tool): boolean {
  return tool.status === "done" || tool.status === "error";
}
