package hub

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
)

const (
	// reaping bounds how many runs are given up at a time: each costs a fold.
	reaping = 4
	// reapWithin bounds one attempt.
	reapWithin = 20 * time.Second
	// reapSpread is how far hubs that see the same silent run are apart, so that
	// seldom two claim it. That only one says it is the store's promise.
	reapSpread = 2 * time.Second
	// clockJump: a tick that is so late means that this process slept, and heard
	// nothing meanwhile.
	clockJump = 2 * time.Second
)

// reaper gives runs up whose worker is not heard any more: it says `worker lost`
// in their log. Every hub has one; see runlog.Reap for why it is said once.
//
// Silence counts only while this hub could hear: since it follows the list of
// runs without a break of the store's, and without having slept itself. So an outage of
// the store costs no run.
type reaper struct {
	hub  *Hub
	slot chan struct{} // one for each attempt under way

	// Owned by tick, in the hub's clock.
	ticked time.Time
	// hearing is since when silence means something; zero while it does not.
	hearing time.Time
	breaks  int64
	// next is when a silent run is to be tried.
	next map[string]time.Time
}

func (p *reaper) init(h *Hub) {
	p.hub, p.slot, p.next = h, make(chan struct{}, reaping), map[string]time.Time{}
}

// tick gives up what is due by the clock.
func (p *reaper) tick(now time.Time) {
	lost := p.hub.cfg.Timing.Lost
	if lost < 0 {
		return
	}
	slept := !p.ticked.IsZero() && now.Sub(p.ticked) > clockJump
	p.ticked = now
	silent, breaks, up := p.hub.index.silent(now, lost)
	switch {
	case !up:
		p.hearing = time.Time{}
		return
	case slept || breaks != p.breaks || p.hearing.IsZero():
		p.hearing, p.breaks = now, breaks
	}
	if now.Sub(p.hearing) < lost {
		return
	}
	next := make(map[string]time.Time, len(silent))
	for _, run := range silent {
		at, known := p.next[run]
		if !known {
			at = now.Add(rand.N(min(reapSpread, lost/8+1)))
		}
		if !now.Before(at) && p.try(run) {
			at = now.Add(lost/2 + rand.N(lost/2+1)) // if it did not help
		}
		next[run] = at
	}
	p.next = next // of the others something was heard
}

// try begins an attempt, unless enough are under way.
func (p *reaper) try(run string) bool {
	select {
	case p.slot <- struct{}{}:
	default:
		return false
	}
	p.hub.wg.Go(func() {
		defer func() { <-p.slot }()
		p.reap(run)
	})
	return true
}

func (p *reaper) reap(run string) {
	h := p.hub
	ctx, cancel := context.WithTimeout(h.life, reapWithin)
	defer cancel()
	said, err := runlog.Reap(ctx, h.cfg.Store, run, h.cfg.Node, h.cfg.Timing.Lost)
	_, held := errors.AsType[*runlog.HeldError](err)
	switch {
	case said:
		h.stats.Reaped.Add(1)
		h.log.Warn().Str("run", run).Dur("silent", h.cfg.Timing.Lost).Msg("worker lost: the run was given up")
	case held || errors.Is(err, runlog.ErrReleased) || errors.Is(err, runlog.ErrNoRun) || errors.Is(err, runlog.ErrFenced):
		h.log.Debug().Err(err).Str("run", run).Msg("not given up")
	case err != nil && ctx.Err() == nil || errors.Is(err, context.DeadlineExceeded):
		h.stats.ReapFailed.Add(1)
		h.log.Warn().Err(err).Str("run", run).Msg("run cannot be given up, trying again")
	}
}

// silent returns the runs that somebody holds who was not heard for d, how often
// the store was lost so far, and whether it is there.
func (x *index) silent(now time.Time, d time.Duration) (runs []string, breaks int64, up bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, l := range x.runs {
		if l.HeardMs >= 0 && now.Sub(l.at)+time.Duration(l.HeardMs)*time.Millisecond >= d {
			runs = append(runs, id)
		}
	}
	return runs, x.breaks, !x.down
}
