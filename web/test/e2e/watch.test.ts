import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { launch, Watched } from "./browser.ts";
import { HubProcess, session } from "./hub.ts";
import { RunWriter } from "./writer.ts";

const hub = new HubProcess();
let browser: Browser;
const pages: Watched[] = [];

beforeAll(async () => {
  await hub.start();
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await hub.stop();
});
afterEach(async () => {
  const problems = pages.flatMap((page) => page.problems);
  await Promise.all(pages.splice(0).map((page) => page.close()));
  expect(problems).toEqual([]);
});

async function open(path: string, options = {}): Promise<Watched> {
  const page = await Watched.open(browser, hub.url + path, options);
  pages.push(page);
  return page;
}

test("a recorded session: cards, states and texts, and the hub's own hash", async () => {
  await hub.publish("parallel", session("parallel"));
  const watched = await open("/r/parallel");
  const { page } = watched;
  await page.getByText("Turn 3").waitFor();
  expect(await page.title()).toBe("Give me an overview of this repository · Ringside");
  const rows = await page.locator(".card-row").allInnerTexts();
  expect(rows).toHaveLength(7);
  expect(rows[0]).toMatch(/bash/);
  expect(rows.filter((row) => /failed/.test(row))).toHaveLength(4);
  expect(rows[2]).toMatch(/ENOENT: no such file or directory/);
  expect(await page.getByRole("heading", { name: "Summary" }).isVisible()).toBe(true);
  const held = await watched.holds();
  const own = await hub.run("parallel");
  expect(held).toMatchObject({ epoch: own.epoch, seq: own.seq, hash: own.hash });
});

test("two pages, and one that joins in the middle, see the same", async () => {
  const lines = readFileSync(session("parallel"), "utf8").trimEnd().split("\n");
  const publisher = hub.publisher("shared");
  publisher.stdin?.write(`${lines.slice(0, 40).join("\n")}\n`);
  const first = await open("/r/shared");
  await first.page.locator(".card-row").first().waitFor();
  const late = await open("/r/shared");
  await late.page.locator(".card-row").first().waitFor();
  publisher.stdin?.end(`${lines.slice(40).join("\n")}\n`);
  await first.page.getByText("The worker has left.").waitFor();
  const last = await open("/r/shared");
  const own = await hub.run("shared");
  for (const each of [first, late, last]) {
    await each.reaches(own);
    expect(await each.holds()).toMatchObject({ seq: own.seq, hash: own.hash });
  }
  const texts = await Promise.all([first, late, last].map((each) => each.page.locator(".transcript").textContent()));
  expect(new Set(texts).size).toBe(1);
});

test("the list of runs leads to a run, and back", async () => {
  await hub.publish("listed", session("error"));
  const { page } = await open("/");
  const row = page.getByRole("row").filter({ hasText: "listed" });
  await row.getByText("Run failed").waitFor();
  await row.getByRole("link").click();
  await page.getByRole("alert").waitFor();
  expect(new URL(page.url()).pathname).toBe("/r/listed");
  await page.goBack();
  await row.waitFor();
});

test("the list on a phone says the same, and nothing that lacks its column", async () => {
  await hub.publish("narrow", session("parallel"));
  const { page } = await open("/", { viewport: { width: 380, height: 780 } });
  const row = page.locator("tbody tr").filter({ hasText: "narrow" });
  await row.getByText("Worker left").waitFor();
  const [text] = await row.allInnerTexts();
  expect(text).toMatch(/Finished\s+Worker left\s+Turn 3\s+4 tool errors\s/);
  expect(text).not.toMatch(/none/);
});

test("a long output: its ends, the whole on demand, and a link to its card", async () => {
  await hub.publish("long", session("bigout"));
  const { page } = await open("/r/long");
  await page.getByRole("button", { name: "Show details of bash" }).first().click();
  await page.getByRole("button", { name: /Load the whole output/ }).click();
  await page.getByText(/lines hidden/).waitFor();
  await page.getByRole("button", { name: "Show 200 more" }).waitFor();
  const linked = await open("/r/long#c=c2");
  await linked.page.locator('[data-key="c2"].is-open').waitFor();
  expect(await linked.page.locator('[data-key="c2"] .output').first().textContent()).toContain("progress 100%");
});

