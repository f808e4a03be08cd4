// Package runlog holds the logs of runs: positions, entries, snapshots, the
// Store that keeps them, and the store that lives in this process (Memory).
// Package runlogtest checks the contract on every implementation.
//
// Promises of every Store:
//
//  1. A follower, whenever it joins, gets a snapshot and then every event after
//     it: no gap, no double, no reordering. Where that cannot be kept it gets an
//     explicit Reset with a snapshot and its reason.
//  2. One (epoch, seq) never names two different events, whatever the store
//     loses: the writer assigns seq, and every claim makes a new epoch.
//  3. A fenced writer writes nothing, by whatever call.
//  4. An unknown position is answered with ErrUnknownPosition or a snapshot,
//     never with silence or a part.
//  5. An append is atomic, and repeating one whose answer was lost is harmless.
//
// Stores and index are safe for concurrent use; a Writer's Append and
// Checkpoint belong to one goroutine at a time, and so does a follower's Next.
// Close may be called from anywhere, any number of times; it ends every call
// that waits.
package runlog
