package hub

import (
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

// life is what is known of a run's writer and of the way to the store: beside
// the log, never in it. Guarded by the run's mu.
type life struct {
	heard    time.Time // zero: nothing known yet
	released bool      // nobody holds the run
	stale    bool
	down     bool // the store is away
}

// checking says when the next check is due. Guarded by the run's mu.
type checking struct {
	last    time.Time
	changed bool // since the last check
	wanted  bool // somebody has asked
}

// minCheck is the least time between two checks that were asked for: an answer
// to one goes to all, so nobody may ask for many.
const minCheck = 250 * time.Millisecond

func (r *run) beat(b *runlog.Beat) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.sign.heard.IsZero()
	changed := first || r.sign.released != b.Released
	r.sign.released = b.Released
	if r.heardLocked(b.Age) || changed {
		r.statusLocked()
	}
}

// heardLocked notes a sign of life that is age old. It says whether that
// changed what observers see. Only the store's word counts: events that a
// follower reads first may have been written long ago.
func (r *run) heardLocked(age time.Duration) bool {
	now := time.Now()
	r.sign.heard = now.Add(-age)
	return r.staleLocked(now)
}

func (r *run) staleLocked(now time.Time) (changed bool) {
	s := &r.sign
	stale := !s.released && !s.heard.IsZero() && now.Sub(s.heard) >= r.hub.cfg.Timing.Stale
	changed = s.stale != stale
	s.stale = stale
	return changed
}

func (r *run) setLink(up bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sign.down == !up {
		return
	}
	r.sign.down = !up
	r.statusLocked()
}

// statusLocked tells everybody.
func (r *run) statusLocked() {
	r.publishLocked(r.statusMessageLocked(), r.seq)
	r.wakeLocked()
}

func (r *run) statusMessageLocked() []byte {
	s := wire.Status{Run: r.id, Store: "up"}
	if r.sign.down {
		s.Store = "down"
	}
	switch {
	case r.sign.released:
		s.Worker = &wire.WorkerStatus{HeardMs: -1}
	case !r.sign.heard.IsZero():
		s.Worker = &wire.WorkerStatus{HeardMs: time.Since(r.sign.heard).Milliseconds(), Stale: r.sign.stale}
	}
	return wire.AppendStatus(nil, s)
}

// besideLocked implements feed.epilogue: what is not in a snapshot, since it is
// not in the log.
func (r *run) besideLocked(dst []byte) []byte {
	dst = appendFrame(dst, r.statusMessageLocked())
	if r.people != nil {
		dst = appendFrame(dst, r.people)
	}
	return dst
}

// askCheck has a check sent soon.
func (r *run) askCheck() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.check.last) < minCheck {
		r.check.wanted = true // tick sends it
		return
	}
	r.checkLocked()
	r.wakeLocked()
}

// checkLocked puts the hash at the newest position into the log.
func (r *run) checkLocked() {
	if r.opaque {
		return
	}
	r.check = checking{last: time.Now()}
	r.publishLocked(wire.AppendCheck(nil, r.id, r.pos, r.hashLocked()), r.seq)
}

// tick does what is due by the clock. The hub calls it a few times a second.
func (r *run) tick(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tidyLocked(now)
	if r.staleLocked(now) {
		r.statusLocked()
	}
	c := &r.check
	if c.wanted && now.Sub(c.last) >= minCheck || c.changed && now.Sub(c.last) >= r.hub.cfg.Timing.Check {
		r.checkLocked()
		r.wakeLocked()
	}
}
