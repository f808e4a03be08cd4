package main

import (
	"context"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/cmd/hub/internal/term"
	"github.com/ringside-hub/ringside/hub/wire"
)

// feed carries what is newest from a connection to a screen: one of each kind,
// so that a screen that draws slowly is behind by nothing, and holds nothing up.
type feed struct {
	ready chan struct{} // holds at most one

	mu sync.Mutex // guards what follows
	// link is Connected, Unknown, Lost or Ended; runs are the changes to a list, together.
	link     term.Msg
	update   *term.Update
	status   wire.Status
	told     bool // status holds something
	presence *wire.Presence
	runs     *wire.Runs
	over     bool // nothing more is wanted

	// unknown: the hub said last that it does not know the run. Owned by observe.
	unknown bool
}

func newFeed() *feed { return &feed{ready: make(chan struct{}, 1)} }

func (f *feed) isOver() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.over
}

// change changes what waits to be taken, and says that there is something.
func (f *feed) change(how func()) {
	f.mu.Lock()
	how()
	f.mu.Unlock()
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// take returns what has come since the last call, in an order that makes sense.
func (f *feed) take() []term.Msg {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []term.Msg
	if f.link != nil {
		list = append(list, f.link)
	}
	if f.update != nil {
		list = append(list, *f.update)
	}
	if f.told {
		list = append(list, f.status)
	}
	if f.presence != nil {
		list = append(list, *f.presence)
	}
	if f.runs != nil {
		list = append(list, *f.runs)
	}
	f.link, f.update, f.told, f.status, f.presence, f.runs = nil, nil, false, wire.Status{}, nil, nil
	return list
}

// observe feeds a screen with a run until ctx ends, the hub refuses for good, or
// over says that it is over, and how.
func (f *feed) observe(ctx context.Context, o *wire.Observer, over func(*wire.Observer) (error, bool)) error {
	defer o.Close()
	for {
		step, err := o.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case unborn(err):
			f.unknown = true
			f.change(func() { f.link = term.Unknown{RetryAt: time.Now().Add(unknownRetry)} })
			if !pause(ctx, unknownRetry) {
				return nil
			}
			continue
		case err != nil:
			f.change(func() { f.link = term.Ended{Why: term.Why(err)} })
			return nil
		}
		f.step(o, step)
		if err, over := over(o); over {
			f.change(func() { f.over = true })
			return err
		}
	}
}

func (f *feed) step(o *wire.Observer, step wire.Step) {
	if step.Down != nil {
		lost := term.Lost{Why: term.Why(step.Down), RetryAt: time.Now().Add(step.Retry)}
		f.change(func() { f.link = lost })
		return
	}
	switch m := step.Message.(type) {
	case wire.Welcome:
		if !f.unknown { // else the answer decides
			f.change(func() { f.link = term.Connected{} })
		}
	case wire.Snapshot:
		f.updated(o, string(m.Reason), 0)
	case wire.Events:
		f.updated(o, "", timeOf(m.Events[len(m.Events)-1]))
	case wire.Merged:
		at := int64(0)
		if events := eventsOf(m); len(events) > 0 {
			at = timeOf(events[len(events)-1])
		}
		f.updated(o, "", at)
	case wire.Status:
		f.change(func() { f.addStatus(m) })
	case wire.Presence:
		f.change(func() { f.presence = &m })
	}
}

// updated hands on the view as it is. A reason that was not taken yet stays.
func (f *feed) updated(o *wire.Observer, reason string, heardAt int64) {
	if !o.Synced() {
		return
	}
	appeared := f.unknown
	f.unknown = false
	u := term.Update{View: o.View().Clone(), Seq: o.Position().Seq, Snapshot: reason, HeardAt: heardAt}
	// The observer asks for a snapshot by itself only where its view was wrong.
	u.Resynced = reason == "asked" && o.Stats().Resyncs > 0
	f.change(func() {
		if appeared {
			f.link = term.Connected{}
		}
		if old := f.update; old != nil {
			if u.Snapshot == "" {
				u.Snapshot = old.Snapshot
			}
			if u.HeardAt == 0 {
				u.HeardAt = old.HeardAt
			}
			u.Resynced = u.Resynced || old.Resynced
		}
		f.update = &u
	})
}

// addStatus keeps what an earlier status said and this one does not.
func (f *feed) addStatus(m wire.Status) {
	f.told = true
	if m.Worker != nil {
		f.status.Worker = m.Worker
	}
	if m.Store != "" {
		f.status.Store = m.Store
	}
	if m.Delivery != nil {
		f.status.Delivery = m.Delivery
	}
}

func eventsOf(m wire.Merged) []jsontext.Value {
	events := make([]jsontext.Value, 0, len(m.Entries))
	for _, entry := range m.Entries {
		events = append(events, entry[1])
	}
	return events
}

// timeOf is an event's time, 0 where it has none.
func timeOf(event jsontext.Value) int64 {
	var e struct {
		T int64 `json:"t"`
	}
	if json.Unmarshal(event, &e) != nil {
		return 0
	}
	return e.T
}
