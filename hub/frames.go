package hub

import (
	"encoding/binary"
	"net"
	"slices"
	"sort"
)

// Sizes of a frame log's chunks: the first of a log is small, since most
// watched runs are quiet; each next one doubles up to the largest.
const (
	minChunk = 4 << 10
	maxChunk = 64 << 10
)

// frameLog is an append-only log of ready-framed WebSocket messages: header and
// payload, exactly the bytes that go to every observer. Frames are numbered; a
// cursor is the number of the next frame that somebody wants. The oldest chunks
// are dropped when the log passes its bounds.
//
// A frameLog does no locking. Slices that it gives out stay valid and unchanged:
// a chunk is only ever written behind what was given out, and never reallocated.
type frameLog struct {
	maxBytes  int
	maxFrames int64

	chunks []*chunk
	next   int64 // number that the next frame gets
	bytes  int   // of all kept frames
	// written counts bytes ever appended, so that a distance between two
	// moments can be told.
	written int64
	// seq is the run's position after the newest frame; 0 for a log without
	// positions.
	seq int64
	// trimmed is set once frames have been dropped: cursors may point to them, so
	// their numbers must not be given to others.
	trimmed bool
}

// historyRoom is how many numbers are left free at a log's begin, for frames
// that are put in front of it later.
const historyRoom = 1 << 20

// chunk holds some frames back to back in one piece of memory.
type chunk struct {
	first  int64 // number of its first frame
	before int64 // seq before its first frame
	buf    []byte
	frames []frameEnd
}

// frameEnd says where a frame ends, and the run's seq after it.
type frameEnd struct {
	end   int
	after int64
}

// first returns the number of the oldest kept frame: next if there is none.
func (l *frameLog) first() int64 {
	if len(l.chunks) == 0 {
		return l.next
	}
	return l.chunks[0].first
}

// append frames payload as one text message. after is the run's seq once the
// frame is applied (l.seq for frames that are no events).
func (l *frameLog) append(payload []byte, after int64) {
	size := frameSize(len(payload))
	c := l.tail(size)
	c.buf = append(appendHeader(c.buf, opText, len(payload)), payload...)
	c.frames = append(c.frames, frameEnd{len(c.buf), after})
	l.next++
	l.seq = after
	l.bytes += size
	l.written += int64(size)
	l.trim()
}

// tail returns the chunk that has room for size more bytes.
func (l *frameLog) tail(size int) *chunk {
	room := minChunk
	if n := len(l.chunks); n > 0 {
		c := l.chunks[n-1]
		if cap(c.buf)-len(c.buf) >= size {
			return c
		}
		room = min(2*cap(c.buf), maxChunk)
	}
	c := &chunk{first: l.next, before: l.seq, buf: make([]byte, 0, max(room, size))}
	l.chunks = append(l.chunks, c)
	return c
}

func (l *frameLog) trim() {
	drop := 0
	for drop < len(l.chunks)-1 && (l.bytes > l.maxBytes || l.next-l.chunks[drop].first > l.maxFrames) {
		l.bytes -= len(l.chunks[drop].buf)
		drop++
	}
	l.trimmed = l.trimmed || drop > 0
	l.chunks = slices.Delete(l.chunks, 0, drop)
}

// clear drops everything. Every cursor, also one at the head, has fallen out.
func (l *frameLog) clear(seq int64) {
	l.chunks, l.bytes = nil, 0
	l.next += historyRoom
	l.seq = seq
	l.trimmed = false
}

// prepend puts older frames, made by another log, in front. They end where this
// log begins. It is false if the log's begin has been dropped already.
func (l *frameLog) prepend(older *frameLog) bool {
	if l.trimmed {
		return false
	}
	n := l.first()
	for _, c := range slices.Backward(older.chunks) {
		n -= int64(len(c.frames))
		c.first = n
	}
	l.chunks = slices.Insert(l.chunks, 0, older.chunks...)
	l.bytes += older.bytes
	return true
}

