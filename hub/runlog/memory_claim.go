package runlog

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/ringside-hub/ringside/hub/view"
)

// epochLen is the length of an epoch: 16 characters of base32, 80 random bits.
const epochLen = 16

// NewEpoch returns a new random epoch.
func NewEpoch() string { return rand.Text()[:epochLen] }

// Claim implements Store. Folding is done without the lock: the run is fenced
// by then, so its log cannot grow meanwhile.
func (m *Memory) Claim(ctx context.Context, run string, o ClaimOptions) (Writer, Snapshot, error) {
	if err := checkCall(ctx, run); err != nil {
		return nil, Snapshot{}, err
	}
	if err := CheckSeed(o.Seed); err != nil {
		return nil, Snapshot{}, err
	}
	c, err := m.fence(run, o)
	if err != nil {
		return nil, Snapshot{}, err
	}
	snapshot, summary, err := c.fold()
	if err != nil {
		m.giveUp(c)
		return nil, Snapshot{}, fmt.Errorf("claim %s: %w", run, err)
	}
	w, snapshot, err := m.install(c, snapshot, summary)
	if err != nil {
		m.giveUp(c)
		return nil, Snapshot{}, err
	}
	return w, snapshot, nil
}

// memClaim is a claim between its fence and its install.
type memClaim struct {
	run  *memRun
	term int64
	last int64
	seed *Snapshot
	// base and tail are what the store had at the fence.
	base Snapshot
	tail func(yield func(Entry) bool)
}

// fence shuts the writer before out and takes the run for the claimer.
func (m *Memory) fence(run string, o ClaimOptions) (memClaim, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return memClaim{}, ErrClosed
	}
	now := time.Now()
	r := m.runs[run]
	if o.Silent > 0 {
		if err := r.silentFor(o.Silent, run, now); err != nil {
			return memClaim{}, err
		}
	} else if r == nil {
		if err := m.admitLocked(run, now); err != nil {
			return memClaim{}, err
		}
	} else if age, held := r.heldSince(now); held && age < HoldFor && !o.Takeover {
		return memClaim{}, &HeldError{Run: run, Owner: r.owner, Age: age}
	}
	// Known before anybody is fenced for it; install looks again.
	if o.Seed != nil && (r == nil || SeedWins(o.Seed, r.last)) {
		if err := m.admitSnapshotLocked(r, len(o.Seed.View), o.Seed.Seq); err != nil {
			return memClaim{}, fmt.Errorf("claim %s: %w", run, err)
		}
	}
	if r == nil {
		r = &memRun{id: run, blobs: map[string]*memBlob{}}
		m.runs[run] = r
	}
	r.term++
	r.owner, r.heard, r.held = o.Owner, now, true
	c := memClaim{run: r, term: r.term, last: r.last, base: r.snapshot, tail: r.tail(r.snapshot.Seq)}
	if SeedWins(o.Seed, r.last) {
		c.seed = o.Seed
	}
	return c, nil
}

// silentFor says why a reaper may not have the run: nil if its holder has been
// silent for d.
func (r *memRun) silentFor(d time.Duration, run string, now time.Time) error {
	if r == nil {
		return fmt.Errorf("%w: %s", ErrNoRun, run)
	}
	switch age, held := r.heldSince(now); {
	case !held:
		return ErrReleased
	case age < d:
		return &HeldError{Run: run, Owner: r.owner, Age: age}
	}
	return nil
}

// fold makes the snapshot that the new epoch starts with.
func (c *memClaim) fold() (Snapshot, view.Summary, error) {
	base, tail := c.base, c.tail
	if c.seed != nil {
		base, tail = *c.seed, func(func(Entry) bool) {}
	}
	v, at, err := Fold(base, tail)
	if err != nil {
		return Snapshot{}, view.Summary{}, err
	}
	s := Snapshot{Position: Position{NewEpoch(), max(at.Seq, c.last)}, View: base.View}
	if at != base.Position || len(base.View) == 0 {
		if s.View, err = v.Encode(); err != nil {
			return Snapshot{}, view.Summary{}, err
		}
	}
	return s, v.Summary(), nil
}

// giveUp frees the run after a claim that failed behind its fence.
func (m *Memory) giveUp(c memClaim) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.run.term != c.term || c.run.removed || m.closed {
		return
	}
	if c.run.epoch == "" {
		m.removeLocked(c.run) // it never was a run
		return
	}
	m.releaseLocked(c.run)
}

func (m *Memory) install(c memClaim, s Snapshot, summary view.Summary) (Writer, Snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := c.run
	switch {
	case m.closed:
		return nil, Snapshot{}, ErrClosed
	case r.removed:
		return nil, Snapshot{}, fmt.Errorf("%w: %s", ErrNoRun, r.id)
	case r.term != c.term:
		return nil, Snapshot{}, ErrFenced
	}
	if err := m.admitSnapshotLocked(r, len(s.View), s.Seq); err != nil {
		return nil, Snapshot{}, fmt.Errorf("claim %s: %w", r.id, err)
	}
	m.bytes += r.install(s)
	r.summary = summary
	m.trimLocked(r)
	m.beatLocked(r)
	m.index.touch(r)
	r.wake()
	m.armExpiryLocked()
	return &memWriter{store: m, run: r, term: c.term, epoch: s.Epoch}, s, nil
}

// beatLocked notes a sign of life that followers are told.
func (m *Memory) beatLocked(r *memRun) {
	r.heard = time.Now()
	r.beat++
}

// releaseLocked gives the run up: it is finished until somebody claims it.
func (m *Memory) releaseLocked(r *memRun) {
	r.held = false
	m.beatLocked(r)
	m.index.touch(r)
	r.wake()
	m.armExpiryLocked()
}
