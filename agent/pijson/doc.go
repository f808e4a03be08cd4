// Package pijson decodes the JSON lines that the Pi coding agent writes
// (`pi --mode json`, and the event lines of `pi --mode rpc`) into agent events.
//
//	r := pijson.NewReader(os.Stdin, pijson.Options{})
//	for {
//		rec, err := r.Next()
//		if err != nil {
//			return err // io.EOF at the end of the stream
//		}
//		for _, ev := range rec.Events { … }
//	}
//
// # Promises
//
//  1. Order and completeness: every line that is not empty gives exactly one
//     Record, in the order of the stream. A record holds events, or says which
//     type was skipped, or says why the line was quarantined.
//  2. A broken line costs itself only. Next fails for one reason: the
//     underlying reader failed or ended, and then every byte that came before
//     has been accounted for. The error is given again by later calls.
//  3. How the bytes were cut into reads makes no difference to the records. A
//     line is handed out as soon as its LF has been read.
//  4. Lines end in LF only, with an optional CR before it; U+2028 and U+2029 are
//     data. A byte order mark before the first line is dropped. A last line
//     without LF counts if it is whole.
//  5. Memory is bounded by the longest line that Options allows and what is
//     decoded from it. A longer line is discarded while it is read; only an
//     agent_end still gives its event, without messages, since it repeats the
//     whole run and a run has to end. Nothing in a line can panic, recurse
//     without limit or grow what the Reader keeps.
//  6. All text and raw JSON in events is valid: ill-formed UTF-8 and lone
//     surrogate escapes become U+FFFD before decoding. A character that Pi has
//     cut in two between the deltas of one block comes whole, with the second
//     of them. Raw JSON (arguments, details) is otherwise kept as the stream
//     has it: key order, numbers and spacing.
//  7. Events share no memory with the Reader, which may be read on while they
//     are kept.
//  8. No path that a line names is ever opened.
//
// # Strict and lenient
//
// A field that becomes part of the view (a call's id, a text, a delta, an error
// flag) must have its type, else the line is quarantined with the JSON pointer
// of that field. A field that is not needed (usage, times, the model's name, the
// copies of messages in agent_end) is left out if it is odd. Unknown fields are
// ignored, unknown event types skipped and counted, and so is a message that an
// extension marks as not for display. Of duplicate keys the last one wins, as in
// JavaScript. JSON null is the same as an absent field, except as a call's
// arguments.
//
// # Shapes
//
// Every published shape is read: delta-only updates (Pi 0.84 and later) and
// cumulative ones before, of which only the delta is used, so that nothing is
// derived twice (an update without any delta gives no event: message_end is
// authoritative); tool results that are an object or plain text; and the names
// that events had in older versions.
//
// # Concurrency
//
// A Reader belongs to one goroutine at a time.
package pijson
