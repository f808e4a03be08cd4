package redis

import (
	"sort"
	"sync"
	"time"
)

// linger is how long a run's subscription outlives its last follower.
const linger = 5 * time.Second

// feed is what this process knows of one followed run, live: where it is, and
// the newest batches. It is shared by the run's followers, which are cursors.
// What a cursor needs and the feed lacks, its follower reads from the log; so the
// feed may forget, and never has to be complete.
type feed struct {
	// static after construction
	store *Store
	run   string
	keys  runKeys

	// mu guards the rest.
	mu sync.Mutex
	// head is how far the run is known to be; zero until something was heard.
	head head
	// ring holds the newest batches, contiguous, up to head; events and bytes
	// count them.
	ring          []batch
	events, bytes int
	// roomy is how long the ring may grow before what was read is looked for.
	roomy int

	// heard is when the writer gave its last sign of life, by this process's
	// clock; hb the same by the store's, only to see that it changed. beat counts
	// what followers are to be told.
	heard    time.Time
	hb       int64
	owner    string
	released bool
	beat     int64

	up bool
	// version counts live messages: what was read from the store is older than
	// those that came meanwhile.
	version int64
	// behind is the seq that the last check found beyond head; doubts counts
	// checks in a row that found an older epoch, or none.
	behind  int64
	doubts  int
	missing time.Time // since when the store does not have the run
	gone    bool      // its followers end with ErrNoRun

	followers map[*follower]struct{}
	idleSince time.Time
	dropped   bool // final: a new follower needs a new feed
	changed   chan struct{}
}

func newFeed(s *Store, run string) *feed {
	return &feed{
		store: s, run: run, keys: s.names.run(run), up: true,
		followers: map[*follower]struct{}{}, changed: make(chan struct{}),
	}
}

func (f *feed) wakeUp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wakeLocked()
}

func (f *feed) wakeLocked() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// setLinked is told by the link.
func (f *feed) setLinked(up bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.up = up
	f.missing = time.Time{}
	f.wakeLocked()
}

// idle says whether the feed is to be let go; if so it is dropped for good. Lock
// order: link, store, feed.
func (f *feed) idle(now time.Time) bool {
	f.store.mu.Lock()
	defer f.store.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.followers) > 0 || now.Sub(f.idleSince) < linger {
		return false
	}
	f.dropped = true
	if f.store.feeds[f.run] == f {
		delete(f.store.feeds, f.run)
	}
	return true
}

// handle takes a message from the run's channel.
func (f *feed) handle(payload string) {
	m, err := parseMessage(payload)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.store.stats.bad.Add(1)
		f.store.log.Warn().Err(err).Str("run", f.run).Msg("bad message on a run's channel")
		return // the next one, or the next check, shows what is missing
	}
	if m.head.term < f.head.term {
		return // of an epoch that is over
	}
	f.version++
	f.missing, f.doubts = time.Time{}, 0
	newEpoch := m.head.term > f.head.term || m.head.epoch != f.head.epoch
	f.heard = time.Now()
	switch {
	case m.kind == 'B':
		f.owner, f.released = m.owner, m.released
		f.beat++
		if newEpoch || m.head.seq > f.head.seq {
			f.moveLocked(m.head)
		}
	case newEpoch:
		f.moveLocked(m.head)
		if m.kind == 'E' {
			f.pushLocked(m.batch)
		}
	case m.kind == 'E':
		f.batchLocked(m)
	case m.head.seq > f.head.seq:
		f.moveLocked(m.head)
	}
	f.wakeLocked()
}

// batchLocked takes a live batch of the current epoch.
func (f *feed) batchLocked(m message) {
	b := m.batch
	switch {
	case b.last() <= f.head.seq:
		return // known already
	case b.first() > f.head.seq+1:
		f.store.stats.gaps.Add(1)
		f.moveLocked(m.head)
	case b.first() <= f.head.seq:
		b.entries = b.after(f.head.seq)
	}
	f.head = m.head
	f.pushLocked(b)
}

// moveLocked notes where the run is now, where the batches before it were missed.
func (f *feed) moveLocked(h head) {
	f.head = h
	f.ring, f.events, f.bytes = nil, 0, 0
}

