package hub

import "sync/atomic"

// Stats are a hub's counters since its start. They only grow, and are read
// without any lock.
type Stats struct {
	EventsIn  atomic.Int64 // events folded
	BadEvents atomic.Int64 // events that could not be folded
	Frames    atomic.Int64 // frames of logs given to observers
	Writes    atomic.Int64 // writes to observers' sockets
	Snapshots atomic.Int64 // snapshots encoded
	Resets    atomic.Int64 // breaks in a run's sequence
	Backfills atomic.Int64 // reads of history for resuming observers
	Follows   atomic.Int64 // runs followed anew

	Opened   atomic.Int64 // connections accepted
	Rejected atomic.Int64 // handshakes refused
	Closed   atomic.Int64 // connections ended
	Refused  atomic.Int64 // client messages refused
	Slowed   atomic.Int64 // snapshots for observers that were too slow
	Stalled  atomic.Int64 // connections ended because nothing was read
	Silent   atomic.Int64 // connections ended because a ping was not answered

	Claims   atomic.Int64 // runs claimed over HTTP
	Appended atomic.Int64 // events appended over HTTP

	Reaped     atomic.Int64 // runs given up because their worker was lost
	ReapFailed atomic.Int64 // attempts that the store did not allow
}
