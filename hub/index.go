package hub

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

// index is the list of runs: one follower of the store's index for the whole
// hub, and a feed of changes. It is followed as long as the hub runs.
type index struct {
	hub    *Hub
	loaded chan struct{} // closed once the list is known

	feed // its mu also guards what follows
	runs map[string]listed
	// changed holds what is not in the feed yet.
	changed map[string]struct{}
	gone    map[string]struct{}
	down    bool
	breaks  int64 // how often the store was lost
	told    time.Time
}

// listed is a run's line and when it was told.
type listed struct {
	runlog.RunSummary
	at time.Time
}

// indexPace is the least time between two messages about changed runs.
const indexPace = 200 * time.Millisecond

func (x *index) start(h *Hub) {
	x.hub = h
	x.runs, x.changed, x.gone = map[string]listed{}, map[string]struct{}{}, map[string]struct{}{}
	x.down, x.loaded = true, make(chan struct{})
	x.init(h.cfg.Limits, x.captureLocked)
}

func (x *index) follow(ctx context.Context) {
	wait := minBackoff
	for ctx.Err() == nil {
		err := x.followOnce(ctx, &wait)
		if ctx.Err() != nil || errors.Is(err, runlog.ErrClosed) {
			return
		}
		x.setLink(false)
		x.hub.log.Warn().Err(err).Dur("wait", wait).Msg("list of runs cannot be followed, trying again")
		select {
		case <-time.After(wait):
			wait = min(2*wait, maxBackoff)
		case <-ctx.Done():
		}
	}
}

func (x *index) followOnce(ctx context.Context, wait *time.Duration) error {
	f, err := x.hub.cfg.Store.Index(ctx)
	if err != nil {
		return fmt.Errorf("follow index: %w", err)
	}
	defer f.Close()
	x.setLink(true)
	for {
		u, err := f.Next(ctx)
		if err != nil {
			return fmt.Errorf("follow index: %w", err)
		}
		*wait = minBackoff
		x.update(u)
	}
}

// setLink notes that the store was lost, or is back.
func (x *index) setLink(up bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.down && !up {
		x.breaks++
	}
	x.down = !up
}

func (x *index) update(u runlog.IndexUpdate) {
	if u.Link != nil {
		x.setLink(u.Link.Up)
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	now := time.Now()
	select {
	case <-x.loaded:
	default:
		defer close(x.loaded)
	}
	if u.Full {
		for id := range x.runs {
			x.dropLocked(id)
		}
	}
	for _, s := range u.Runs {
		x.runs[s.Run] = listed{s, now}
		x.changed[s.Run] = struct{}{}
		delete(x.gone, s.Run)
	}
	for _, id := range u.Gone {
		x.dropLocked(id)
	}
	if now.Sub(x.told) >= indexPace {
		x.tellLocked(now)
	}
}

func (x *index) dropLocked(id string) {
	delete(x.runs, id)
	delete(x.changed, id)
	x.gone[id] = struct{}{}
}

// tellLocked puts what changed into the feed.
func (x *index) tellLocked(now time.Time) {
	if len(x.changed)+len(x.gone) == 0 {
		return
	}
	m := wire.Runs{Runs: x.linesLocked(slices.Sorted(maps.Keys(x.changed)), now), Gone: slices.Sorted(maps.Keys(x.gone))}
	clear(x.changed)
	clear(x.gone)
	x.told = now
	x.publishMessageLocked(m)
}

func (x *index) publishMessageLocked(m wire.HubMessage) {
	data, err := wire.Marshal(m)
	if err != nil {
		x.hub.log.Error().Err(err).Msg("list of runs cannot be encoded")
		return
	}
	x.publishLocked(data, 0)
	x.wakeLocked()
}

// linesLocked returns runs as they are now: the age of a sign of life grows.
func (x *index) linesLocked(ids []string, now time.Time) []runlog.RunSummary {
	lines := make([]runlog.RunSummary, 0, len(ids))
	for _, id := range ids {
		l := x.runs[id]
		if l.HeardMs >= 0 {
			l.HeardMs += now.Sub(l.at).Milliseconds()
		}
		lines = append(lines, l.RunSummary)
	}
	return lines
}

// list returns all runs, sorted by id, and whether that can be trusted now.
func (x *index) list() ([]runlog.RunSummary, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.linesLocked(slices.Sorted(maps.Keys(x.runs)), time.Now()), !x.down
}

// captureLocked implements feed.capture.
func (x *index) captureLocked() func() (*snapshot, error) {
	lines := x.linesLocked(slices.Sorted(maps.Keys(x.runs)), time.Now())
	return func() (*snapshot, error) {
		data, err := wire.Marshal(wire.Runs{Full: true, Runs: lines})
		if err != nil {
			return nil, fmt.Errorf("list of runs: %w", err)
		}
		s := &snapshot{body: data, heads: map[runlog.Reason][]byte{}}
		for _, reason := range []runlog.Reason{runlog.ReasonJoin, runlog.ReasonSlow} {
			s.setHead(reason, nil)
		}
		return s, nil
	}
}

// tick tells what has waited for its turn.
func (x *index) tick(now time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.tidyLocked(now)
	if now.Sub(x.told) >= indexPace {
		x.tellLocked(now)
	}
}

// figures sends the console's figures to who watches the list.
func (x *index) figures(now time.Time) {
	x.mu.Lock()
	idle := len(x.watchers) == 0
	x.mu.Unlock()
	if idle {
		return
	}
	m := x.hub.figures(now)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.publishMessageLocked(m)
}

// memory is what the process holds from the system, in bytes.
func memory() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}
