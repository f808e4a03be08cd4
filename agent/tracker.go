package agent

import (
	"context"
	"slices"
	"sync"
)

// task names something that runs: a call, or a delivery to listeners.
type task struct{ kind, name, id string }

// tracker owns goroutines: it knows what runs, and can wait for all of it, but
// not longer than a context allows.
type tracker struct {
	mu   sync.Mutex
	live []*task
	none chan struct{} // closed when live becomes empty; nil while nobody waits
}

// start runs f in a goroutine. The task ends also when f panics or exits.
func (t *tracker) start(what task, f func()) {
	entry := &what
	t.mu.Lock()
	t.live = append(t.live, entry)
	t.mu.Unlock()
	go func() {
		defer t.end(entry)
		f()
	}()
}

func (t *tracker) end(entry *task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.live, entry)
	t.live = slices.Delete(t.live, i, i+1)
	if len(t.live) == 0 && t.none != nil {
		close(t.none)
		t.none = nil
	}
}

// wait returns when nothing runs, or with the cause of ctx's end.
func (t *tracker) wait(ctx context.Context) error {
	t.mu.Lock()
	if len(t.live) == 0 {
		t.mu.Unlock()
		return nil
	}
	if t.none == nil {
		t.none = make(chan struct{})
	}
	none := t.none
	t.mu.Unlock()
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// running lists what runs, oldest first.
func (t *tracker) running() []task {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]task, len(t.live))
	for i, entry := range t.live {
		list[i] = *entry
	}
	return list
}
