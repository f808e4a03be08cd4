package hub

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// model is a frame log without chunks: the dumb one to compare with.
type model struct {
	frames [][]byte
	after  []int64
	first  int64 // number of frames[0]
}

// What a frame log gives from any cursor is what was put in, in order, and a seq
// is found exactly where its events are.
func TestFrameLogAgainstModel(t *testing.T) {
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		l := &frameLog{maxBytes: 20_000 + rnd.IntN(200_000), maxFrames: int64(5 + rnd.IntN(400))}
		l.clear(100)
		m := model{first: l.next}
		seq := int64(100)
		for range 500 {
			seq += rnd.Int64N(4) // sometimes a frame without events
			payload := bytes.Repeat([]byte{byte('a' + rnd.IntN(26))}, sizeOf(rnd))
			l.append(payload, seq)
			m.frames, m.after = append(m.frames, payload), append(m.after, seq)
			if rnd.IntN(10) == 0 {
				compareLog(t, l, &m, rnd)
			}
		}
		if l.bytes > l.maxBytes+maxChunk+70_000 {
			t.Fatalf("seed %d: keeps %d of at most %d bytes", seed, l.bytes, l.maxBytes)
		}
	}
}

func sizeOf(rnd *rand.Rand) int {
	switch rnd.IntN(20) {
	case 0:
		return 70_000 // a chunk of its own
	case 1, 2:
		return 126 + rnd.IntN(3000)
	}
	return rnd.IntN(126)
}

func compareLog(t *testing.T, l *frameLog, m *model, rnd *rand.Rand) {
	t.Helper()
	kept := int(l.next - l.first())
	from := len(m.frames) - kept
	if from < 0 || l.first() < m.first {
		t.Fatalf("log keeps %d frames of %d", kept, len(m.frames))
	}
	at := from + rnd.IntN(kept+1)
	var want, got []byte
	for _, p := range m.frames[at:] {
		want = appendFrame(want, p)
	}
	for cursor := m.first + int64(at); cursor < l.next; {
		vec, next := l.read(cursor, 1+rnd.IntN(100_000), nil)
		if next <= cursor {
			t.Fatalf("no progress at %d", cursor)
		}
		for _, b := range vec {
			got = append(got, b...)
		}
		cursor = next
		if want := m.after[cursor-m.first-1]; l.seqAt(cursor) != want {
			t.Fatalf("seq at %d is %d, want %d", cursor, l.seqAt(cursor), want)
		}
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("from %d: %d bytes, want %d", at, len(got), len(want))
	}
	findEach(t, l, m, from)
}

// findEach looks every seq up that the log still covers.
func findEach(t *testing.T, l *frameLog, m *model, from int) {
	t.Helper()
	for seq := l.oldestSeq(); seq <= l.seq; seq++ {
		cursor, partial, first, ok := l.find(seq)
		if !ok {
			t.Fatalf("seq %d not found in %d…%d", seq, l.oldestSeq(), l.seq)
		}
		i := from
		for i < len(m.after) && m.after[i] <= seq {
			i++
		}
		before := int64(100)
		if i > 0 {
			before = m.after[i-1]
		}
		switch {
		case seq == l.seq:
			if cursor != l.next {
				t.Fatalf("newest seq found at %d, not the head %d", cursor, l.next)
			}
		case before == seq:
			if partial != nil || cursor != m.first+int64(i) {
				t.Fatalf("seq %d found at %d, want %d", seq, cursor, m.first+int64(i))
			}
		default:
			if cursor != m.first+int64(i)+1 || first != before+1 || !bytes.Equal(framePayload(partial), m.frames[i]) {
				t.Fatalf("seq %d inside a batch: cursor %d, first %d", seq, cursor, first)
			}
		}
	}
	for _, seq := range []int64{l.oldestSeq() - 1, l.seq + 1} {
		if _, _, _, ok := l.find(seq); ok {
			t.Fatalf("seq %d found outside of %d…%d", seq, l.oldestSeq(), l.seq)
		}
	}
}

// A cursor never names two frames, whatever is dropped, cleared or put in front.
func TestFrameNumbersAreUnique(t *testing.T) {
	l := &frameLog{maxBytes: 1 << 10, maxFrames: 8}
	seen := map[int64]string{}
	note := func() {
		for cursor := l.first(); cursor < l.next; cursor++ {
			vec, _ := l.read(cursor, 1, nil)
			text := string(bytes.Join(vec, nil))
			if was, ok := seen[cursor]; ok && was != text {
				t.Fatalf("%d is %q and was %q", cursor, text, was)
			}
			seen[cursor] = text
		}
	}
	seq := int64(1000)
	for round := range 6 {
		l.clear(seq)
		for i := range 20 {
			older := &frameLog{maxBytes: 1 << 20, maxFrames: 100, seq: l.oldestSeq() - 1}
			older.append(fmt.Appendf(nil, "old %d %d", round, i), older.seq+1)
			did := l.prepend(older)
			if did == l.trimmed {
				t.Fatalf("prepended: %v, trimmed: %v", did, l.trimmed)
			}
			seq++
			l.append(fmt.Appendf(nil, "new %d %d %0600d", round, i, 0), seq)
			note()
		}
	}
}
