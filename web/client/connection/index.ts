export { Client, type ClientHandlers, type ListedRun, type RunsHandlers } from "./client.ts";
export { Connection, type ConnectionHandlers, type ConnectionOptions, type Link } from "./connection.ts";
export { type RunHandlers, RunWatch } from "./run-watch.ts";
export { type OpenSocket, platformSocket, type Socket, type SocketHandlers } from "./socket.ts";
