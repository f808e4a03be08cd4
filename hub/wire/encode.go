package wire

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// Marshal encodes a hub's message; its Type need not be set. For the messages
// of the hot path use the Append functions.
func Marshal(m HubMessage) ([]byte, error) { return marshal(m.typedHub()) }

// MarshalClient encodes a client's message; its Type need not be set.
func MarshalClient(m ClientMessage) ([]byte, error) { return marshal(m.typed()) }

func marshal(m any) ([]byte, error) {
	b, err := json.Marshal(m, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode message: %w", err)
	}
	return b, nil
}

// AppendEvents appends an `events` message: the events of one batch, of one
// epoch, the first of which has seq first. The events' bytes go in unchanged.
func AppendEvents(dst []byte, run, epoch string, first int64, events [][]byte) []byte {
	size := 0
	for _, e := range events {
		size += len(e) + 1
	}
	dst = eventsHead(dst, run, epoch, first, size)
	for i, e := range events {
		dst = comma(dst, i)
		dst = append(dst, e...)
	}
	return append(dst, "]}"...)
}

// AppendEntries appends an `events` message as AppendEvents does, from at least
// one entry of a log: contiguous and of one epoch.
func AppendEntries(dst []byte, run string, entries []runlog.Entry) []byte {
	size := 0
	for i := range entries {
		size += len(entries[i].Data) + 1
	}
	dst = eventsHead(dst, run, entries[0].Epoch, entries[0].Seq, size)
	for i := range entries {
		dst = comma(dst, i)
		dst = append(dst, entries[i].Data...)
	}
	return append(dst, "]}"...)
}

// AppendMerged appends a `merged` message: the entries that were kept of the
// events from..to (both inclusive), in order.
func AppendMerged(dst []byte, run, epoch string, from, to int64, entries []runlog.Entry) []byte {
	size := 0
	for i := range entries {
		size += len(entries[i].Data) + 24
	}
	dst = slices.Grow(dst, size+len(run)+len(epoch)+128)
	dst = runHead(dst, `{"type":"merged","run":`, run)
	dst = quote(append(dst, `,"epoch":`...), epoch)
	dst = strconv.AppendInt(append(dst, `,"from":`...), from, 10)
	dst = strconv.AppendInt(append(dst, `,"to":`...), to, 10)
	dst = append(dst, `,"entries":[`...)
	for i := range entries {
		dst = append(comma(dst, i), '[')
		dst = strconv.AppendInt(dst, entries[i].Seq, 10)
		dst = append(append(append(dst, ','), entries[i].Data...), ']')
	}
	return append(dst, "]}"...)
}

// AppendSnapshot appends a `snapshot` message. viewJSON goes in unchanged.
func AppendSnapshot(dst []byte, run string, at runlog.Position, reason runlog.Reason, viewJSON []byte) []byte {
	dst = slices.Grow(dst, len(viewJSON)+len(run)+len(at.Epoch)+128)
	dst = runHead(dst, `{"type":"snapshot","run":`, run)
	dst = position(dst, at.Epoch, at.Seq)
	dst = quote(append(dst, `,"reason":`...), string(reason))
	dst = append(append(dst, `,"view":`...), viewJSON...)
	return append(dst, '}')
}

// AppendCheck appends a hub's `check` message: the view's hash at a position.
func AppendCheck(dst []byte, run string, at runlog.Position, hash string) []byte {
	dst = runHead(dst, `{"type":"check","run":`, run)
	dst = position(dst, at.Epoch, at.Seq)
	dst = quote(append(dst, `,"hash":`...), hash)
	return append(dst, '}')
}

// AppendStatus appends a `status` message.
func AppendStatus(dst []byte, s Status) []byte {
	dst = runHead(dst, `{"type":"status","run":`, s.Run)
	if w := s.Worker; w != nil {
		dst = strconv.AppendInt(append(dst, `,"worker":{"heardMs":`...), w.HeardMs, 10)
		if w.Stale {
			dst = append(dst, `,"stale":true`...)
		}
		dst = append(dst, '}')
	}
	if s.Store != "" {
		dst = quote(append(dst, `,"store":`...), s.Store)
	}
	if d := s.Delivery; d != nil {
		dst = quote(append(dst, `,"delivery":{"step":`...), d.Step)
		dst = optional(dst, `,"behind":`, d.Behind)
		dst = optional(dst, `,"merged":`, d.Merged)
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// AppendHeartbeat appends a `heartbeat` message; t is in Unix milliseconds.
func AppendHeartbeat(dst []byte, t int64) []byte {
	dst = strconv.AppendInt(append(dst, `{"type":"heartbeat","t":`...), t, 10)
	return append(dst, '}')
}

func eventsHead(dst []byte, run, epoch string, first int64, size int) []byte {
	dst = slices.Grow(dst, size+len(run)+len(epoch)+96)
	dst = runHead(dst, `{"type":"events","run":`, run)
	dst = position(dst, epoch, first)
	return append(dst, `,"events":[`...)
}

func runHead(dst []byte, head, run string) []byte { return quote(append(dst, head...), run) }

func position(dst []byte, epoch string, seq int64) []byte {
	dst = quote(append(dst, `,"epoch":`...), epoch)
	return strconv.AppendInt(append(dst, `,"seq":`...), seq, 10)
}

func optional(dst []byte, name string, n int64) []byte {
	if n == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, name...), n, 10)
}

func comma(dst []byte, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return dst
}

// quote appends s as a JSON string. Invalid UTF-8 becomes U+FFFD, which the
// error would only repeat.
func quote(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}