test("an unknown run is said to be unknown, and appears when it begins", async () => {
  const { page } = await open("/r/later");
  await page.getByText("No run with this id").waitFor();
  await hub.publish("later", session("length"));
  await page.getByText("Turn 2").waitFor({ timeout: 20_000 });
});

test("who reads is left alone: the row stays where it is, and what is new is counted", async () => {
  const writer = await RunWriter.claim(hub.url, "busy");
  await writer.send({ type: "agent_start" });
  for (let turn = 1; turn <= 12; turn++) await fillTurn(writer, turn);
  const { page } = await open("/r/busy");
  await page.getByText("Turn 12", { exact: true }).waitFor();
  const scroller = page.getByRole("log");
  const atEnd = () => scroller.evaluate((e) => e.scrollHeight - e.clientHeight - e.scrollTop < 4);
  expect(await atEnd()).toBe(true);
  await fillTurn(writer, 13);
  await page.getByText("Turn 13", { exact: true }).waitFor();
  expect(await atEnd()).toBe(true);

  await scroller.hover();
  await page.mouse.wheel(0, -600);
  await page.getByRole("button", { name: "Latest" }).waitFor();
  const reading = page.locator(".card-row").filter({ visible: true }).nth(20);
  const top = () => reading.evaluate((e) => e.getBoundingClientRect().top);
  const before = await top();
  for (let turn = 14; turn <= 18; turn++) await fillTurn(writer, turn);
  await page.getByRole("button", { name: /\d+ new/ }).waitFor();
  expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1);
  expect(await page.locator(".pill").textContent()).toMatch(/failed/);
  await page.keyboard.press("f");
  await page.getByText("Turn 18", { exact: true }).waitFor();
  expect(await atEnd()).toBe(true);
  expect(await page.locator(".pill").count()).toBe(0);
});

async function fillTurn(writer: RunWriter, turn: number): Promise<void> {
  const keys = [0, 1, 2, 3, 4, 5].map((i) => `t${turn}-${i}`);
  await writer.send(
    { type: "turn_start" },
    { type: "message_end", id: `m${turn}`, role: "assistant", text: `Round ${turn}.\n\nIt goes on.` },
    ...keys.map((key) => ({ type: "tool_start", key, name: "bash", args: `{"command":"work ${key}"}` })),
  );
  for (let step = 1; step <= 5; step++) {
    await writer.send(...keys.map((key) => ({ type: "tool_update", key, text: `step ${step}`, done: step, total: 5 })));
  }
  await writer.send(
    ...keys.map((key, i) => ({ type: "tool_end", key, text: "ok", isError: i === 4, durationMs: 100 })),
    { type: "turn_end" },
  );
}

test("a link to a card shows it, in a long run, however long the card is, and the end is not followed", async () => {
  const writer = await RunWriter.claim(hub.url, "linked");
  await writer.send({ type: "agent_start" });
  for (let turn = 1; turn <= 50; turn++) {
    await fillTurn(writer, turn);
    if (turn !== 25) continue;
    const text = Array.from({ length: 300 }, (_, i) => `line ${i}`).join("\n");
    await writer.send({ type: "tool_start", key: "tall", name: "bash" }, { type: "tool_end", key: "tall", text });
  }
  let last = 50;
  for (const key of ["t2-3", "t20-4", "tall", "t50-5"]) {
    const { page } = await open(`/r/linked#c=${key}`);
    const card = page.locator(`[data-key="${key}"].is-open.is-linked`);
    await card.waitFor();
    await page.locator(".pill").waitFor();
    const places = () =>
      card.locator(".card-row").evaluate((row) => {
        const view = document.querySelector(".scroll")?.getBoundingClientRect();
        const { top, bottom } = row.getBoundingClientRect();
        return [view && top >= view.top && bottom <= view.bottom, document.scrollingElement?.scrollTop];
      });
    await vi.waitFor(async () => expect([key, ...(await places())]).toEqual([key, true, 0]));
    await fillTurn(writer, ++last);
    await page.getByRole("button", { name: /\d+ new/ }).waitFor();
    expect([key, ...(await places())]).toEqual([key, true, 0]);
    const held = () => page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
    expect(await held()).toBe(0);
  }
});