func (f *feed) pushLocked(b batch) {
	f.ring = append(f.ring, b)
	f.events += len(b.entries)
	f.bytes += b.bytes
	l := f.store.cfg.Limits
	if len(f.ring) >= f.roomy || f.events > l.BufferEvents || f.bytes > l.BufferBytes {
		f.forgetReadLocked()
	}
	for len(f.ring) > 1 && (f.events > l.BufferEvents || f.bytes > l.BufferBytes) {
		f.store.stats.dropped.Add(1)
		f.popLocked()
	}
}

func (f *feed) popLocked() {
	f.events -= len(f.ring[0].entries)
	f.bytes -= f.ring[0].bytes
	f.ring[0] = batch{}
	f.ring = f.ring[1:]
}

// forgetReadLocked drops the batches that every follower has read.
func (f *feed) forgetReadLocked() {
	read := f.head.seq
	for c := range f.followers {
		read = min(read, c.seenLocked(f.head))
	}
	for len(f.ring) > 0 && f.ring[0].last() <= read {
		f.popLocked()
	}
	f.roomy = max(64, 2*len(f.ring))
}

// batchAfterLocked gives the batch, or the rest of it, that follows seq.
func (f *feed) batchAfterLocked(seq int64) (b batch, ok bool) {
	i := sort.Search(len(f.ring), func(i int) bool { return f.ring[i].last() > seq })
	if i == len(f.ring) {
		return b, false
	}
	return f.ring[i], f.ring[i].first() <= seq+1
}

// learn takes what somebody read from the store, begun at the given version.
func (f *feed) learn(st status, version int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.missing = time.Time{}
	quiet := f.version == version
	other := st.epoch != f.head.epoch
	switch {
	case st.term > f.head.term:
		f.moveLocked(st.head)
	case other && quiet:
		// The store has gone back: it lost the epoch that was heard of.
		f.moveLocked(st.head)
	default:
		return
	}
	f.heard, f.hb = time.Now().Add(-st.age), st.hb
	f.owner, f.released = st.owner, !st.held
	f.wakeLocked()
}

// check takes the result of a position check, begun at the given version. sure
// says that live messages may have been missed; else the newest may only be on
// their way, and it takes a second check to be sure.
func (f *feed) check(st status, known bool, version int64, sure bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	quiet := f.version == version
	switch {
	case !known:
		f.checkMissingLocked(now)
		return
	case st.term > f.head.term,
		st.epoch != f.head.epoch && quiet && (sure || f.doubtLocked()):
		if f.head.term != 0 {
			f.store.stats.checks.Add(1)
		}
		f.moveLocked(st.head)
	case st.epoch == f.head.epoch && st.seq > f.head.seq:
		if !sure && (f.behind == 0 || f.head.seq >= f.behind) {
			f.behind = st.seq
			break
		}
		f.moveLocked(head{f.head.term, f.head.epoch, max(f.behind, st.seq)})
		f.store.stats.checks.Add(1)
		f.behind = 0
	case st.epoch == f.head.epoch:
		f.behind, f.doubts = 0, 0
	}
	f.missing = time.Time{}
	if quiet {
		f.checkBeatLocked(st, now)
	}
	f.wakeLocked()
}

// doubtLocked says whether this is the second check in a row that disagrees.
func (f *feed) doubtLocked() bool {
	f.doubts++
	return f.doubts > 1
}

func (f *feed) checkMissingLocked(now time.Time) {
	if f.missing.IsZero() {
		f.missing = now
	}
	if !f.gone && now.Sub(f.missing) >= f.store.cfg.Timeouts.Removed {
		f.gone = true
		f.wakeLocked()
	}
}

// checkBeatLocked finds a sign of life whose message was lost. Ages are counted
// from when a change was seen: clocks are not compared.
func (f *feed) checkBeatLocked(st status, now time.Time) {
	if st.hb != f.hb {
		if f.hb != 0 && now.Sub(f.heard) > time.Second {
			f.heard = now
			f.beat++
		}
		f.hb = st.hb
	}
	if st.owner != f.owner || st.held == f.released {
		f.owner, f.released = st.owner, !st.held
		f.beat++
	}
}
