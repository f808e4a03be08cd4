import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL(".", import.meta.url));

/** Browser tests: the page that is embedded in the real hub binary, in the system's Chromium. */
export default defineConfig({
  root,
  test: {
    include: ["test/e2e/**/*.test.ts"],
    globalSetup: ["test/e2e/build-hub.ts"],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
