import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, Watched } from "./browser.ts";
import { HubProcess, session } from "./hub.ts";

const hub = new HubProcess();
let browser: Browser;

beforeAll(async () => {
  await hub.start();
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await hub.stop();
});

test("the hub is killed and comes back: the page says so, keeps what it has, and goes on without gap or double", async () => {
  const lines = readFileSync(session("parallel"), "utf8").trimEnd().split("\n");
  const publisher = hub.publisher("phoenix", "--drain", "60s");
  publisher.stdin?.write(`${lines.slice(0, 60).join("\n")}\n`);
  const watched = await Watched.open(browser, `${hub.url}/r/phoenix`);
  const { page } = watched;
  await page.locator(".card-row").first().waitFor();
  const cards = await page.locator(".card-row").count();

  await hub.stop("SIGKILL");
  await page
    .getByText(/Reconnecting/)
    .first()
    .waitFor();
  await page.getByText(/Showing what was known at \d\d:\d\d:\d\d/).waitFor();
  expect(await page.locator(".card-row").count()).toBe(cards);

  await hub.start();
  publisher.stdin?.end(`${lines.slice(60).join("\n")}\n`);
  const retry = page.getByRole("button", { name: "Retry now" });
  if (await retry.isVisible()) await retry.click({ timeout: 2_000 }).catch(() => undefined);
  await page.getByText("Live", { exact: true }).waitFor({ timeout: 30_000 });
  await page.getByText("Turn 3").waitFor({ timeout: 30_000 });
  await page.getByText("The worker has left.").waitFor();
  const own = await hub.run("phoenix");
  await watched.reaches(own);
  expect(await watched.holds()).toMatchObject({ seq: own.seq, hash: own.hash });
  expect(await page.locator(".card-row").count()).toBe(7);
  expect(watched.problems).toEqual([]);
  await watched.close();
});

test("an orderly restart is told apart from a refusal: the page comes back by itself", async () => {
  const watched = await Watched.open(browser, `${hub.url}/`);
  await watched.page.getByText("Live", { exact: true }).waitFor();
  await hub.stop("SIGTERM");
  await watched.page
    .getByText(/Reconnecting/)
    .first()
    .waitFor();
  await hub.start();
  await watched.page.getByText("Live", { exact: true }).waitFor({ timeout: 40_000 });
  await watched.close();
});
