/** What a connection needs of a socket: enough to be a browser's, Node's, or a test's. */
export interface Socket {
  send(text: string): void;
  /** Asks for the end. `closed` follows, unless it was called already. */
  close(code?: number, reason?: string): void;
}

export interface SocketHandlers {
  opened(): void;
  received(data: unknown): void;
  /** The last call. Code 1006 where the link just broke. */
  closed(code: number, reason: string): void;
}

/** Opens a socket and tells its handlers what happens, never before it has returned. */
export type OpenSocket = (url: string, protocol: string, handlers: SocketHandlers) => Socket;

/** The platform's own WebSocket (browsers, Node 22). */
export const platformSocket: OpenSocket = (url, protocol, handlers) => {
  const socket = new WebSocket(url, protocol);
  socket.addEventListener("open", () => handlers.opened());
  socket.addEventListener("message", (event: MessageEvent<unknown>) => handlers.received(event.data));
  // An error is always followed by a close, which says as much.
  socket.addEventListener("close", (event) => handlers.closed(event.code, event.reason));
  return {
    send: (text) => socket.send(text),
    close: (code, reason) => socket.close(code, reason),
  };
};
