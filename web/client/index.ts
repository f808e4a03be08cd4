export * from "./connection/index.ts";
export * from "./protocol/index.ts";
export * from "./state/index.ts";
