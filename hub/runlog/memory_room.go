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
	if m.bytes+b.bytes <= m.cfg.Bytes {
		return nil
	}
	now := time.Now()
	for m.bytes+b.bytes > m.cfg.Bytes {
		if !m.dropFinishedLocked(now, r) {
			break
		}
	}
	for _, other := range m.runs {
		if m.bytes+b.bytes <= m.cfg.Bytes {
			return nil
		}
		m.bytes -= other.trim(0, 0)
	}
	switch {
	case m.bytes+b.bytes <= m.cfg.Bytes:
		return nil
	case r.events > 0:
		return fmt.Errorf("%w: all runs together are at their bound", ErrNeedCheckpoint)
	}
	return fmt.Errorf("%w: live runs take %d of %d bytes", ErrFull, m.bytes, m.cfg.Bytes)
}

// trimLocked brings one run back into its bounds.
func (m *Memory) trimLocked(r *memRun) {
	m.bytes -= r.trim(m.cfg.RunEvents, m.cfg.RunBytes)
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

// armExpiryLocked sets the timer to when the next finished run is too old.
func (m *Memory) armExpiryLocked() {
	if m.expiry != nil {
		m.expiry.Stop()
		m.expiry = nil
	}
	now := time.Now()
	next := time.Duration(-1)
	for _, r := range m.runs {
		if left := m.cfg.KeepFor - now.Sub(r.heard); r.finished(now) && (next < 0 || left < next) {
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
