import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL(".", import.meta.url));

export default defineConfig({
  root,
  resolve: { alias: { "@ringside/client": `${root}client/index.ts` } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    include: ["client/**/*.test.ts", "src/**/*.test.ts", "src/**/*.test.tsx", "test/*.test.ts"],
    restoreMocks: true,
  },
});
