import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch, Watched } from "./browser.ts";
import { HubProcess, session } from "./hub.ts";
import { RunWriter } from "./writer.ts";

const hub = new HubProcess();
let browser: Browser;

beforeAll(async () => {
  await hub.start();
  browser = await launch();
  await hub.publish("parallel", session("parallel"));
  await hub.publish("failed", session("error"));
  await everyState(await RunWriter.claim(hub.url, "states"));
});
afterAll(async () => {
  await browser?.close();
  await hub.stop();
});

/** A run with a card in every state, a queue, a notice, and everything that Markdown has. */
async function everyState(writer: RunWriter): Promise<void> {
  const start = (key: string, more = {}) => ({
    type: "tool_start",
    key,
    name: "bash",
    args: '{"command":"x"}',
    ...more,
  });
  await writer.send(
    { type: "run_info", title: "Every state", source: "test" },
    { type: "agent_start" },
    { type: "turn_start" },
    { type: "message_end", id: "m1", role: "user", text: "Show everything" },
    start("lost"),
    { type: "call_delta", key: "skipped", name: "edit", delta: "{" },
    { type: "turn_end" },
    { type: "turn_start" },
    {
      type: "message_end",
      id: "m2",
      role: "assistant",
      thinking: "hm",
      text: "# Title\n\n`code` **bold** [link](https://example.org)\n\n```\nblock\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quote\n\n- [x] item",
    },
    start("preparing", { t: Date.now() - 5000 }),
    start("running"),
    { type: "tool_update", key: "running", text: "a", done: 1, total: 3 },
    start("words"),
    {
      type: "tool_update",
      key: "words",
      text: "\u001b[31mred\u001b[32mgreen\u001b[33myellow\u001b[34mblue\u001b[35mpurple\u001b[2mdim\u001b[7minverse",
    },
    start("done"),
    { type: "tool_end", key: "done", text: "fine", durationMs: 5 },
    start("error"),
    { type: "tool_end", key: "error", text: "No such file", isError: true },
    { type: "call_delta", key: "composing", name: "bash", delta: '{"comm' },
    { type: "queue", steering: ["wait"] },
    { type: "notice", kind: "info", text: "something happened" },
    { type: "message_start", id: "m3", role: "assistant" },
    { type: "text_delta", id: "m3", delta: "And so" },
  );
}

/** What axe finds serious. It is evaluated from outside, so that the page's policy stays in force. */
async function audit(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations }: axe.AxeResults = await page.evaluate("axe.run()");
  return violations
    .filter((each) => each.impact === "serious" || each.impact === "critical")
    .flatMap((each) => each.nodes.map((node) => `${each.id}: ${node.html} ${node.failureSummary ?? ""}`));
}

async function openEverything(page: Page): Promise<void> {
  for (const name of [/^Show details/, /^Thinking/, /more done$/]) {
    const closed = page.getByRole("button", { name, expanded: false });
    while ((await closed.count()) > 0) await closed.first().click();
  }
}

describe.each(["dark", "light"] as const)("%s", (colorScheme) => {
  test.each([
    ["the list of runs", "/", 1280],
    ["a run that ended", "/r/parallel", 1280],
    ["a run that failed", "/r/failed", 1280],
    ["every state, opened", "/r/states", 1280],
    ["every state on a phone", "/r/states", 380],
    ["an unknown run", "/r/nobody", 1280],
  ])("%s", async (_, path, width) => {
    const watched = await Watched.open(browser, hub.url + path, { colorScheme, viewport: { width, height: 900 } });
    await watched.page.getByText("Live", { exact: true }).waitFor();
    if (path === "/") await watched.page.getByRole("row").nth(1).waitFor();
    await openEverything(watched.page);
    expect(await audit(watched.page)).toEqual([]);
    expect(watched.problems).toEqual([]);
    const wide = await watched.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(wide, "the page is wider than its window").toBe(false);
    await watched.close();
  });
});

test("the policy that the hub sends is the strict one", async () => {
  const response = await fetch(`${hub.url}/r/parallel`);
  const policy = response.headers.get("content-security-policy") ?? "";
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "trusted-types 'none'"])
    expect(policy).toContain(part);
});
