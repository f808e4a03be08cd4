import type { ViewData } from "../protocol/index.ts";
import type { View } from "./view.ts";

/** A view's JSON value as snapshots carry it: empty members are omitted. */
export function viewToJSON(view: View): unknown {
  return plain(view.data());
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, member]) => [key, plain(member)]));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => !isEmpty(member));
  return Object.fromEntries(members.map(([key, member]) => [key, plain(member)]));
}

function isEmpty(value: ViewData[keyof ViewData] | unknown): boolean {
  if (value === undefined || value === "" || value === 0 || value === false) return true;
  return Array.isArray(value) ? value.length === 0 : value instanceof Map && value.size === 0;
}
