package runlog

import (
	"fmt"
	"time"
)

// lostAfter is how long a run that was never released may be silent before it
// counts as finished when room is needed.
const lostAfter = time.Minute

// finished says whether the run may be dropped.
func (r *memRun) finished(now time.Time) bool {
	age, held := r.heldSince(now)
	return !held || age > lostAfter
}

// admitLocked makes room for a new run.
func (m *Memory) admitLocked(run string, now time.Time) error {
	m.expireLocked(now)
	for len(m.runs) >= m.cfg.Runs {
		if !m.dropFinishedLocked(now, nil) {
			return fmt.Errorf("%w: %d runs are live; cannot add %s", ErrFull, len(m.runs), run)
		}
	}
	return nil
}

// makeRoomLocked forgets what it may so that batch b of run r fits.
func (m *Memory) makeRoomLocked(r *memRun, b memBatch) error {
	m.bytes -= r.trim(m.cfg.RunEvents-len(b.entries), m.cfg.RunBytes-b.bytes)
	// A log that is empty takes any batch: no checkpoint could make more room.
	if r.events > 0 && (r.events+len(b.entries) > m.cfg.RunEvents || r.bytes+b.bytes > m.cfg.RunBytes) {
		return fmt.Errorf("%w: run %s keeps %d events of %d bytes after its last one", ErrNeedCheckpoint, r.id, r.events, r.bytes)
	}
	if m.freeLocked(r, b.bytes) {
		return nil
	}
	m.bytes -= r.trim(0, 0)
	switch {
	case m.bytes+b.bytes <= m.cfg.Bytes:
		return nil
	case r.events > 0:
		return fmt.Errorf("%w: all runs together are at their bound", ErrNeedCheckpoint)
	}
	return m.fullLocked()
}

// admitSnapshotLocked makes room for a snapshot of run r (nil: a new one) with a
// view of size bytes, which takes the place of r's own and of its log up to seq.
func (m *Memory) admitSnapshotLocked(r *memRun, size int, seq int64) error {
	grown, spare := int64(size), int64(0)
	if r != nil {
		grown -= int64(len(r.snapshot.View))
		spare = r.upTo(seq)
	}
	// What can never fit must not make others go.
	if int64(size) <= m.cfg.Bytes && (m.freeLocked(r, grown) || m.bytes+grown-spare <= m.cfg.Bytes) {
		return nil
	}
	return m.fullLocked()
}

func (m *Memory) fullLocked() error {
	return fmt.Errorf("%w: live runs take %d of %d bytes", ErrFull, m.bytes, m.cfg.Bytes)
}

// freeLocked forgets what it may of runs other than r until size more bytes fit. It
// is false if they do not.
func (m *Memory) freeLocked(r *memRun, size int64) bool {
	fits := func() bool { return m.bytes+size <= m.cfg.Bytes }
	for now := time.Now(); !fits() && m.dropFinishedLocked(now, r); {
	}
	for _, other := range m.runs {
		if fits() {
			break
		}
		if other != r {
			m.bytes -= other.trim(0, 0)
		}
	}
	return fits()
}

// trimLocked brings one run back into its bounds, and with its log all runs
// together into theirs.
func (m *Memory) trimLocked(r *memRun) {
	over := max(m.bytes-m.cfg.Bytes, 0)
	m.bytes -= r.trim(m.cfg.RunEvents, min(m.cfg.RunBytes, r.bytes-over))
}

// dropFinishedLocked drops the finished run that was heard longest ago.
func (m *Memory) dropFinishedLocked(now time.Time, except *memRun) bool {
	var oldest *memRun
	for _, r := range m.runs {
		if r != except && r.finished(now) && (oldest == nil || r.heard.Before(oldest.heard)) {
			oldest = r
		}
	}
	if oldest == nil {
		return false
	}
	m.removeLocked(oldest)
	return true
}

// removeLocked forgets a run; its followers and writers end with ErrNoRun.
func (m *Memory) removeLocked(r *memRun) {
	delete(m.runs, r.id)
	m.dropBlobsLocked(r)
	m.bytes -= r.bytes
	r.removed = true
	r.batches = nil
	m.index.remove(r)
	r.wake()
}

// expireLocked drops finished runs that nobody has heard of for KeepFor.
func (m *Memory) expireLocked(now time.Time) {
	for _, r := range m.runs {
		if r.finished(now) && now.Sub(r.heard) >= m.cfg.KeepFor {
			m.removeLocked(r)
		}
	}
}

// armExpiryLocked sets the timer to when the next run can be too old: a live one
// too, as its writer may vanish without a word.
func (m *Memory) armExpiryLocked() {
	if m.expiry != nil {
		m.expiry.Stop()
		m.expiry = nil
	}
	now := time.Now()
	next := time.Duration(-1)
	for _, r := range m.runs {
		age, held := r.heldSince(now)
		left := m.cfg.KeepFor - age
		if held {
			left = max(left, lostAfter-age+1)
		}
		if next < 0 || left < next {
			next = max(left, 0)
		}
	}
	if next >= 0 {
		m.expiry = time.AfterFunc(next, m.expire)
	}
}

func (m *Memory) expire() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	m.expireLocked(time.Now())
	m.armExpiryLocked()
}
