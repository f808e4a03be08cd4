import { describe, expect, test } from "vitest";
import { closeCases, type WireCase, wireCases } from "../../test/fixtures/wire-files.ts";
import { View } from "../state/index.ts";
import { viewToJSON } from "../state/json.ts";
import { closeCode, reconnects } from "./close-code.ts";
import { type Decoded, decode, decodeProjectedEvent, decodeText } from "./decode.ts";
import type { ViewData } from "./entities.ts";

/** A decoded message as the wire writes it: empty members are left out. */
function asWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asWire);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, member]) => [key, asWire(member)]));
  if (typeof value !== "object" || value === null) return value;
  if (isView(value)) return viewToJSON(View.from(value));
  const members = Object.entries(value).filter(([, member]) => !isEmpty(member));
  return Object.fromEntries(members.map(([name, member]) => [name, asWire(member)]));
}

function isView(value: object): value is ViewData {
  return "tools" in value && value.tools instanceof Map && "timeline" in value;
}

function isEmpty(member: unknown): boolean {
  if (Array.isArray(member)) return member.length === 0;
  return (
    member === undefined ||
    member === "" ||
    member === 0 ||
    member === false ||
    (member instanceof Map && member.size === 0)
  );
}

/** What the wire writes even where it is empty is left out on both sides. */
function compare(each: WireCase, decoded: Decoded<unknown>): void {
  if (each.error !== undefined) {
    expect(decoded).toMatchObject({ ok: false });
    return;
  }
  if (!decoded.ok) throw new Error(decoded.error);
  expect(asWire(decoded.value)).toEqual(asWire(each.decoded ?? each.message));
}

describe("messages from a hub", () => {
  test.each(wireCases("hub-messages"))("$name", (each) => {
    compare(each, each.text === undefined ? decode(each.message) : decodeText(each.text));
  });
});

describe("projected events", () => {
  test.each(wireCases("events"))("$name", (each) => {
    compare(each, decodeProjectedEvent(each.text === undefined ? each.message : JSON.parse(each.text)));
  });
});

test("the close codes are the hub's", () => {
  const theirs = new Map(closeCases().map((each) => [each.code, each.reconnect]));
  expect(new Set(Object.values(closeCode))).toEqual(new Set(theirs.keys()));
  for (const [code, reconnect] of theirs) expect(reconnects(code), `${code}`).toBe(reconnect);
  expect(reconnects(1006)).toBe(true);
  expect(reconnects(4999)).toBe(true);
});
