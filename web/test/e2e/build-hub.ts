import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

const repository = fileURLToPath(new URL("../../../", import.meta.url));

declare module "vitest" {
  export interface ProvidedContext {
    /** The hub binary under test. */
    hub: string;
  }
}

/** Builds the hub once, with the committed page inside, into a folder of its own. */
export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "ringside-e2e-"));
  const hub = join(folder, "hub");
  execFileSync("go", ["build", "-o", hub, "./cmd/hub"], { cwd: repository, stdio: "inherit" });
  project.provide("hub", hub);
  return () => rmSync(folder, { recursive: true, force: true });
}
