// Package projector turns agent events into projected events: the small,
// cleaned, keyed form that is the only thing ever to leave a worker. It
// selects, shortens, redacts and names; the fold in hub/view does the rest.
//
// Promises:
//
//  1. Pure and synchronous: no I/O, no clock (times are passed in), no
//     goroutine. The same calls give the same events. A Projector belongs to one
//     run and is not safe for concurrent use; a Redactor is.
//  2. Order is kept. Deltas wait to be joined until Flush; whatever else is
//     projected lets them go first.
//  3. Every event it makes passes view.DecodeEvent and stays within Limits,
//     whatever comes in. Nothing in here panics or grows with a run's length.
//  4. Redact first, then cut, never inside a character. JSON text stays the
//     JSON text it was: only the bytes of a hidden value change.
//  5. A call keeps its key (c1, c2, …) through all its events; a second call
//     with the same id has a key of its own. What fits no call at all goes out
//     under StrayKey, for the fold to count: it is never guessed.
//
// Well-formed input (Pi's event order) never makes the fold count a stray.
package projector
