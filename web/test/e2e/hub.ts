import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";

/** Sessions recorded from the real Pi CLI. */
export function session(name: string): string {
  return fileURLToPath(new URL(`../../../agent/pijson/testdata/${name}.jsonl`, import.meta.url));
}

/** A hub process on a free port of loopback; it can be killed and started again on the same one. */
export class HubProcess {
  url = "";
  #process: ChildProcess | undefined;

  async start(): Promise<void> {
    const address = this.url ? new URL(this.url).host : "127.0.0.1:0";
    const child = spawn(inject("hub"), ["serve", "--addr", address], { stdio: ["ignore", "pipe", "pipe"] });
    this.#process = child;
    let said = "";
    await new Promise<void>((resolve, reject) => {
      const listen = (data: Buffer) => {
        said += data;
        const found = /http:\/\/[0-9.:]+/.exec(said)?.[0];
        if (!found) return;
        this.url = found;
        resolve();
      };
      child.stdout?.on("data", listen);
      child.stderr?.on("data", listen);
      child.once("exit", (code) => reject(new Error(`the hub ended with ${code}: ${said}`)));
    });
  }

  /** Ends it as a power cut would, or as an operator would. */
  async stop(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  }

  /** What the hub itself says of a run. */
  async run(id: string): Promise<{ epoch: string; seq: number; hash: string; view: { runStatus: string } }> {
    const response = await fetch(`${this.url}/api/runs/${id}`);
    if (!response.ok) throw new Error(`${id}: ${response.status} ${await response.text()}`);
    return await response.json();
  }

  /** Publishes recorded sessions and waits until that is done. */
  async publish(run: string, ...args: string[]): Promise<void> {
    const publisher = this.publisher(run, ...args);
    publisher.stdin?.end();
    const [code] = await once(publisher, "exit");
    if (code !== 0) throw new Error(`publish ended with ${code}`);
  }

  /** A publisher that reads its standard input, if no file is given. */
  publisher(run: string, ...args: string[]): ChildProcess {
    return spawn(inject("hub"), ["publish", "--run", run, "--to", this.url, ...args], {
      stdio: ["pipe", "ignore", "inherit"],
    });
  }
}
