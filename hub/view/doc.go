// Package view is the heart of Ringside: projected events, the view that
// folding them gives, and the hash that proves what a view holds.
//
// Promises:
//
//  1. The fold is pure. Apply reads no clock, does no I/O, starts no goroutine
//     and never fails. The same events in the same order give the same view and
//     the same hash, in Go and in the TypeScript client: the files in testdata
//     (events, and the view and hash after each) are read by the tests of both.
//  2. A view says only what is known. A card is preparing until a real update
//     makes it running; open cards become lost or skipped when their turn, run
//     or worker ends, and a later end replaces that presumption; a settled card
//     never changes again.
//  3. A View owns its containers and replaces entities: what was read from it
//     stays valid and unchanged, and Clone costs pointers, not text.
//  4. Folding a decoded snapshot on gives what folding everything gives.
//  5. Decoding is strict and bounded, and names what was wrong. The fold cuts
//     nothing: limits are the projector's.
//
// A View is not safe for concurrent use; its entities are.
package view