test("nothing moves when a message ends", async () => {
  const writer = await RunWriter.claim(hub.url, "ends");
  const texts = [
    "One.\n\nTwo.",
    "Some:\n\n- one\n- two",
    "- a\n  - b\n  - c",
    "1. a\n\n2. b",
    "```\ncode\n```",
    "# Head",
  ];
  await writer.send({ type: "agent_start" }, { type: "turn_start" });
  const { page } = await open("/r/ends");
  for (const [i, text] of texts.entries()) {
    const id = `m${i}`;
    await writer.send({ type: "message_start", id, role: "assistant" }, { type: "text_delta", id, delta: text });
    const bubble = page.locator(".bubble").nth(i);
    await bubble.locator(".prose").waitFor();
    const places = () =>
      bubble.evaluate((element) =>
        [element, ...element.querySelectorAll(".prose, .prose > *, .prose li")].map((each) => {
          const { left, top, width, height } = each.getBoundingClientRect();
          return [each.tagName, left, top, width, height].join(" ");
        }),
      );
    expect(await page.locator(".streaming").count()).toBe(1);
    const before = await places();
    await writer.send({ type: "message_end", id, role: "assistant", text });
    await page.locator(".streaming").waitFor({ state: "detached" });
    expect(await places()).toEqual(before);
  }
});

test("a hidden page draws nothing, and is up to date when it is seen again", async () => {
  const writer = await RunWriter.claim(hub.url, "hidden");
  await writer.send({ type: "agent_start" }, { type: "turn_start" });
  const watched = await open("/r/hidden");
  const { page } = watched;
  await page.getByText("Turn 1", { exact: true }).waitFor();
  // Frames stop, as they do in a tab that is not seen.
  await page.evaluate(() => {
    const waiting: FrameRequestCallback[] = [];
    const real = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (draw) => waiting.push(draw);
    Object.assign(window, {
      seenAgain: () => {
        window.requestAnimationFrame = real;
        for (const draw of waiting.splice(0)) draw(performance.now());
        return waiting.length;
      },
    });
  });
  for (let turn = 2; turn <= 4; turn++) await fillTurn(writer, turn);
  await watched.reaches(await hub.run("hidden"));
  expect(await page.locator(".card-row").count()).toBe(0);
  await page.evaluate("seenAgain()");
  await page.getByText("Turn 4", { exact: true }).waitFor();
  expect((await watched.holds())?.hash).toBe((await hub.run("hidden")).hash);
});

test("a chosen theme is remembered and there before the first paint", async () => {
  const { page } = await open("/", { colorScheme: "light" });
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  await page.getByRole("button", { name: "Theme: as the system" }).click();
  await page.getByRole("button", { name: "Theme: light" }).click();
  expect(await theme()).toBe("dark");
  await page.addInitScript(() => {
    document.addEventListener("readystatechange", () => {
      if (document.readyState === "interactive")
        Object.assign(window, { early: document.documentElement.dataset.theme });
    });
  });
  await page.reload();
  expect(await page.evaluate("early")).toBe("dark");
});

test("who reads Chinese gets it, and nobody else loads it", async () => {
  await hub.publish("chinese", session("parallel"));
  const loaded: string[] = [];
  for (const locale of ["zh-CN", "en-GB"]) {
    const { page } = await open("/", { locale });
    page.on("response", (response) => loaded.push(`${locale} ${new URL(response.url()).pathname}`));
    await page.goto(`${hub.url}/r/chinese`);
    await page.getByText(locale === "zh-CN" ? "第 3 轮" : "Turn 3").waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe(locale === "zh-CN" ? "zh-CN" : "en");
  }
  expect(loaded.filter((each) => each.endsWith("/assets/zh-cn.js"))).toEqual(["zh-CN /assets/zh-cn.js"]);
});
