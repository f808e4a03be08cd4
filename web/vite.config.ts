import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, defineConfig, type Plugin } from "vite";

const root = fileURLToPath(new URL(".", import.meta.url));

/** What dist is built from. A Go test computes the same hash, so that a forgotten build is found without Node. */
const sourceFolders = ["client", "src", "public"];
const sourceFiles = ["package.json", "package-lock.json", "vite.config.ts", "tsconfig.json", "index.html"];

const target = "es2022";

/** Gzipped bytes that the page may weigh: its scripts together but for the languages, which their readers load. */
const budgets = { js: 60_000, css: 10_000, language: 6_000 };
const languages = ["zh-cn.js"];

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
      const weigh = (files: string[], budget: number) => {
        const size = files.reduce(
          (sum, file) => sum + gzipSync(readFileSync(join(outDir, "assets", file)), { level: 9 }).length,
          0,
        );
        this.info(`${files.join(" + ")}: ${size} of ${budget} bytes gzipped`);
        if (size > budget) this.error(`${files.join(" + ")} weigh ${size} bytes gzipped, the budget is ${budget}`);
      };
      const assets = readdirSync(join(outDir, "assets")).sort();
      for (const language of languages) weigh([language], budgets.language);
      weigh(
        assets.filter((file) => file.endsWith(".js") && !languages.includes(file)),
        budgets.js,
      );
      weigh(
        assets.filter((file) => file.endsWith(".css")),
        budgets.css,
      );
    },
  };
}

/**
 * src/first.ts becomes a classic script in the head, with nothing shared: it runs before the first paint, so a
 * remembered theme never flashes, under a policy that allows no inline script.
 */
function firstScript(): Plugin {
  const tag = '    <script type="module" src="/src/first.ts"></script>\n';
  return {
    name: "ringside:first-script",
    apply: "build",
    transformIndexHtml: {
      order: "pre",
      handler(html) {
        if (!html.includes(tag)) throw new Error("index.html has no first script");
        return {
          html: html.replace(tag, ""),
          tags: [{ tag: "script", attrs: { src: "/assets/first.js" }, injectTo: "head" }],
        };
      },
    },
    async writeBundle({ dir = "" }) {
      await build({
        configFile: false,
        root,
        logLevel: "warn",
        publicDir: false,
        build: {
          outDir: dir,
          emptyOutDir: false,
          target,
          rolldownOptions: {
            input: join(root, "src/first.ts"),
            output: { format: "iife", entryFileNames: "assets/first.js" },
          },
        },
      });
    },
  };
}

export default defineConfig({
  root,
  resolve: { alias: { "@ringside/client": join(root, "client/index.ts") } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [firstScript(), sealDist()],
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
    target,
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        format: "es",
        entryFileNames: "assets/app.js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/app.[ext]",
      },
    },
  },
});
