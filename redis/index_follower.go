package redis

import (
	"context"
	"sync"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// indexFollower is a cursor into the index.
type indexFollower struct {
	// static after construction
	index  *indexFeed
	closed chan struct{}
	once   sync.Once

	// owned by Next: the version that was told, -1 before the first
	seen int64
	// also owned by Next: whether it was last told that the store is lost, and
	// the breaks that it knows of
	down   bool
	breaks int64
}

// Index implements runlog.Store. It fails with ErrUnavailable while Redis is
// away; later the list stays as it was until Redis is back.
func (s *Store) Index(ctx context.Context) (runlog.IndexFollower, error) {
	if s.ctx.Err() != nil {
		return nil, runlog.ErrClosed
	}
	limited, cancel := context.WithTimeout(ctx, s.cfg.Timeouts.Dial+2*s.cfg.Timeouts.Call)
	defer cancel()
	x := s.startIndex()
	x.mu.Lock()
	breaks := x.breaks
	x.mu.Unlock()
	for i, l := range s.links {
		if err := s.waited(ctx, l.await(limited, x.channels[i]...)); err != nil {
			return nil, err
		}
		// What was claimed before this call is in the first update.
		if err := x.load(ctx, l); err != nil {
			return nil, err
		}
	}
	return &indexFollower{index: x, closed: make(chan struct{}), seen: -1, breaks: breaks}, nil
}

// Close implements runlog.IndexFollower.
func (f *indexFollower) Close() error {
	f.once.Do(func() { close(f.closed) })
	return nil
}

// Next implements runlog.IndexFollower.
func (f *indexFollower) Next(ctx context.Context) (runlog.IndexUpdate, error) {
	for {
		select {
		case <-f.closed:
			return runlog.IndexUpdate{}, runlog.ErrClosed
		case <-f.index.store.ctx.Done():
			return runlog.IndexUpdate{}, runlog.ErrClosed
		case <-ctx.Done():
			return runlog.IndexUpdate{}, ctx.Err()
		default:
		}
		u, changed := f.poll()
		if changed == nil {
			return u, nil
		}
		select {
		case <-changed:
		case <-f.index.store.ctx.Done():
		case <-f.closed:
		case <-ctx.Done():
		}
	}
}

// poll gives what is new, or a channel to wait on.
func (f *indexFollower) poll() (u runlog.IndexUpdate, changed <-chan struct{}) {
	x := f.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if f.seen >= 0 {
		if l := f.linkLocked(); l != nil {
			return runlog.IndexUpdate{Link: l}, nil
		}
	}
	if f.seen == x.version {
		return u, x.changed
	}
	u.Full = f.seen < x.forgotten || f.seen < 0
	now := time.Now()
	if u.Full {
		// A change that is held back from others is no reason to show old news.
		for _, i := range x.runs {
			u.Runs = append(u.Runs, i.summary(now))
		}
		f.seen = x.version
		return u, nil
	}
	for e := x.order.Back(); e != nil; e = e.Prev() {
		i := e.Value.(*indexed)
		if i.version <= f.seen {
			break
		}
		u.Runs = append(u.Runs, i.summary(now))
	}
	for _, g := range x.gone {
		// A run that was removed and is here again is a change, not gone.
		if g.version > f.seen && x.runs[g.run] == nil {
			u.Gone = append(u.Gone, g.run)
		}
	}
	f.seen = x.version
	if len(u.Runs) == 0 && len(u.Gone) == 0 {
		return u, x.changed
	}
	return u, nil
}

// linkLocked gives what is new about the way to the store. A break is told even if
// it is over by now.
func (f *indexFollower) linkLocked() *runlog.Link {
	x := f.index
	down := len(x.down) > 0
	broken := f.breaks != x.breaks
	f.breaks = x.breaks
	switch {
	case broken && !f.down:
		f.down = true
	case f.down && !down:
		f.down = false
	default:
		return nil
	}
	return &runlog.Link{Up: !f.down}
}

func (i *indexed) summary(now time.Time) runlog.RunSummary {
	s := i.line
	if s.HeardMs >= 0 {
		s.HeardMs = now.Sub(i.heard).Milliseconds()
	}
	return s
}
