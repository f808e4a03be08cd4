// @vitest-environment happy-dom

import { Client } from "@ringside/client";
import { screen } from "@testing-library/preact";
import { afterEach, expect, test, vi } from "vitest";
import { leavePage, TestPage } from "../../test/fixtures/page.tsx";
import { route } from "../lib/router.ts";

afterEach(leavePage);

const go = (page: TestPage, to: typeof route.value) =>
  page.act(() => {
    route.value = to;
  });

test("a run is watched as long as it is shown", async () => {
  const page = new TestPage("runs");
  await go(page, { page: "run", run: "a" });
  expect(page.hub.latest.types().sort()).toEqual(["hello", "unwatch_runs", "watch", "watch_runs"]);
  const before = page.hub.latest.sent.length;
  await go(page, { page: "run", run: "b" });
  await go(page, { page: "none" });
  expect(page.hub.latest.sent.slice(before)).toEqual([
    { type: "unwatch", run: "a" },
    { type: "watch", run: "b" },
    { type: "unwatch", run: "b" },
  ]);
  expect(page.app.opened.value).toBeUndefined();
});

test("a run is shown at once, with nothing of the last one", async () => {
  const page = new TestPage();
  await page.join({
    runStatus: "idle",
    notices: [{ id: "n1", turn: 0, kind: "x", text: "of demo" }],
    timeline: [{ kind: "notice", key: "n1" }],
  });
  expect(screen.getByText("of demo")).toBeTruthy();
  await go(page, { page: "run", run: "b" });
  expect(screen.queryByText("of demo")).toBeNull();
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("b");
});

test("drawing changes nothing: a watch is opened when the page stands", () => {
  const drawn: boolean[] = [];
  const watch = Client.prototype.watch;
  vi.spyOn(Client.prototype, "watch").mockImplementation(function (this: Client, ...args) {
    drawn.push(screen.queryByRole("status") !== null);
    return watch.apply(this, args);
  });
  new TestPage();
  expect(drawn).toEqual([true]);
});
