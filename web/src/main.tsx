import { hash } from "@ringside/client";
import { render } from "preact";
import { loadLanguage } from "./lib/i18n.ts";
import { startRouter } from "./lib/router.ts";
import { App } from "./pages/app.tsx";
import { AppStore } from "./store/app-store.ts";
import { startClock } from "./store/clock.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/frame.css";
import "./styles/banner.css";
import "./styles/transcript.css";
import "./styles/card.css";
import "./styles/output.css";
import "./styles/runs.css";

declare global {
  interface Window {
    /** For tests and for the curious: what this page holds, and its hash. */
    ringside?: { run(): { run: string; epoch: string; seq: number; hash: string } | undefined };
  }
}

async function start(root: HTMLElement): Promise<void> {
  await loadLanguage();
  const app = new AppStore(new URL("/ws", location.href.replace(/^http/, "ws")).href);
  startClock();
  startRouter();
  app.start();
  render(<App app={app} />, root);
  window.ringside = {
    run() {
      const store = app.opened.value;
      const position = store?.watch.follower.position;
      return store && position && { run: store.run, ...position, hash: hash(store.view) };
    },
  };
}

const root = document.getElementById("app");
if (root) void start(root);
