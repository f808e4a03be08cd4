import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** The system's Chromium; CHROMIUM names another one. */
const executablePath =
  process.env.CHROMIUM ??
  ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => existsSync(path));

/** Quiet, and alone: it talks to nobody but the hub. */
const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
];

export async function launch(): Promise<Browser> {
  if (!executablePath)
    throw new Error("no Chromium found: install it (Debian: apt-get install chromium), or set CHROMIUM to one");
  return await chromium.launch({ executablePath, args, headless: true });
}

/** A page that fails the test if anything goes wrong in it. */
export class Watched {
  readonly page: Page;
  readonly problems: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on("pageerror", (error) => this.problems.push(`error: ${error.message}`));
    page.on("console", (message) => {
      // A lost link is the matter of some tests; everything else that is logged is a fault.
      if (message.type() === "error" && !/WebSocket connection|ERR_CONNECTION_REFUSED/.test(message.text())) {
        this.problems.push(message.text());
      }
    });
  }

  static async open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Watched> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const watched = new Watched(await context.newPage());
    await watched.page.goto(url);
    return watched;
  }

  /** The position and hash of what this page holds. */
  async holds(): Promise<{ run: string; epoch: string; seq: number; hash: string } | undefined> {
    return await this.page.evaluate(() => window.ringside?.run());
  }

  /** Waits until the page has folded that far. */
  async reaches(at: { epoch: string; seq: number }): Promise<void> {
    await this.page.waitForFunction(
      ({ epoch, seq }) => {
        const held = window.ringside?.run();
        return held !== undefined && held.epoch === epoch && held.seq >= seq;
      },
      { epoch: at.epoch, seq: at.seq },
      // Not by frames, which is the default: a test may have stopped them.
      { polling: 50 },
    );
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
