package runlog

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// memFollower is a cursor into a run's log.
type memFollower struct {
	// static after construction
	store  *Memory
	run    *memRun
	closed chan struct{}
	once   sync.Once

	// owned by Next
	gen  int64 // the epoch that was told, 0 before the first reset
	seq  int64 // the newest seq that was told
	beat int64
	err  error // why this follower ended
}

func (f *memFollower) Close() error {
	f.once.Do(func() { close(f.closed) })
	return nil
}

func (f *memFollower) Next(ctx context.Context) (Update, error) {
	return await(ctx, f.store.done, f.closed, f.poll)
}

// await polls for an update until there is one, closed is closed or ctx ends. Where
// poll has nothing it gives a channel to wait on; done wakes it as well.
func await[U any](ctx context.Context, done, closed <-chan struct{}, poll func() (U, <-chan struct{}, error)) (none U, err error) {
	for {
		select {
		case <-closed:
			return none, ErrClosed
		case <-ctx.Done():
			return none, ctx.Err()
		default:
		}
		u, wait, err := poll()
		if err != nil || wait == nil {
			return u, err
		}
		select {
		case <-wait:
		case <-done:
		case <-closed:
		case <-ctx.Done():
		}
	}
}

// poll returns what is next, or a channel to wait on. A sign of life goes before
// events: it must not starve behind a busy log.
func (f *memFollower) poll() (u Update, wait <-chan struct{}, err error) {
	m, r := f.store, f.run
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case f.err != nil:
		return u, nil, f.err
	case m.closed:
		f.err = ErrClosed
		return u, nil, f.err
	case r.removed:
		f.err = fmt.Errorf("%w: %s", ErrNoRun, r.id)
		return u, nil, f.err
	}
	if reason, must := f.mustReset(); must {
		f.gen, f.seq = r.gen, r.snapshot.Seq
		u.Reset = &Reset{Snapshot: r.snapshot, Reason: reason}
		return u, nil, nil
	}
	if f.beat != r.beat {
		f.beat = r.beat
		u.Beat = &Beat{Age: time.Since(r.heard), Owner: r.owner, Released: !r.held}
		return u, nil, nil
	}
	if u.Entries = r.batchAfter(f.seq); u.Entries != nil {
		f.seq = u.Entries[len(u.Entries)-1].Seq
		return u, nil, nil
	}
	return u, r.wait(), nil
}

func (f *memFollower) mustReset() (Reason, bool) {
	switch {
	case f.gen == 0:
		return ReasonJoin, true
	case f.gen != f.run.gen:
		return ReasonEpoch, true
	case f.seq < f.run.oldest()-1:
		return ReasonSlow, true
	}
	return "", false
}
