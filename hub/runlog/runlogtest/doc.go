// Package runlogtest checks the contract of runlog on any Store: Run is the
// suite that every implementation passes.
//
// Its parts are useful to other tests: Script makes plausible events, Author is
// a writer that keeps its own view, Verifier checks every update that a follower
// gets, Ledger knows what every position held over all observers, and Faulty
// lets calls to a store fail, hang, or succeed with their answer lost.
package runlogtest
