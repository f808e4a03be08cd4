// Package cluster holds what hubs share beside the logs of runs: so far who
// watches what (Presence), with an implementation for a single hub. Package
// clustertest checks the contract on every implementation.
//
// Promises:
//
//  1. Presence is best effort and never exact: it is not in any log, view or
//     hash, and losing it loses nothing.
//  2. A follower is given states, not changes: what it did not fetch is
//     replaced by what is newer, so a slow one costs nothing.
//  3. Everything is bounded: names and targets are cut, a state names at most so
//     many people and counts the rest.
//
// All methods are safe for concurrent use, except that one follower's Next
// belongs to one goroutine at a time.
package cluster
