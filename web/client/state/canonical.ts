/**
 * Canonical JSON of entities: RFC 8785 restricted to what a view holds
 * (objects, Maps, lists, strings, integers, true), with an object's empty
 * members ("", 0, false, undefined, empty list, empty Map) left out. Objects
 * that are empty never get into a view (see some.ts).
 */
export type Canonical =
  | string
  | number
  | boolean
  | readonly Canonical[]
  | ReadonlyMap<string, Canonical>
  | { readonly [name: string]: Canonical | undefined };

export function canonical(value: Canonical): string {
  if (typeof value !== "object") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonical).join(",")}]`;
  if (value instanceof Map) return members([...value]);
  return members(Object.entries(value).filter(([, member]) => !isEmpty(member)));
}

/** RFC 8785 sorts by UTF-16 units, as JavaScript's own comparison does. */
function members(entries: [string, Canonical][]): string {
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}

function isEmpty(value: Canonical | undefined): boolean {
  if (value === undefined || value === "" || value === 0 || value === false) return true;
  if (typeof value !== "object") return false;
  return isList(value) ? value.length === 0 : value instanceof Map && value.size === 0;
}

function isList(value: Canonical): value is readonly Canonical[] {
  return Array.isArray(value);
}
