package hub

import (
	"context"
	"fmt"
	"time"

	"github.com/ringside-hub/ringside/hub/cluster"
	"github.com/ringside-hub/ringside/hub/wire"
)

const (
	// presencePace is the least time between two presence messages of a run.
	presencePace = time.Second
	// presenceWait bounds a call to the cluster: presence is never worth waiting.
	presenceWait = time.Second
)

// anonymous names somebody who gave no name.
func (h *Hub) anonymous() string { return fmt.Sprintf("Viewer %d", h.viewers.Add(1)) }

// attend tells the cluster whether the observer watches the run. It is called
// after each change of that, by whoever made it. Two may be at it at once (a run
// goes while its reader watches it again), and their calls may arrive in any
// order: so each looks again after its own, and the last one leaves what is true.
func (o *observer) attend(run string) {
	for {
		there := o.watching(run) != nil
		o.hub.presenceCall(func(ctx context.Context) error {
			if there {
				return o.hub.cfg.Presence.Join(ctx, run, cluster.Person{Observer: o.id, Name: o.name})
			}
			return o.hub.cfg.Presence.Leave(ctx, run, o.id)
		})
		if there == (o.watching(run) != nil) {
			return
		}
	}
}

func (h *Hub) look(run, observer, target string) {
	target = cluster.CleanTarget(target)
	h.presenceCall(func(ctx context.Context) error { return h.cfg.Presence.Look(ctx, run, observer, target) })
}

func (h *Hub) presenceCall(call func(context.Context) error) {
	// Leaving has to be told also while the hub stops: hence not h.life.
	ctx, cancel := context.WithTimeout(context.Background(), presenceWait)
	defer cancel()
	if err := call(ctx); err != nil {
		h.log.Debug().Err(err).Msg("presence not told")
	}
}

// followPresence puts who watches the run into its feed, at most once a second.
// It begins once the feed knows its position: a frame before that would give
// the log a begin that it does not have.
func (r *run) followPresence(ctx context.Context) {
	select {
	case <-r.ready:
	case <-ctx.Done():
		return
	}
	for ctx.Err() == nil {
		if err := r.followPresenceOnce(ctx); err != nil && ctx.Err() == nil {
			r.hub.log.Debug().Err(err).Str("run", r.id).Msg("presence cannot be followed")
		}
		pause(ctx, maxBackoff)
	}
}

func (r *run) followPresenceOnce(ctx context.Context) error {
	f, err := r.hub.cfg.Presence.Follow(ctx, r.id, r.hub.cfg.Limits.People)
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		s, err := f.Next(ctx)
		if err != nil {
			return err
		}
		r.tellPresence(s)
		pause(ctx, presencePace)
	}
}

func (r *run) tellPresence(s cluster.State) {
	m := wire.Presence{Run: r.id, Watching: s.Watching, People: make([]wire.Person, 0, len(s.People))}
	for _, p := range s.People {
		m.People = append(m.People, wire.Person{Observer: p.Observer, Name: p.Name, Target: p.Target})
	}
	data, err := wire.Marshal(m)
	if err != nil {
		r.hub.log.Error().Err(err).Msg("presence cannot be encoded")
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.people = data
	r.publishLocked(data, r.seq)
	r.wakeLocked()
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
