package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/hub/wire"
)

// run is one followed run: the fold of its log, and the feed that observers
// read. One goroutine (follow) owns the follower and is the only one that folds.
type run struct {
	// static after construction
	hub    *Hub
	id     string
	cancel context.CancelFunc
	ready  chan struct{} // closed once the run can be watched, or has failed

	// err says why the run cannot be watched; set before ready is closed.
	err error

	// guarded by hub.mu
	refs int
	idle time.Time // when refs became 0

	feed // its mu also guards what follows

	view   *view.View
	pos    runlog.Position
	opaque bool // an event could not be folded: the view proves nothing
	hashed hashAt
	sign   life
	check  checking
	people []byte // the newest presence message
	ended  error  // why the run cannot be watched any more

	backfilling sync.Mutex // held while history is read: one at a time
}

// hashAt is the view's hash, kept for its position.
type hashAt struct {
	at   runlog.Position
	hash string
}

// backoffs between attempts to follow a run whose follower failed.
const (
	minBackoff = 250 * time.Millisecond
	maxBackoff = 5 * time.Second
)

func newRun(h *Hub, id string, cancel context.CancelFunc) *run {
	r := &run{hub: h, id: id, cancel: cancel, ready: make(chan struct{}), view: view.New()}
	r.init(h.cfg.Limits, r.captureLocked)
	r.epilogue = r.besideLocked
	return r
}

// follow follows the run until ctx ends or the run is gone. A follower that
// fails is replaced; observers are told that the store is away.
func (r *run) follow(ctx context.Context) {
	wait := minBackoff
	for {
		err := r.followOnce(ctx, &wait)
		if ctx.Err() != nil {
			err = runlog.ErrClosed
		}
		final := errors.Is(err, runlog.ErrNoRun) || errors.Is(err, runlog.ErrClosed) || errors.Is(err, runlog.ErrBadRunID)
		if final || !r.isReady() {
			r.fail(err)
			return
		}
		r.hub.log.Warn().Err(err).Str("run", r.id).Dur("wait", wait).Msg("follower failed, following again")
		r.setLink(false)
		select {
		case <-time.After(wait):
			wait = min(2*wait, maxBackoff)
		case <-ctx.Done():
		}
	}
}

func (r *run) followOnce(ctx context.Context, wait *time.Duration) error {
	f, err := r.hub.cfg.Store.Follow(ctx, r.id)
	if err != nil {
		return fmt.Errorf("follow run %s: %w", r.id, err)
	}
	defer f.Close()
	again := r.isReady()
	for {
		u, err := f.Next(ctx)
		if err != nil {
			return fmt.Errorf("follow run %s: %w", r.id, err)
		}
		if again {
			r.setLink(true)
			again = false
		}
		if err := r.update(u); err != nil {
			return err
		}
		*wait = minBackoff
		if !r.isReady() {
			close(r.ready)
		}
	}
}

func (r *run) isReady() bool {
	select {
	case <-r.ready:
		return true
	default:
		return false
	}
}

func (r *run) update(u runlog.Update) error {
	switch {
	case u.Reset != nil:
		return r.reset(u.Reset)
	case len(u.Entries) > 0:
		return r.append(u.Entries)
	case u.Beat != nil:
		r.beat(u.Beat)
	case u.Link != nil:
		r.setLink(u.Link.Up)
	}
	return nil
}

// fail ends the run: whoever waits for it or watches it is told.
func (r *run) fail(err error) {
	r.hub.forget(r)
	if !r.isReady() {
		r.err = err
		close(r.ready)
		return
	}
	r.mu.Lock()
	r.ended = err
	watchers := make([]*watch, 0, len(r.watchers))
	for w := range r.watchers {
		watchers = append(watchers, w)
	}
	r.mu.Unlock()
	// Everybody is told before the cluster is, which may take long.
	watchers = slices.DeleteFunc(watchers, func(w *watch) bool { return !w.obs.lose(w, err) })
	for _, w := range watchers {
		w.obs.attend(r.id)
	}
}

// failure says why the run has ended, or nil.
func (r *run) failure() error {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.ended
}

