package redis

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// follower is a cursor into a feed, and into the log behind it.
type follower struct {
	// static after construction
	feed   *feed
	closed chan struct{}
	once   sync.Once

	// owned by Next
	queue []runlog.Update // what the last read of the log gave
	err   error           // why this follower ended
	// retryAt is when the log may be read again after a read that gave nothing,
	// wait how long that was put off.
	retryAt time.Time
	wait    time.Duration
	toldUp  bool
	beat    int64

	// at is what was given or is in the queue; term that of its epoch, 0 before
	// the first snapshot. Changed by Next under the feed's mu.
	at   runlog.Position
	term int64
}

// Waits after a read of the log that failed or gave nothing, doubling.
const (
	minRetry = 50 * time.Millisecond
	maxRetry = 2 * time.Second
)

// Follow implements runlog.Store. It subscribes and waits for the confirmation
// before it reads snapshot and tail at one instant: what comes later is live.
func (s *Store) Follow(ctx context.Context, run string) (runlog.Follower, error) {
	if err := s.checkCall(ctx, run); err != nil {
		return nil, err
	}
	l := s.linkOf(partitionOf(run))
	limited, cancel := context.WithTimeout(ctx, s.cfg.Timeouts.Dial+s.cfg.Timeouts.Call)
	defer cancel()
	if !l.onDemand { // else it is the channel that brings it up
		if err := s.waited(ctx, l.await(limited)); err != nil {
			return nil, err
		}
	}
	f := s.attach(run)
	l.carry(&channel{name: f.feed.keys.channel, handle: f.feed.handle, linked: f.feed.setLinked, idle: f.feed.idle})
	err := s.waited(ctx, l.await(limited, f.feed.keys.channel))
	if err == nil {
		err = f.read(ctx)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// waited tells a wait that took too long from one that the caller gave up.
func (s *Store) waited(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return fmt.Errorf("%w: redis: no answer to a subscription", runlog.ErrUnavailable)
	}
	return err
}

// attach gives the run's feed a new follower.
func (s *Store) attach(run string) *follower {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.feeds[run]
	if d == nil {
		d = newFeed(s, run)
		s.feeds[run] = d
	}
	f := &follower{feed: d, closed: make(chan struct{}), toldUp: true}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.followers[f] = struct{}{}
	d.gone, d.missing = false, time.Time{} // it is looked for again
	return f
}

// Close implements runlog.Follower.
func (f *follower) Close() error {
	f.once.Do(func() {
		close(f.closed)
		f.feed.mu.Lock()
		defer f.feed.mu.Unlock()
		delete(f.feed.followers, f)
		f.feed.idleSince = time.Now()
	})
	return nil
}

// seenLocked is the seq up to which the follower needs nothing any more.
func (f *follower) seenLocked(h head) int64 {
	if f.at.Epoch != h.epoch {
		return 0
	}
	return f.at.Seq
}

// Next implements runlog.Follower. While Redis does not answer, giving up (ctx,
// Close) may take until the call's own deadline.
func (f *follower) Next(ctx context.Context) (runlog.Update, error) {
	for {
		select {
		case <-f.closed:
			return runlog.Update{}, runlog.ErrClosed
		case <-f.feed.store.ctx.Done():
			return runlog.Update{}, runlog.ErrClosed
		case <-ctx.Done():
			return runlog.Update{}, ctx.Err()
		default:
		}
		if f.err != nil {
			return runlog.Update{}, f.err
		}
		if len(f.queue) > 0 {
			u := f.queue[0]
			f.queue = f.queue[1:]
			return u, nil
		}
		u, do, changed := f.poll()
		switch do {
		case give:
			return u, nil
		case readLog:
			f.readAgain(ctx)
		case wait:
			f.sleep(ctx, changed)
		}
	}
}

type action int

const (
	give action = iota
	readLog
	wait
)

// poll finds what is next.
func (f *follower) poll() (u runlog.Update, do action, changed <-chan struct{}) {
	d := f.feed
	d.mu.Lock()
	defer d.mu.Unlock()
	changed = d.changed
	if d.gone {
		f.err = fmt.Errorf("%w: %s", runlog.ErrNoRun, d.run)
		return u, readLog, changed // Next returns the error
	}
	if d.up && !f.toldUp {
		f.toldUp, f.retryAt = true, time.Time{}
		return runlog.Update{Link: &runlog.Link{Up: true}}, give, changed
	}
	behind := f.term < d.head.term || f.at.Epoch != d.head.epoch
	switch {
	case behind:
	case f.beat != d.beat:
		f.beat = d.beat
		u.Beat = &runlog.Beat{Age: time.Since(d.heard), Owner: d.owner, Released: d.released}
		return u, give, changed
	case f.at.Seq < d.head.seq:
		if b, ok := d.batchAfterLocked(f.at.Seq); ok {
			u.Entries = b.after(f.at.Seq)
			f.at.Seq = b.last()
			return u, give, changed
		}
		behind = true
	}
	switch {
	case !d.up && f.toldUp:
		f.toldUp = false
		return runlog.Update{Link: &runlog.Link{Up: false}}, give, changed
	case behind && d.up && !time.Now().Before(f.retryAt):
		return u, readLog, changed
	}
	return u, wait, changed
}

// sleep waits for a change, or until the log may be read again.
func (f *follower) sleep(ctx context.Context, changed <-chan struct{}) {
	var again <-chan time.Time
	if left := time.Until(f.retryAt); left > 0 {
		t := time.NewTimer(left)
		defer t.Stop()
		again = t.C
	}
	select {
	case <-changed:
	case <-again:
	case <-f.closed:
	case <-f.feed.store.ctx.Done():
	case <-ctx.Done():
	}
}

// readAgain reads the log; where that fails for now it is tried later.
func (f *follower) readAgain(ctx context.Context) {
	if f.err != nil {
		return
	}
	err := f.read(ctx)
	switch {
	case err == nil && len(f.queue) > 0:
		f.wait = 0
		return
	case err == nil, errors.Is(err, runlog.ErrUnavailable), errors.Is(err, runlog.ErrNoRun):
		// ErrNoRun: a worker may bring the run back; the checks decide.
		f.wait = min(max(2*f.wait, minRetry), maxRetry)
		f.retryAt = time.Now().Add(f.wait)
	case ctx.Err() != nil, errors.Is(err, runlog.ErrClosed):
	default:
		f.err = err
	}
}

// read asks the log for what follows the cursor and queues it.
func (f *follower) read(ctx context.Context) error {
	d := f.feed
	d.mu.Lock()
	version, beat := d.version, d.beat
	d.mu.Unlock()
	r, err := d.store.run(ctx, d.store.scripts.follow, d.keys, "", d.run, f.at.Epoch, f.at.Seq, tailBytes)
	if err != nil {
		return err
	}
	st := r.list(1).status()
	d.learn(st, version)
	var queue []runlog.Update
	at, tail := f.at, r.list(2)
	switch r.text(0) {
	case "ahead":
		// The store lost the newest events; its writer will bring them again.
		return nil
	case "snapshot":
		snapshot, err := d.store.snapshots.unpack(r.text(2))
		if err != nil {
			return fmt.Errorf("run %s: %w", d.run, err)
		}
		reset := &runlog.Reset{Snapshot: snapshot, Reason: f.reason(st)}
		queue = append(queue, runlog.Update{Reset: reset}, runlog.Update{Beat: st.beat()})
		at, tail = snapshot.Position, r.list(3)
	}
	batches, err := tail.batches()
	if err != nil {
		return fmt.Errorf("run %s: %w", d.run, err)
	}
	for _, b := range batches {
		entries := b.after(at.Seq)
		if len(entries) == 0 {
			continue
		}
		if entries[0].Epoch != at.Epoch || entries[0].Seq != at.Seq+1 {
			return fmt.Errorf("run %s: %s follows %s in the log", d.run, entries[0].Position, at)
		}
		queue = append(queue, runlog.Update{Entries: entries})
		at.Seq = entries[len(entries)-1].Seq
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if r.text(0) == "snapshot" {
		f.term, f.beat = st.term, beat
	}
	f.at, f.queue = at, queue
	return nil
}

// reason says why a snapshot replaces what the follower has.
func (f *follower) reason(st status) runlog.Reason {
	switch {
	case f.term == 0:
		return runlog.ReasonJoin
	case f.at.Epoch != st.epoch:
		return runlog.ReasonEpoch
	case f.at.Seq < st.oldest-1:
		return runlog.ReasonSlow
	}
	return runlog.ReasonUnknownPosition
}
