import {
  type Bye,
  type ClientMessage,
  closeCode,
  decodeText,
  type HubMessage,
  reconnects,
  subprotocol,
  type Welcome,
} from "../protocol/index.ts";
import { backoffMs } from "./backoff.ts";
import { Silence } from "./silence.ts";
import type { OpenSocket, Socket } from "./socket.ts";

/** The state of the way to the hub. Times are of this machine's clock. */
export type Link =
  /** A socket is being opened, or the hub has not said welcome yet. */
  | { readonly state: "connecting"; readonly attempt: number }
  | { readonly state: "live"; readonly welcome: Welcome }
  /** Lost; the next attempt comes at retryAt. */
  | {
      readonly state: "waiting";
      readonly attempt: number;
      readonly retryAt: number;
      readonly code: number;
      readonly reason: string;
    }
  /** Ended by the hub with a code after which nothing would be different, or by close(). */
  | { readonly state: "stopped"; readonly code: number; readonly reason: string };

export interface ConnectionOptions {
  /** The hub's ws:// or wss:// address. */
  readonly url: string;
  readonly open: OpenSocket;
  /** What this client calls itself and its user, and its one-time ticket. Asked for at each attempt. */
  readonly hello?: () => { ticket?: string; name?: string; client?: string };
  /** 0 ≤ x < 1, for jitter. */
  readonly random?: () => number;
}

export interface ConnectionHandlers {
  link(link: Link): void;
  /** Every message but welcome and bye. */
  message(message: HubMessage): void;
  /** A frame that is no message of the protocol; it was left out. What it was part of has a gap now. */
  undecodable(error: string, frame: unknown): void;
}

/** A socket that was not welcomed by then is given up. */
const welcomeWithinMs = 10_000;
/** A link that lived this long starts the back-off anew. */
const steadyAfterMs = 5_000;

/**
 * One connection to a hub that is made again when it is lost. It says hello,
 * waits for welcome, and counts a link on which nothing came for two and a half
 * heartbeats as lost; only a snapshot that was asked for may take longer. What
 * is watched is the caller's to say, on every `live`.
 */
export class Connection {
  link: Link = { state: "stopped", code: closeCode.normal, reason: "not opened" };
  /** When the last message came (ms of this machine), 0 if none did. */
  heardAt = 0;
  readonly #options: ConnectionOptions;
  readonly #handlers: ConnectionHandlers;
  #socket: Socket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the timer that watches the silence fires. */
  #wakesAt = 0;
  #attempt = 0;
  #liveSince = 0;
  #silence = new Silence(welcomeWithinMs, 0);
  #bye: Bye | undefined;

  constructor(options: ConnectionOptions, handlers: ConnectionHandlers) {
    this.#options = options;
    this.#handlers = handlers;
  }

  /** Starts, or does nothing where it has started already. */
  open(): void {
    if (this.link.state === "stopped") this.#connect();
  }

  /** Ends it for good; `open` starts again. */
  close(): void {
    if (this.link.state === "stopped") return;
    this.#drop(closeCode.normal, "closed");
    this.#attempt = 0;
    this.#setLink({ state: "stopped", code: closeCode.normal, reason: "closed" });
  }

  /** Does not wait for the next attempt. */
  retryNow(): void {
    if (this.link.state === "waiting" || this.link.state === "stopped") this.#connect();
  }

  /** Looks at once whether the link went silent: timers of a machine that slept are late. */
  verify(): void {
    if (this.#socket && Date.now() >= this.#silence.deadline) this.#lost(closeCode.lost, "nothing was heard");
  }

  /** Sends, or returns false where the link is not live. */
  send(message: ClientMessage): boolean {
    if (this.link.state !== "live" || !this.#socket) return false;
    this.#socket.send(JSON.stringify(message));
    this.#silence.sent(message, Date.now());
    this.#wakeInTime();
    return true;
  }

  #connect(): void {
    this.#drop();
    this.#attempt++;
    this.#bye = undefined;
    this.heardAt = Date.now();
    this.#silence = new Silence(welcomeWithinMs, this.heardAt);
    this.#setLink({ state: "connecting", attempt: this.#attempt });
    // A socket that was given up may still speak; only the present one counts.
    const mine = (socket: Socket) => socket === this.#socket;
    const socket: Socket = this.#options.open(this.#options.url, subprotocol, {
      opened: () => mine(socket) && this.#hello(socket),
      received: (data) => mine(socket) && this.#received(data),
      closed: (code, reason) => mine(socket) && this.#lost(code, reason),
    });
    this.#socket = socket;
    this.#watchSilence();
  }

  #hello(socket: Socket): void {
    socket.send(JSON.stringify({ type: "hello", ...this.#options.hello?.() } satisfies ClientMessage));
  }

  #received(data: unknown): void {
    this.heardAt = Date.now();
    const decoded = decodeText(data);
    if (!decoded.ok) {
      this.#silence.undecodable(data, this.heardAt);
      this.#wakeInTime();
      return this.#handlers.undecodable(decoded.error, data);
    }
    const message = decoded.value;
    this.#silence.received(message, this.heardAt);
    this.#wakeInTime();
    if (message.type === "welcome") return this.#welcomed(message);
    if (message.type === "bye") {
      this.#bye = message;
      return;
    }
    this.#handlers.message(message);
  }

  #welcomed(welcome: Welcome): void {
    this.#liveSince = Date.now();
    this.#silence.welcomed(welcome.heartbeatMs);
    this.#setLink({ state: "live", welcome });
    this.#watchSilence();
  }

  /** One timer: it looks when the link would count as dead and sleeps until then. */
  #watchSilence(): void {
    clearTimeout(this.#timer);
    this.#wakesAt = this.#silence.deadline;
    this.#timer = setTimeout(
      () => {
        this.verify();
        if (this.#socket) this.#watchSilence();
      },
      Math.max(1, this.#wakesAt - Date.now()),
    );
  }

  /** What was due has come: the timer would be late. */
  #wakeInTime(): void {
    if (this.#silence.deadline < this.#wakesAt) this.#watchSilence();
  }

  #lost(code: number, reason: string): void {
    const bye = this.#bye;
    const why = bye && code === closeCode.lost ? bye.code : code;
    this.#drop();
    if (this.#liveSince > 0 && Date.now() - this.#liveSince >= steadyAfterMs) this.#attempt = 0;
    this.#liveSince = 0;
    if (!reconnects(why)) {
      this.#setLink({ state: "stopped", code: why, reason: reason || bye?.reason || "" });
      return;
    }
    const attempt = this.#attempt + 1;
    const delay = backoffMs(attempt, bye?.retryAfterMs ?? 0, this.#options.random ?? Math.random);
    this.#timer = setTimeout(() => this.#connect(), delay);
    this.#setLink({
      state: "waiting",
      attempt,
      retryAt: Date.now() + delay,
      code: why,
      reason: reason || bye?.reason || "",
    });
  }

  #drop(code?: number, reason?: string): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close(code, reason);
  }

  #setLink(link: Link): void {
    this.link = link;
    this.#handlers.link(link);
  }
}