// reset starts again from a snapshot. A follower that was replaced starts with
// one too: if it does not reach further than what was folded already, nothing
// was missed, and its tail goes on where the log ends.
func (r *run) reset(reset *runlog.Reset) error {
	s := reset.Snapshot
	r.mu.Lock()
	known := r.isReady() && s.Epoch == r.pos.Epoch && s.Seq <= r.pos.Seq && reset.Reason == runlog.ReasonJoin && !r.opaque
	reason := reset.Reason
	if s.Epoch != r.pos.Epoch {
		reason = runlog.ReasonEpoch
	} else if reason == runlog.ReasonJoin {
		reason = runlog.ReasonSlow // it is the hub that fell behind
	}
	r.mu.Unlock()
	if known {
		return nil
	}
	v, err := view.Decode(s.View)
	if err != nil {
		return fmt.Errorf("snapshot of run %s at %s: %w", r.id, s.Position, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.view, r.pos, r.opaque = v, s.Position, false
	r.hashed = hashAt{}
	if r.isReady() {
		r.hub.stats.Resets.Add(1)
		r.breakLocked(reason, s.Seq)
	} else {
		r.clear(s.Seq)
	}
	return nil
}

// maxFrame is about how large an events message gets: a larger batch becomes
// several, so that a slow observer is never in the middle of one for long.
const maxFrame = 256 << 10

// append folds one batch and puts its frames into the log.
func (r *run) append(entries []runlog.Entry) error {
	entries = r.unseen(entries)
	if len(entries) == 0 {
		return nil
	}
	if err := r.continuous(entries); err != nil {
		return err
	}
	events, opaque := r.decode(entries)
	frames := split(entries)
	payloads := make([][]byte, len(frames))
	for i, part := range frames {
		payloads[i] = wire.AppendEntries(nil, r.id, part)
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.view.RunStatus
	for i := range events {
		r.view.Apply(&events[i])
	}
	r.opaque = r.opaque || opaque
	r.pos = entries[len(entries)-1].Position
	for i, part := range frames {
		r.publishLocked(payloads[i], part[len(part)-1].Seq)
	}
	r.hub.stats.EventsIn.Add(int64(len(entries)))
	r.check.changed = true
	if was != view.Idle && r.view.RunStatus == view.Idle {
		r.checkLocked()
	}
	r.wakeLocked()
	return nil
}

// unseen drops what was folded already: a replaced follower begins with a
// snapshot that may be older than the fold.
func (r *run) unseen(entries []runlog.Entry) []runlog.Entry {
	for len(entries) > 0 && entries[0].Epoch == r.pos.Epoch && entries[0].Seq <= r.pos.Seq {
		entries = entries[1:]
	}
	return entries
}

// continuous checks what the store promises: a hole must never reach anybody.
func (r *run) continuous(entries []runlog.Entry) error {
	want := runlog.Position{Epoch: r.pos.Epoch, Seq: r.pos.Seq + 1}
	for _, e := range entries {
		if e.Position != want {
			return fmt.Errorf("run %s: the store gave %s where %s follows", r.id, e.Position, want)
		}
		want.Seq++
	}
	return nil
}

// decode reads the events for the fold. One that this version cannot read (a
// newer worker's) still goes to the observers as it is; the hub's view then
// proves nothing until the next snapshot, and no checks are sent.
func (r *run) decode(entries []runlog.Entry) (events []view.Event, opaque bool) {
	events = make([]view.Event, 0, len(entries))
	for _, e := range entries {
		ev, err := view.DecodeEvent(e.Data)
		if err != nil {
			opaque = true
			r.hub.stats.BadEvents.Add(1)
			r.hub.log.Warn().Err(err).Str("run", r.id).Stringer("at", e.Position).Msg("event cannot be folded")
			continue
		}
		events = append(events, ev)
	}
	return events, opaque
}

// split cuts a batch where it would make too large a frame.
func split(entries []runlog.Entry) [][]runlog.Entry {
	var parts [][]runlog.Entry
	start, size := 0, 0
	for i, e := range entries {
		if size > 0 && size+len(e.Data) > maxFrame {
			parts = append(parts, entries[start:i])
			start, size = i, 0
		}
		size += len(e.Data)
	}
	return append(parts, entries[start:])
}
