import { expect, test } from "vitest";
import { routeOf, runHref } from "./router.ts";

test.each([
  ["/", { page: "runs" }],
  ["/r/demo-1_X", { page: "run", run: "demo-1_X" }],
  ["/r/demo/", { page: "run", run: "demo" }],
  ["/r/", { page: "none" }],
  ["/r/a%20b", { page: "none" }],
  [`/r/${"x".repeat(65)}`, { page: "none" }],
  ["/elsewhere", { page: "none" }],
])("%s", (path, route) => {
  expect(routeOf(path)).toEqual(route);
});

test("a card's key is a parameter, whatever it holds", () => {
  expect(runHref("demo")).toBe("/r/demo");
  expect(runHref("demo", "c1&x=#")).toBe("/r/demo#c=c1%26x%3D%23");
});
