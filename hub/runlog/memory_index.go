package runlog

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// maxGone bounds the removals that an index follower may be behind before it
// gets the full list again.
const maxGone = 1024

// memIndex is the list of runs in the order of their last change, so that a
// follower walks only what is new to it. Guarded by Memory.mu.
type memIndex struct {
	version int64
	runs    *list.List // of *memIndexed, oldest change first
	gone    []memGone  // oldest first
	// forgotten is the version of the newest removal that is in gone no more.
	forgotten int64
	changed   chan struct{}
}

type memIndexed struct {
	run     *memRun
	version int64
}

type memGone struct {
	run     string
	version int64
}

func newMemIndex() memIndex {
	return memIndex{runs: list.New(), changed: make(chan struct{})}
}

func (x *memIndex) wake() {
	close(x.changed)
	x.changed = make(chan struct{})
}

// touch says that a run changed.
func (x *memIndex) touch(r *memRun) {
	x.version++
	if r.element == nil {
		r.element = x.runs.PushBack(&memIndexed{run: r})
	}
	r.element.Value.(*memIndexed).version = x.version
	x.runs.MoveToBack(r.element)
	x.wake()
}

func (x *memIndex) remove(r *memRun) {
	if r.element == nil {
		return
	}
	x.version++
	x.runs.Remove(r.element)
	r.element = nil
	x.gone = append(x.gone, memGone{r.id, x.version})
	if len(x.gone) > maxGone {
		x.forgotten = x.gone[0].version
		x.gone = x.gone[1:]
	}
	x.wake()
}

// Index implements Store.
func (m *Memory) Index(ctx context.Context) (IndexFollower, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	m.expireLocked(time.Now())
	return &memIndexFollower{store: m, seen: -1, closed: make(chan struct{})}, nil
}

// memIndexFollower is a cursor into the index.
type memIndexFollower struct {
	// static after construction
	store  *Memory
	closed chan struct{}
	once   sync.Once

	// owned by Next: the version that was told, -1 before the first
	seen int64
}

func (f *memIndexFollower) Close() error {
	f.once.Do(func() { close(f.closed) })
	return nil
}

func (f *memIndexFollower) Next(ctx context.Context) (IndexUpdate, error) {
	return await(ctx, f.store.done, f.closed, f.poll)
}

func (f *memIndexFollower) poll() (u IndexUpdate, wait <-chan struct{}, err error) {
	m := f.store
	m.mu.Lock()
	defer m.mu.Unlock()
	x := &m.index
	switch {
	case m.closed:
		return u, nil, ErrClosed
	case f.seen == x.version:
		return u, x.changed, nil
	}
	u.Full = f.seen < x.forgotten || f.seen < 0
	now := time.Now()
	for e := x.runs.Back(); e != nil; e = e.Prev() {
		i := e.Value.(*memIndexed)
		if !u.Full && i.version <= f.seen {
			break
		}
		u.Runs = append(u.Runs, i.run.line(now))
	}
	if !u.Full {
		for _, g := range x.gone {
			// A run that was removed and is here again is a change, not gone.
			if r := m.runs[g.run]; g.version > f.seen && (r == nil || r.element == nil) {
				u.Gone = append(u.Gone, g.run)
			}
		}
	}
	f.seen = x.version
	return u, nil, nil
}

// line is the run's line in the index.
func (r *memRun) line(now time.Time) RunSummary {
	s := RunSummary{Run: r.id, Position: Position{r.epoch, r.last}, Owner: r.owner, Summary: r.summary, HeardMs: -1}
	if age, held := r.heldSince(now); held {
		s.HeardMs = age.Milliseconds()
	}
	return s
}
