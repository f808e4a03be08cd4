import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

const root = fileURLToPath(new URL(".", import.meta.url));

/** What dist is built from. A Go test computes the same hash, so that a forgotten build is found without Node. */
const sourceFolders = ["client", "src", "public"];
const sourceFiles = ["package.json", "package-lock.json", "vite.config.ts", "tsconfig.json", "index.html"];

/** Gzipped bytes that the page may weigh. */
const budgets = { js: 60_000, css: 10_000 };

function sourcesHash(): string {
  const names = sourceFolders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length)),
    )
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => !/\.test\.tsx?$/.test(name))
    .concat(sourceFiles)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const lines = names.map((name) => `${sha256(readFileSync(join(root, name)))}  ${name}\n`);
  return sha256(lines.join(""));
}

function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

/** Finishes a build: writes the hash of its sources and fails where the page weighs too much. */
function sealDist(): Plugin {
  let outDir = "";
  return {
    name: "ringside:seal-dist",
    apply: "build",
    configResolved(config) {
      outDir = resolve(config.root, config.build.outDir);
    },
    closeBundle() {
      writeFileSync(join(outDir, "sources.sha256"), `${sourcesHash()}\n`);
      for (const [kind, budget] of Object.entries(budgets)) {
        const size = gzipSync(readFileSync(join(outDir, `assets/app.${kind}`)), { level: 9 }).length;
        this.info(`app.${kind}: ${size} of ${budget} bytes gzipped`);
        if (size > budget) this.error(`app.${kind} weighs ${size} bytes gzipped, the budget is ${budget}`);
      }
    },
  };
}

/**
 * The script is a classic one in the head: it runs before the first paint, so a
 * remembered theme never flashes, under a policy that allows no inline script.
 */
function classicScript(): Plugin {
  return {
    name: "ringside:classic-script",
    apply: "build",
    transformIndexHtml: { order: "post", handler: (html) => html.replaceAll(/ type="module"| crossorigin/g, "") },
  };
}

export default defineConfig({
  root,
  resolve: { alias: { "@ringside/client": join(root, "client/index.ts") } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [classicScript(), sealDist()],
  server: {
    host: "127.0.0.1",
    proxy: {
      "/api": "http://127.0.0.1:8737",
      "/ws": { target: "ws://127.0.0.1:8737", ws: true },
    },
  },
  build: {
    outDir: join(root, "dist"),
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        format: "iife",
        entryFileNames: "assets/app.js",
        assetFileNames: "assets/app.[ext]",
      },
    },
  },
});
