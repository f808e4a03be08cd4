package redis

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// A batch is stored and published as one string: each event preceded by its
// length as a uvarint.

func appendFrames(dst []byte, events [][]byte) []byte {
	for _, e := range events {
		dst = binary.AppendUvarint(dst, uint64(len(e)))
		dst = append(dst, e...)
	}
	return dst
}

func framesSize(events [][]byte) (n int) {
	for _, e := range events {
		n += binary.MaxVarintLen32 + len(e)
	}
	return n
}

var errFrames = errors.New("damaged batch")

// splitFrames gives the n events of a batch. They share one new array.
func splitFrames(s string, n int) ([][]byte, error) {
	if n < 1 || n > runlog.MaxBatchEvents {
		return nil, fmt.Errorf("%w: %d events", errFrames, n)
	}
	data := []byte(s)
	out := make([][]byte, 0, n)
	for len(data) > 0 && len(out) < n {
		size, w := binary.Uvarint(data)
		if w <= 0 || size == 0 || size > uint64(len(data)-w) {
			return nil, fmt.Errorf("%w: event %d of %d", errFrames, len(out)+1, n)
		}
		end := w + int(size)
		out = append(out, data[w:end:end])
		data = data[end:]
	}
	if len(out) != n || len(data) > 0 {
		return nil, fmt.Errorf("%w: %d events and %d bytes more, want %d events", errFrames, len(out), len(data), n)
	}
	return out, nil
}

// batch is what one append wrote.
type batch struct {
	entries []runlog.Entry // never empty, never changed
	bytes   int
}

func newBatch(epoch string, first int64, events [][]byte) batch {
	b := batch{entries: make([]runlog.Entry, len(events))}
	for i, e := range events {
		b.entries[i] = runlog.Entry{Position: runlog.Position{Epoch: epoch, Seq: first + int64(i)}, Data: e}
		b.bytes += len(e)
	}
	return b
}

func (b batch) first() int64 { return b.entries[0].Seq }
func (b batch) last() int64  { return b.entries[len(b.entries)-1].Seq }

// after gives what of the batch follows seq.
func (b batch) after(seq int64) []runlog.Entry {
	return b.entries[min(max(seq+1-b.first(), 0), int64(len(b.entries))):]
}

// message is what the scripts publish on a run's channel.
type message struct {
	// kind: E a batch, N a batch that is too large to be published, R a new
	// epoch, B a sign of life.
	kind byte
	head head
	// batch is set for E; head.seq is its last then.
	batch batch
	// owner and released are set for B.
	owner    string
	released bool
}

// head is where a run is, as far as is known. term orders epochs: a newer epoch
// has a larger one, even in a store that was emptied.
type head struct {
	term  int64
	epoch string
	seq   int64
}

func parseMessage(s string) (m message, err error) {
	bad := func() (message, error) { return message{}, fmt.Errorf("message %.60q not understood", s) }
	top, body, _ := strings.Cut(s, "\n")
	if len(top) < 2 {
		return bad()
	}
	m.kind = top[0]
	f := strings.SplitN(s[:len(top)], " ", 6)
	if len(f) < 4 || len(f[0]) != 1 || f[2] == "" {
		return bad()
	}
	m.head.epoch = f[2]
	var e1, e2 error
	m.head.term, e1 = strconv.ParseInt(f[1], 10, 64)
	m.head.seq, e2 = strconv.ParseInt(f[3], 10, 64)
	if e1 != nil || e2 != nil || m.head.seq < 0 || m.head.seq > runlog.MaxSeq {
		return bad()
	}
	switch {
	case m.kind == 'E' && len(f) == 5:
		n, err := strconv.Atoi(f[4])
		if err != nil {
			return bad()
		}
		events, err := splitFrames(body, n)
		if err != nil {
			return message{}, err
		}
		m.batch = newBatch(m.head.epoch, m.head.seq, events)
		m.head.seq = m.batch.last()
	case m.kind == 'B' && len(f) == 6:
		m.released = f[4] == "1"
		// An owner may hold anything, a line break too.
		m.owner = strings.SplitN(s, " ", 6)[5]
	case m.kind == 'N' && len(f) == 4, m.kind == 'R' && len(f) == 4:
	default:
		return bad()
	}
	return m, nil
}