// read appends to vec the frames from cursor on: at least one if there is any,
// and no further ones once max bytes are passed. It returns the cursor behind
// them. cursor must not be older than first.
func (l *frameLog) read(cursor int64, max int, vec net.Buffers) (net.Buffers, int64) {
	at := sort.Search(len(l.chunks), func(i int) bool { return l.chunks[i].first > cursor }) - 1
	for ; at >= 0 && at < len(l.chunks) && max > 0; at++ {
		c := l.chunks[at]
		i := int(cursor - c.first)
		if i >= len(c.frames) {
			continue
		}
		start := c.start(i)
		j := i
		for j+1 < len(c.frames) && c.frames[j].end-start < max {
			j++
		}
		end := c.frames[j].end
		vec = append(vec, c.buf[start:end:end])
		max -= end - start
		cursor = c.first + int64(j) + 1
	}
	return vec, cursor
}

// seqAt is the run's seq after the last frame before cursor, which is among the
// kept ones.
func (l *frameLog) seqAt(cursor int64) int64 {
	for _, c := range slices.Backward(l.chunks) {
		switch i := int(cursor - c.first); {
		case i > 0 && i <= len(c.frames):
			return c.frames[i-1].after
		case i == 0:
			return c.before
		}
	}
	return l.seq
}

func (c *chunk) start(i int) int {
	if i == 0 {
		return 0
	}
	return c.frames[i-1].end
}

// find returns the cursor from which an observer that has everything up to seq
// goes on. Where a batch was seen in part, it also returns that batch's frame
// and the seq of its first event; the cursor is then behind it. ok is false if
// the log does not reach back to seq, or not up to it.
func (l *frameLog) find(seq int64) (cursor int64, partial []byte, first int64, ok bool) {
	if seq == l.seq {
		return l.next, nil, 0, true
	}
	if seq > l.seq || len(l.chunks) == 0 || seq < l.chunks[0].before {
		return 0, nil, 0, false
	}
	at := sort.Search(len(l.chunks), func(i int) bool { return l.chunks[i].before > seq }) - 1
	c := l.chunks[at]
	i := sort.Search(len(c.frames), func(i int) bool { return c.frames[i].after > seq })
	if i == len(c.frames) { // it ends exactly at seq; the next chunk begins there
		at, i = at+1, 0
		c = l.chunks[at]
	}
	before := c.before
	if i > 0 {
		before = c.frames[i-1].after
	}
	cursor = c.first + int64(i)
	if before == seq {
		return cursor, nil, 0, true
	}
	return cursor + 1, c.buf[c.start(i):c.frames[i].end], before + 1, true
}

// oldestSeq is the seq before the oldest kept frame.
func (l *frameLog) oldestSeq() int64 {
	if len(l.chunks) == 0 {
		return l.seq
	}
	return l.chunks[0].before
}

// The opcodes that this package writes itself; coder/websocket writes the rest.
const (
	opText = 0x1
	opPing = 0x9
	opMask = 0xf
	opEnd  = 0x8 // close
)

// frameSize is the size of a server's frame with n bytes of payload.
func frameSize(n int) int {
	switch {
	case n < 126:
		return n + 2
	case n <= 0xffff:
		return n + 4
	default:
		return n + 10
	}
}

// appendHeader appends the header of a server's unfragmented, unmasked frame.
func appendHeader(dst []byte, opcode byte, n int) []byte {
	dst = append(dst, 0x80|opcode)
	switch {
	case n < 126:
		return append(dst, byte(n))
	case n <= 0xffff:
		return binary.BigEndian.AppendUint16(append(dst, 126), uint16(n))
	default:
		return binary.BigEndian.AppendUint64(append(dst, 127), uint64(n))
	}
}

// appendFrame appends a whole text message.
func appendFrame(dst, payload []byte) []byte {
	return append(appendHeader(dst, opText, len(payload)), payload...)
}

// framePayload returns the payload of a frame that this package made.
func framePayload(frame []byte) []byte {
	switch frame[1] {
	case 126:
		return frame[4:]
	case 127:
		return frame[10:]
	default:
		return frame[2:]
	}
}
