// @vitest-environment happy-dom
import { screen, within } from "@testing-library/preact";
import { afterEach, expect, test, vi } from "vitest";
import { leavePage, TestPage } from "../../test/fixtures/page.tsx";
import { route } from "../lib/router.ts";

afterEach(() => {
  leavePage();
  vi.useRealTimers();
});

const line = (run: string, more: object = {}) => ({ run, epoch: "e", seq: 1, heardMs: 10, runStatus: "idle", ...more });

test("lists runs, newest first, with what they do", async () => {
  const page = new TestPage("runs");
  await page.say({
    type: "runs",
    full: true,
    runs: [
      line("old", { startedAt: 1, title: "Old <b>run</b>", outcome: "error", errors: 2, worker: "gone" }),
      line("new", {
        startedAt: 9,
        turn: 12,
        runStatus: "running",
        tools: { running: 9, preparing: 1, composing: 10, done: 3 },
      }),
      line("quiet", { startedAt: 5, runStatus: "running", heardMs: 20_000 }),
    ],
  });
  const rows = screen.getAllByRole("row").slice(1);
  expect(rows.map((row) => within(row).getByRole("link").getAttribute("href"))).toEqual([
    "/r/new",
    "/r/quiet",
    "/r/old",
  ]);
  expect(rows[0]?.textContent).toMatch(/Running.*12.*9 running, 1 preparing, 10 composing/);
  expect(rows[1]?.textContent).toContain("Worker stale");
  expect(rows[2]?.textContent).toMatch(/Old <b>run<\/b>.*Run failed.*Worker left/);
  await page.say({ type: "runs", gone: ["old"] });
  expect(screen.getAllByRole("row")).toHaveLength(3);
});

test("a run whose worker was lost in the middle of a prompt is cut off", async () => {
  const page = new TestPage("runs");
  const lost = { worker: "lost", heardMs: -1, turn: 3 };
  await page.say({
    type: "runs",
    full: true,
    runs: [
      line("c", { ...lost, startedAt: 9 }),
      line("b", { ...lost, startedAt: 5, outcome: "retrying" }),
      line("a", { ...lost, startedAt: 1, outcome: "ok" }),
    ],
  });
  const rows = screen.getAllByRole("row").slice(1);
  expect(rows[0]?.textContent).toMatch(/Cut off.*Worker lost/);
  expect(rows[1]?.textContent).toMatch(/Cut off.*Worker lost/);
  expect(rows[2]?.textContent).toMatch(/Finished.*Worker lost/);
});

test("a run whose worker falls silent turns stale while the list is open", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const page = new TestPage("runs");
  const busy = { runStatus: "running", startedAt: 1 };
  await page.say({
    type: "runs",
    full: true,
    runs: [line("a", busy), line("b", busy), line("idle"), line("c", { ...busy, heardMs: -1 })],
  });
  vi.setSystemTime(Date.now() + 7_000);
  await page.say({ type: "runs", runs: [line("b", busy)] });
  expect(screen.queryByText("Worker stale")).toBeNull();
  vi.setSystemTime(Date.now() + 2_000);
  await page.act(() => {});
  const stale = screen.getAllByRole("row").filter((row) => within(row).queryByText("Worker stale"));
  expect(stale.map((row) => within(row).getByRole("link").getAttribute("href"))).toEqual(["/r/a"]);
});

test("nothing turns stale while the hub cannot be heard, nor before it has said how things are", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const page = new TestPage("runs");
  await page.say({ type: "runs", full: true, runs: [line("a", { runStatus: "running" })] });
  await page.act(() => page.hub.latest.handlers.closed(1006, ""));
  vi.setSystemTime(Date.now() + 60_000);
  await page.act(() => {});
  expect(screen.getByRole("link", { name: "a" })).toBeTruthy();
  expect(screen.queryByText("Worker stale")).toBeNull();
  await page.act(() => page.app.client.connection.retryNow());
  await page.act(() => page.hub.welcome(600_000));
  expect(screen.queryByText("Worker stale")).toBeNull();
  await page.say({ type: "runs", full: true, runs: [line("a", { runStatus: "running", heardMs: 60_000 })] });
  expect(screen.getByText("Worker stale")).toBeTruthy();
});

test("nor is it stale on coming back to the list", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const page = new TestPage("runs");
  await page.say({ type: "runs", full: true, runs: [line("a", { runStatus: "running" })] });
  await page.act(() => {
    route.value = { page: "none" };
  });
  vi.setSystemTime(Date.now() + 60_000);
  await page.act(() => {
    route.value = { page: "runs" };
  });
  expect(screen.getByRole("link", { name: "a" })).toBeTruthy();
  expect(screen.queryByText("Worker stale")).toBeNull();
});

test("says what to do where there is none", async () => {
  const page = new TestPage("runs");
  await page.say({ type: "runs", full: true });
  expect(screen.getByText("No runs yet")).toBeTruthy();
  expect(screen.getByText(/hub work --to http.* --model .*hub publish --run NAME --to/s)).toBeTruthy();
  expect(screen.getByText(/hub demo/)).toBeTruthy();
});
