// Package agent holds the agent runtime's vocabulary: its events, messages and
// results. The semantics are those of the Pi agent core.
//
// Events of one run form one total order. An Event value is immutable once
// emitted: whoever receives one may keep it, and nobody may change what it
// points to.
package agent
