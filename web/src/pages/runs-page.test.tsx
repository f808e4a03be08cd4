// @vitest-environment happy-dom
import { screen, within } from "@testing-library/preact";
import { afterEach, expect, test } from "vitest";
import { leavePage, TestPage } from "../../test/fixtures/page.tsx";

afterEach(leavePage);

const line = (run: string, more: object = {}) => ({ run, epoch: "e", seq: 1, heardMs: 10, runStatus: "idle", ...more });

test("lists runs, newest first, with what they do", async () => {
  const page = new TestPage("runs");
  await page.say({
    type: "runs",
    full: true,
    runs: [
      line("old", { startedAt: 1, title: "Old <b>run</b>", outcome: "error", errors: 2, worker: "gone" }),
      line("new", { startedAt: 9, turn: 12, runStatus: "running", tools: { running: 9, preparing: 1, done: 3 } }),
      line("quiet", { startedAt: 5, runStatus: "running", heardMs: 20_000 }),
    ],
  });
  const rows = screen.getAllByRole("row").slice(1);
  expect(rows.map((row) => within(row).getByRole("link").getAttribute("href"))).toEqual([
    "/r/new",
    "/r/quiet",
    "/r/old",
  ]);
  expect(rows[0]?.textContent).toMatch(/Running.*12.*9 running, 1 preparing/);
  expect(rows[1]?.textContent).toContain("Worker stale");
  expect(rows[2]?.textContent).toMatch(/Old <b>run<\/b>.*Run failed.*Worker gone/);
  await page.say({ type: "runs", gone: ["old"] });
  expect(screen.getAllByRole("row")).toHaveLength(3);
});

test("says what to do where there is none", async () => {
  const page = new TestPage("runs");
  await page.say({ type: "runs", full: true });
  expect(screen.getByText("No runs yet")).toBeTruthy();
  expect(screen.getByText(/hub publish --run NAME --to/)).toBeTruthy();
});
