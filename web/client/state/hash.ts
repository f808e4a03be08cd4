import type { Canonical } from "./canonical.ts";
import { canonical } from "./canonical.ts";
import { sha256 } from "./sha256.ts";
import type { View } from "./view.ts";

/** An entity is immutable, so its digest is kept by its identity. */
const digests = new WeakMap<object, string>();

type Entity = { readonly [name: string]: Canonical | undefined };

/** A view's hash: the SHA-256 of the lines "name digest\n" of its entities, sorted by bytes. */
export function hash(view: View): string {
  return new HashJob(view).finish();
}

/** The digest of each entity by name: what two views are compared by. */
export function digestsOf(view: View): ReadonlyMap<string, string> {
  const job = new HashJob(view);
  job.finish();
  return job.digests;
}

/**
 * The hash of a view as it is now, computed in slices: the first one of a
 * large view takes long. The view may be folded on meanwhile, since entities
 * do not change; only the two parts that do are digested at once.
 */
export class HashJob {
  readonly digests = new Map<string, string>();
  readonly #todo: [name: string, entity: object][] = [];

  constructor(view: View) {
    this.#part(view, "header", () => header(view));
    if (view.timeline.length > 0)
      this.#part(view, "timeline", () => view.timeline.map(({ kind, key }) => ({ kind, key })));
    if (view.active) this.#todo.push(["active", view.active]);
    for (const message of view.messages) this.#todo.push([`m/${message.id}`, message]);
    for (const [key, tool] of view.tools) this.#todo.push([`c/${key}`, tool]);
    for (const turn of view.turns) this.#todo.push([`t/${turn.turn}`, turn]);
    for (const [i, notice] of view.notices.entries()) this.#todo.push([`n/${i}`, notice]);
  }

  #part(view: View, name: string, content: () => Canonical): void {
    let digest = view.partDigests.get(name);
    if (digest === undefined) {
      digest = sha256(canonical(content()));
      view.partDigests.set(name, digest);
    }
    this.digests.set(name, digest);
  }

  /** Works until the time is up; the hash, or undefined where there is more to do. */
  step(isTimeUp: () => boolean): string | undefined {
    for (;;) {
      const next = this.#todo.pop();
      if (!next) return this.#combined();
      this.digests.set(next[0], digest(next[1]));
      if (isTimeUp()) return undefined;
    }
  }

  finish(): string {
    return this.step(() => false) ?? "";
  }

  #combined(): string {
    const names = [...this.digests.keys()].sort(compareBytes);
    return sha256(names.map((name) => `${name} ${this.digests.get(name)}\n`).join(""));
  }
}

function digest(entity: object): string {
  let known = digests.get(entity);
  if (known === undefined) {
    known = sha256(canonical({ ...entity }));
    digests.set(entity, known);
  }
  return known;
}

function header(view: View): Entity {
  const { runStatus, turn, worker, outcome, run, queue, strays, trimmed } = view;
  return {
    runStatus,
    turn,
    worker,
    outcome,
    run: run && { ...run },
    queue: queue && { ...queue },
    strays,
    trimmed: trimmed && { ...trimmed },
  };
}

/** The order of the UTF-8 bytes, which is the order of the code points. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    if (a.charCodeAt(i) === b.charCodeAt(i)) continue;
    return orderOf(a.charCodeAt(i)) - orderOf(b.charCodeAt(i));
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above all others of one unit. */
function orderOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
