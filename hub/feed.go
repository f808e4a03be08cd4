package hub

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// feed is a frame log with those who follow it, and the snapshot that they
// share. A run is a feed, and so is the list of runs.
//
// Reading from a feed costs a cursor: a follower that lags holds nothing but a
// number, and once that number has been dropped from the log it takes a
// snapshot.
type feed struct {
	// static after construction
	// capture returns, with mu held, a function that encodes the state of that
	// moment; the function is called without mu.
	capture func() func() (*snapshot, error)
	// epilogue appends, with mu held, what a follower that has just reached the
	// head is told once; may be nil.
	epilogue func(dst []byte) []byte

	mu sync.RWMutex // guards what follows, and the state that owners keep beside it
	frameLog
	watchers map[*watch]struct{}
	// resetAt is the oldest number after the last break in the sequence, and
	// resetReason what a follower from before it is told.
	resetAt     int64
	resetReason runlog.Reason
	shared      *snapshot
	sharedUsed  atomic.Int64 // when somebody last wanted it, Unix nanoseconds

	building sync.Mutex // held while a snapshot is encoded: one at a time
}

// snapshot is one encoded state, shared by everybody who needs it. Immutable.
type snapshot struct {
	// frame is the number of the first frame that is not in it.
	frame   int64
	written int64 // the log's count of bytes then
	// heads has, for each reason, frame header and message up to the body. Body
	// is the large rest.
	heads map[runlog.Reason][]byte
	body  []byte
	// at is the position that it is the fold of; zero for the list of runs.
	at runlog.Position
}

func (f *feed) init(limits Limits, capture func() func() (*snapshot, error)) {
	f.maxBytes, f.maxFrames = limits.LogBytes, limits.LogFrames
	f.watchers = map[*watch]struct{}{}
	f.clear(0)
	f.resetReason = runlog.ReasonJoin
	f.capture = capture
}

// publishLocked appends a frame; wakeLocked tells the followers.
func (f *feed) publishLocked(payload []byte, after int64) { f.append(payload, after) }

func (f *feed) wakeLocked() {
	for w := range f.watchers {
		w.obs.wake()
	}
}

// breakLocked starts the log anew: everybody gets a snapshot and the reason.
func (f *feed) breakLocked(reason runlog.Reason, seq int64) {
	f.resetAt, f.resetReason, f.shared = f.next+1, reason, nil
	f.clear(seq)
	f.wakeLocked()
}

func (f *feed) join(w *watch) {
	f.mu.Lock()
	f.watchers[w] = struct{}{}
	f.mu.Unlock()
}

func (f *feed) leave(w *watch) {
	f.mu.Lock()
	delete(f.watchers, w)
	f.mu.Unlock()
}

// piece is what lies between a cursor and the head, or a part of it.
type piece struct {
	cursor int64
	// lost is set if the cursor has been dropped from the log: a snapshot is
	// needed, for the reason given.
	lost   bool
	reason runlog.Reason
	// head is set if the cursor has reached the end of the log.
	head bool
	// seq is the run's seq at the cursor.
	seq int64
}

// take appends to vec what follows cursor: whole frames, about max bytes. Where
// that reaches the head and tell is set, the epilogue comes behind it.
func (f *feed) take(cursor int64, max int, tell bool, vec net.Buffers) (net.Buffers, piece) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if cursor < f.first() {
		p := piece{cursor: cursor, lost: true, reason: runlog.ReasonSlow}
		if cursor < f.resetAt {
			p.reason = f.resetReason
		}
		return vec, p
	}
	vec, cursor = f.read(cursor, max, vec)
	p := piece{cursor: cursor, head: cursor == f.next, seq: f.seq}
	if !p.head {
		p.seq = f.seqAt(cursor)
	}
	if p.head && tell && f.epilogue != nil {
		if b := f.epilogue(nil); len(b) > 0 {
			vec = append(vec, b)
		}
	}
	return vec, p
}

// snapshot returns a snapshot whose tail is in the log. One that is a little
// old is as good as a new one as long as its tail is small beside it: a
// thousand who join within a second cost one encoding.
func (f *feed) snapshot() (*snapshot, error) {
	if s := f.usable(); s != nil {
		return s, nil
	}
	f.building.Lock()
	defer f.building.Unlock()
	if s := f.usable(); s != nil {
		return s, nil
	}
	f.mu.Lock()
	encode := f.capture()
	frame, written := f.next, f.written
	f.mu.Unlock()
	s, err := encode()
	if err != nil {
		return nil, err
	}
	s.frame, s.written = frame, written
	f.mu.Lock()
	if frame >= f.resetAt {
		f.shared = s
	}
	f.mu.Unlock()
	return s, nil
}

// minTail is the tail that a shared snapshot may always have.
const minTail = 32 << 10

func (f *feed) usable() *snapshot {
	f.mu.RLock()
	defer f.mu.RUnlock()
	s := f.shared
	f.sharedUsed.Store(time.Now().UnixNano())
	if s == nil || s.frame < f.first() || f.written-s.written > max(minTail, int64(len(s.body)/2)) {
		return nil
	}
	return s
}

// keepSnapshot is how long an encoded snapshot is kept for the next one who
// joins.
const keepSnapshot = 10 * time.Second

// tidyLocked lets go of a snapshot that nobody has wanted lately.
func (f *feed) tidyLocked(now time.Time) {
	if f.shared != nil && now.UnixNano()-f.sharedUsed.Load() > int64(keepSnapshot) {
		f.shared = nil
	}
}
