export { canonical } from "./canonical.ts";
export { apply, reduce } from "./fold.ts";
export { digestsOf, HashJob, hash } from "./hash.ts";
export { viewToJSON } from "./json.ts";
export { type Break, type Followed, RunFollower } from "./run-follower.ts";
export { isOpen, isSettled, View } from "./view.ts";
