import { afterEach, beforeEach, expect, test, vi } from "vitest";

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
});
afterEach(() => {
  vi.useRealTimers();
});

test("says at most one thing in three seconds, the newest", async () => {
  const { announce, announcement } = await import("./announce.ts");
  announce("Turn 1 started");
  announce("bash failed");
  announce("read failed");
  expect(announcement.value).toBe("Turn 1 started");
  vi.advanceTimersByTime(2_999);
  expect(announcement.value).toBe("Turn 1 started");
  vi.advanceTimersByTime(1);
  expect(announcement.value).toBe("read failed");
  vi.advanceTimersByTime(3_000);
  announce("The run has settled");
  expect(announcement.value).toBe("The run has settled");
});
