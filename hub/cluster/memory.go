package cluster

import (
	"context"
	"slices"
	"sync"
)

var _ Presence = (*Memory)(nil)

// Memory is the Presence of a hub that stands alone.
type Memory struct {
	mu   sync.Mutex
	runs map[string]*room // guarded by mu
}

// room is one run's people and those who follow them. Guarded by Memory.mu.
type room struct {
	people  []Person
	version int64
	changed chan struct{} // closed and replaced at each change
	follows int
}

// NewMemory returns an empty Memory.
func NewMemory() *Memory { return &Memory{runs: map[string]*room{}} }

// Join implements Presence.
func (m *Memory) Join(_ context.Context, run string, p Person) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.room(run)
	if i := r.find(p.Observer); i >= 0 {
		r.people[i] = p
	} else {
		r.people = append(r.people, p)
	}
	r.change()
	return nil
}

// Look implements Presence.
func (m *Memory) Look(_ context.Context, run, observer, target string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.runs[run]
	if !ok {
		return nil
	}
	if i := r.find(observer); i >= 0 && r.people[i].Target != target {
		r.people[i].Target = target
		r.change()
	}
	return nil
}

// Leave implements Presence.
func (m *Memory) Leave(_ context.Context, run, observer string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.runs[run]
	if !ok {
		return nil
	}
	if i := r.find(observer); i >= 0 {
		r.people = slices.Delete(r.people, i, i+1)
		r.change()
	}
	m.tidy(run, r)
	return nil
}

// Follow implements Presence.
func (m *Memory) Follow(_ context.Context, run string, people int) (PresenceFollower, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.room(run)
	r.follows++
	return &follower{m: m, run: run, room: r, people: people, seen: -1, done: make(chan struct{})}, nil
}

func (m *Memory) room(run string) *room {
	r, ok := m.runs[run]
	if !ok {
		r = &room{changed: make(chan struct{})}
		m.runs[run] = r
	}
	return r
}

// tidy forgets a room that nobody is in and nobody follows.
func (m *Memory) tidy(run string, r *room) {
	if len(r.people) == 0 && r.follows == 0 {
		delete(m.runs, run)
	}
}

func (r *room) find(observer string) int {
	return slices.IndexFunc(r.people, func(p Person) bool { return p.Observer == observer })
}

func (r *room) change() {
	r.version++
	close(r.changed)
	r.changed = make(chan struct{})
}

type follower struct {
	// static after construction
	m      *Memory
	run    string
	room   *room
	people int
	done   chan struct{}

	once sync.Once
	seen int64 // version last given; owned by Next
}

// Next implements PresenceFollower.
func (f *follower) Next(ctx context.Context) (State, error) {
	for {
		f.m.mu.Lock()
		version, changed := f.room.version, f.room.changed
		state := State{Watching: int64(len(f.room.people))}
		if version != f.seen {
			state.People = slices.Clone(f.room.people[:min(len(f.room.people), f.people)])
		}
		f.m.mu.Unlock()
		select {
		case <-f.done:
			return State{}, ErrClosed
		default:
		}
		if version != f.seen {
			f.seen = version
			return state, nil
		}
		select {
		case <-changed:
		case <-f.done:
			return State{}, ErrClosed
		case <-ctx.Done():
			return State{}, ctx.Err()
		}
	}
}

// Close implements PresenceFollower.
func (f *follower) Close() error {
	f.once.Do(func() {
		close(f.done)
		f.m.mu.Lock()
		defer f.m.mu.Unlock()
		f.room.follows--
		f.m.tidy(f.run, f.room)
	})
	return nil
}
