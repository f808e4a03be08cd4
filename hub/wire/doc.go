// Package wire is Ringside's language towards the outside: the WebSocket
// messages between hubs and observers, the HTTP bodies between workers and
// hubs, the codes that both speak, and the Go ends of both.
//
// Promises:
//
//  1. Bytes from outside cannot panic, hang or grow without bound. Every decoder
//     has a size limit, and refuses invalid UTF-8, doubled and unknown members,
//     deep nesting, long numbers and anything after the value. The error names
//     what was wrong and where, and never what Go types we use.
//  2. What a client sends is checked against the published schema (SchemaJSON)
//     before Decode returns it; the schema is the same file that a hub serves.
//  3. The bytes of an event are never re-encoded. What a worker wrote is what
//     every observer reads; DecodeAppend only drops white space between tokens.
//  4. Append functions write one whole message behind dst and allocate nothing
//     where dst has room.
//  5. The codes (close codes, error codes, HTTP status codes) are tables. The
//     files testdata/*-codes.json mirror them for the TypeScript client, and a test
//     fails where the two differ.
//
// Functions are safe for concurrent use. A Client is read by one goroutine and
// may be written by several; an Observer belongs to one goroutine; a Remote may
// be shared, and its writers follow runlog.Writer. No type here starts a
// goroutine that outlives its call.
package wire
