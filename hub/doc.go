// Package hub is a Ringside hub: it follows the logs of runs, and serves them to
// any number of observers over WebSocket and HTTP.
//
// A followed run is a view and an append-only log of ready-framed WebSocket
// messages (frameLog). An observer has no queue: it is a cursor into that log per
// watched run, one small outbox of private answers, and a reference to at most
// one snapshot that is shared with others. An appended batch is framed once; the
// same bytes go to everybody.
//
// Promises to an observer, per watched run:
//
//  1. It first gets a snapshot, or, where it names a position that is known, goes
//     on right after it. From then on it gets every event in order, none twice and
//     none left out, or a snapshot with its reason.
//  2. `check` messages are in the order of the log: the hash is that of the view
//     at exactly the position that the observer has then.
//  3. A slow observer slows nobody and holds no memory: it lags, then gets a
//     fresh snapshot and is told so, then is closed with 4430 and a time to come
//     back. One that reads nothing at all is cut off after Timing.Stall.
//  4. Nothing that a client sends can panic the hub, make it hold more than the
//     documented bounds, or hurt another observer.
//
// A hub keeps nothing that cannot be rebuilt from its store. A run is followed
// only while somebody watches it, and Timing.Linger longer; one follower serves
// all. Presence is never in log, view or hash.
//
// # Concurrency
//
// Hub's methods are safe for concurrent use. Goroutines: one per followed run
// that folds it, one that follows its presence, two per observer (reading and
// writing), one for the list of runs, one clock. All of them end before Close or
// Serve returns.
//
// Locks: Hub.mu, observer.mu, feed.mu (a run's, or the index's), conn.mu and
// writers.mu are never held together, and none of them across I/O, a send that
// may block or a callback. run.backfilling and feed.building exist to make others
// wait for one read and one encoding; feed.mu may be taken inside them. The write
// slot of a conn is held while writing: it is what keeps frames apart.
package hub
