import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

/** The client as somebody else would use it: built, installed into a project of theirs, on Node, with types. */
const web = fileURLToPath(new URL("..", import.meta.url));
const tsc = join(web, "node_modules/typescript/bin/tsc");
let project = "";

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "ringside-client-"));
  const installed = join(project, "node_modules/@ringside/client");
  mkdirSync(installed, { recursive: true });
  execFileSync(process.execPath, [tsc, "-p", join(web, "client/tsconfig.json"), "--outDir", installed]);
  copyFileSync(join(web, "client/package.json"), join(installed, "package.json"));
  symlinkSync(join(web, "node_modules/@types"), join(project, "node_modules/@types"));
  writeFileSync(join(project, "package.json"), '{"type":"module"}');
}, 60_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

const program = `
import { apply, decodeProjectedEvent, hash, View, type ToolStatus } from "@ringside/client";
const view = new View();
const event = decodeProjectedEvent({ type: "tool_start", t: 1, key: "c1", name: "bash" });
if (event.ok) apply(view, event.value);
const status: ToolStatus | undefined = view.tools.get("c1")?.status;
console.log(status, hash(view).length);
`;

test("it runs and its types resolve", () => {
  writeFileSync(join(project, "program.ts"), program);
  const options = ["--strict", "--module", "nodenext", "--target", "es2023", "--types", "node", "program.ts"];
  execFileSync(process.execPath, [tsc, ...options], { cwd: project, stdio: "inherit" });
  const out = execFileSync(process.execPath, ["program.js"], { cwd: project, encoding: "utf8" });
  expect(out.trim()).toBe("preparing 64");
}, 60_000);
