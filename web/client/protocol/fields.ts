/**
 * Reads the members of a JSON object that came from outside. Every method
 * throws a DecodeError that names the member; decode.ts is where it is caught.
 * Absent members give the empty value, as the wire omits those. Null is never
 * the same as absent: the wire has no null, and what one side would accept and
 * the other refuse would be a difference between their views.
 */
export class DecodeError extends Error {}

export class Fields {
  readonly #of: Record<string, unknown>;
  readonly #path: string;

  constructor(value: unknown, path: string) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new DecodeError(`${path || "message"}: not an object`);
    }
    this.#of = value as Record<string, unknown>; // checked above
    this.#path = path;
  }

  /** The members' names, as they came. */
  names(): string[] {
    return Object.keys(this.#of);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#of, name);
  }

  raw(name: string): unknown {
    return this.has(name) ? this.#of[name] : undefined;
  }

  fail(name: string, problem: string): never {
    throw new DecodeError(`${this.path(name)}: ${problem}`);
  }

  path(name: string): string {
    return this.#path ? `${this.#path}.${name}` : name;
  }

  string(name: string): string {
    return this.optionalString(name) ?? "";
  }

  /** A string that has to be there and not be empty. */
  id(name: string): string {
    return this.string(name) || this.fail(name, "is missing");
  }

  optionalString(name: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    return typeof value === "string" ? value : this.fail(name, "not a string");
  }

  int(name: string): number {
    return this.optionalInt(name) ?? 0;
  }

  optionalInt(name: string): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    return Number.isSafeInteger(value) ? Number(value) : this.fail(name, "not an integer");
  }

  bool(name: string): boolean {
    const value = this.raw(name);
    if (value === undefined) return false;
    return typeof value === "boolean" ? value : this.fail(name, "not true or false");
  }

  /** One of a fixed set of words. */
  word<T extends string>(name: string, words: readonly T[]): T {
    const value = this.string(name);
    return words.find((word) => word === value) ?? this.fail(name, `${quote(value)} is none of ${words.join(", ")}`);
  }

  list<T>(name: string, item: (value: unknown, path: string) => T): readonly T[] {
    const value = this.raw(name);
    if (value === undefined) return [];
    if (!Array.isArray(value)) this.fail(name, "not a list");
    return value.map((entry: unknown, i) => item(entry, `${this.path(name)}[${i}]`));
  }

  strings(name: string): readonly string[] {
    return this.list(name, string);
  }

  map<T>(name: string, item: (value: unknown, path: string) => T): ReadonlyMap<string, T> {
    const fields = this.fields(name);
    const out = new Map<string, T>();
    for (const key of fields?.names() ?? []) out.set(key, item(fields?.raw(key), `${this.path(name)}[${quote(key)}]`));
    return out;
  }

  fields(name: string): Fields | undefined {
    const value = this.raw(name);
    return value === undefined ? undefined : new Fields(value, this.path(name));
  }
}

export function string(value: unknown, path: string): string {
  if (typeof value !== "string") throw new DecodeError(`${path}: not a string`);
  return value;
}

/** Outside text inside an error message: quoted and short. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
