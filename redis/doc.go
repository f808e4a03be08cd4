// Package redis is runlog.Store over Redis 7: a stream as a run's log, Pub/Sub
// for live delivery. It alone knows the Redis client. Redis is one server, a master
// that sentinels name, or a cluster: see Config.URL.
//
// # What it promises
//
// All of package runlog, and beside that:
//
//   - Redis never assigns a seq, an epoch or a time that is compared with another
//     clock. One (epoch, seq) names one event, whatever Redis loses.
//   - "Acked" means that Redis has the batch in memory and has published it. With
//     appendonly and everysec it survives a kill of Redis; a crash of the machine
//     may take the last second or two. What is lost is brought again by the
//     writer, which is told AppendGap or ErrNoRun at its next append. Only if
//     Redis loses an event and its worker dies before that, it is gone.
//   - Each operation is one script, so it happens as a whole or not at all, and
//     each script gives the same answer when it is repeated. A call is repeated
//     here only when its connection broke; after a timeout the caller decides.
//   - Every call has a deadline (Timeouts.Call). Redis away, loading, full, unable
//     to write, read-only, overloaded: runlog.ErrUnavailable with the cause.
//   - Open does not need Redis. Follow, Claim, Index fail at once while it is away;
//     followers that exist are told Link{false}, and Link{true} once everything
//     they follow was compared with the log again.
//   - A follower holds no queue: it is a cursor into the run's newest batches
//     (Limits.BufferBytes), which its process shares, and into the log behind
//     them. One that is not read costs nothing more, and slows nobody.
//   - A lost last message is found by a check of positions, every Timeouts.Check.
//   - A failover costs its own time and that of noticing it: a subscription that hears
//     nothing, or not its own probe, for Timeouts.Link is made anew, also where an old
//     master holds its connections. A promoted replica that lacks the newest events
//     answers the writer AppendGap, and gets the same events at the same positions.
//   - On a cluster each partition in use has a subscription of its own, on the
//     node of its slot (SSUBSCRIBE); the list of runs uses all 64. It moves when the slot does.
//     One shard's outage is seen by the runs on it, and by whoever begins to follow the list.
//
// Stores are safe for concurrent use; writers and followers as in runlog. Close
// blocks until all goroutines are out.
//
// # Keys
//
// T is the partition's tag, one of 64, from the run's id; so all keys of one run
// are in one slot of a cluster.
//
//	rs:{T}:r:RUN:m     hash: e epoch, t its term, b its base, s last seq, ps the snapshot's
//	                   seq, n events and by bytes in the stream, w newest claim, f its term,
//	                   h held, o owner, hb last sign of life, past epochs, x last refresh
//	rs:{T}:r:RUN:s     stream: one entry for each batch, id FIRSTSEQ-0, e epoch, n count, d events
//	rs:{T}:r:RUN:p     snapshot: epoch|seq|zstd of the view's JSON
//	rs:{T}:r:RUN:b     hash of outputs: name to "id bytes serial"
//	rs:{T}:r:RUN:b:ID  one whole output
//	rs:{T}:i, :it      the partition's part of the list of runs, and when each expires
//	rs:{T}:c:RUN       channel: E batch, N batch too large to publish, R new epoch, B sign of life
//	rs:{T}:ic          channel: changes of the list
//	rs:{T}:probe:ID    channel: on which a link hears itself
//
// One entry for a batch, not one for an event: one script argument, one XADD and
// one message however many events there are, and no stream overhead for each.
// The price is that the log is trimmed by whole batches.
//
// # Scripts
//
// lua/*.lua, each behind lua/prelude.lua, called by their hash: a Redis that was
// restarted or had its scripts flushed gets them again with the next call.
//
// # Limits
//
// See Limits: a log is bounded by events and bytes but never cut beyond its newest
// checkpoint, runs and outputs expire, the list of runs prunes itself. Redis should
// run with maxmemory-policy noeviction: eviction would take a log and leave
// what belongs to it.
package redis
