export * from "./close-code.ts";
export * from "./decode.ts";
export * from "./entities.ts";
export * from "./events.ts";
export * from "./messages.ts";
export * from "./undecoded.ts";
