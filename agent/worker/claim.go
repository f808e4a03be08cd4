package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// firstClaim claims the run at the start, however long the store is away. Held
// by another worker, or refused, it fails for good.
func (l *link) firstClaim() error {
	takeover := l.w.cfg.Takeover
	for {
		snapshot, err := l.claim(runlog.ClaimOptions{Owner: l.w.owner, Takeover: takeover})
		switch held, isHeld := errors.AsType[*runlog.HeldError](err); {
		case err == nil:
			v, err := view.Decode(snapshot.View)
			if err != nil {
				l.letGo()
				return fmt.Errorf("claim %s: %w", l.w.cfg.Run, err)
			}
			l.w.adopt(renumberFrom(v))
			l.install(snapshot.Position, v)
			l.w.putFront(l.opening(v)...)
			close(l.w.claimed)
			return nil
		case isHeld && held.Owner == l.w.owner:
			takeover = true // this worker's own, whose answer was lost
		case isHeld && !isReaper(held.Owner), final(err), refused(err):
			return err
		default:
			if err := l.away("claim", err); err != nil {
				return err
			}
		}
	}
}

// claim makes one attempt and keeps the new writer.
func (l *link) claim(o runlog.ClaimOptions) (s runlog.Snapshot, err error) {
	err = l.call(func(ctx context.Context) error {
		var w runlog.Writer
		if w, s, err = l.w.cfg.Store.Claim(ctx, l.w.cfg.Run, o); err != nil {
			return err
		}
		l.writer = w
		return nil
	})
	return s, err
}

// maxEpochs bounds the epochs that are remembered as one's own.
const maxEpochs = 256

// install begins an epoch at a position with a view.
func (l *link) install(at runlog.Position, v *view.View) {
	if l.epoch == "" {
		l.firstBase = at.Seq
	}
	l.epoch, l.view = at.Epoch, v
	l.epochs = append(l.epochs, at.Epoch)
	if len(l.epochs) > maxEpochs {
		l.epochs = l.epochs[1:]
	}
	l.acked, l.head = at.Seq, at.Seq
	l.inflight = nil
	l.ring.reset(at.Seq + 1)
	l.check.begin(at.Seq)
	l.beat.begin()
	l.back()
	l.w.mu.Lock()
	l.w.stats.Claims++
	l.w.stats.At = at
	l.w.source.Reset()
	l.w.mu.Unlock()
	l.w.setWriter(l.writer)
	l.log.Info().Str("epoch", at.Epoch).Int64("seq", at.Seq).Msg("run claimed")
}

// opening is what the worker says first: what the one before left open is
// lost, and what this run is.
func (l *link) opening(v *view.View) []view.Event {
	now, wall := l.w.now(), time.Now().UnixMilli()
	var events []view.Event
	if leftOpen(v) {
		events = append(events, view.Event{Type: view.Worker, T: now, State: view.WorkerLost, At: wall})
	}
	events = append(events, view.Event{Type: view.Worker, T: now, State: view.WorkerLive, By: l.w.owner, At: wall})
	p := l.w.cfg.Projector
	info := view.Event{
		Type: view.RunInfo, T: now, Title: p.Run.Title, Source: p.Source, Model: p.Run.Model,
		Cwd: p.Redactor.Path(p.Run.Cwd), Labels: p.Run.Labels,
	}
	if info.Source == "" {
		info.Source = p.Run.Source
	}
	if info.Title != "" || info.Source != "" || info.Model != "" || info.Cwd != "" || len(info.Labels) > 0 {
		events = append(events, info)
	}
	return events
}

// leftOpen says whether a view shows work that nobody does any more.
func leftOpen(v *view.View) bool {
	if v.RunStatus != view.Idle || v.Active != nil || v.Queue != nil {
		return true
	}
	for _, t := range v.Tools {
		if isOpen(t) {
			return true
		}
	}
	return false
}

func isOpen(t *view.Tool) bool {
	return t.Status == view.Composing || t.Status == view.Preparing || t.Status == view.CardRunning
}

// reclaim claims the run again after it was fenced or lost by the store: with
// this worker's own view, unless another worker has written meanwhile. What is
// under way gets new seqs in the new epoch.
func (l *link) reclaim(why error) error {
	l.log.Warn().Err(why).Msg("claiming the run again")
	l.w.setWriter(nil)
	takeover := false
	for {
		last, err := l.whatElse()
		var snapshot runlog.Snapshot
		if err == nil {
			snapshot, err = l.claimWith(last, takeover)
		}
		switch held, isHeld := errors.AsType[*runlog.HeldError](err); {
		case err == nil && snapshot.Seq > last:
			// Somebody wrote between the two calls; it is ours now, so look again.
			takeover = true
		case errors.Is(err, errForeign):
			l.letGo()
			return errForeign
		case err == nil:
			l.goOn(snapshot.Position)
			return nil
		case isHeld && held.Owner == l.w.owner:
			takeover = true
		case isHeld && !isReaper(held.Owner):
			return fmt.Errorf("%w: %w", runlog.ErrFenced, held)
		case final(err):
			return err
		default:
			if err := l.away("claim again", err); err != nil {
				return err
			}
		}
	}
}

var errForeign = fmt.Errorf("%w, wrote to it and left", runlog.ErrFenced)

// whatElse looks at what the store has after the newest acknowledged event: its
// own batch whose answer was lost counts as acknowledged, a reaper's words are
// passed over, anything else is another worker's (errForeign). It returns the
// newest seq that it has seen.
func (l *link) whatElse() (last int64, err error) {
	at := runlog.Position{Epoch: l.epoch, Seq: l.acked}
	last = l.acked
	for {
		var entries []runlog.Entry
		err := l.call(func(ctx context.Context) (err error) {
			entries, err = l.w.cfg.Store.Read(ctx, l.w.cfg.Run, at, batchEvents)
			return err
		})
		switch {
		case errors.Is(err, runlog.ErrUnknownPosition) && at != (runlog.Position{}):
			at = runlog.Position{} // it lost or forgot the event: look at all it has
			continue
		case errors.Is(err, runlog.ErrNoRun):
			return last, nil
		case err != nil:
			return 0, err
		case len(entries) == 0:
			return max(last, l.acked), nil
		}
		for _, e := range entries {
			if l.foreign(e) {
				return 0, errForeign
			}
			if e.Epoch == l.epoch {
				l.ack(e.Seq)
			}
			at, last = e.Position, max(last, e.Seq)
		}
	}
}

// foreign says whether another worker has written e since this one has the run.
func (l *link) foreign(e runlog.Entry) bool {
	if e.Seq <= l.firstBase || slices.Contains(l.epochs, e.Epoch) {
		return false
	}
	ev, err := view.DecodeEvent(e.Data)
	return err != nil || ev.Type != view.Worker
}

// claimWith claims with the worker's own view, as far as seq last.
func (l *link) claimWith(last int64, takeover bool) (runlog.Snapshot, error) {
	data, err := l.view.Encode()
	if err != nil {
		return runlog.Snapshot{}, err
	}
	seed := runlog.Snapshot{Position: runlog.Position{Epoch: l.epoch, Seq: last}, View: data}
	return l.claim(runlog.ClaimOptions{Owner: l.w.owner, Takeover: takeover, Seed: &seed})
}

// goOn begins the new epoch with what was under way.
func (l *link) goOn(at runlog.Position) {
	var own []view.Event
	if l.view.Worker != view.WorkerGone { // not if it was only closing
		own = append(own, view.Event{
			Type: view.Worker, T: l.w.now(), State: view.WorkerLive, By: l.w.owner, At: time.Now().UnixMilli(),
		})
	}
	inflight := l.inflight
	l.install(at, l.view)
	l.w.putBack(inflight, own...)
	l.more = true
}

// letGo gives up a run that was claimed but will not be used.
func (l *link) letGo() {
	if l.writer == nil {
		return
	}
	if err := l.call(l.writer.Close); err != nil {
		l.log.Debug().Err(err).Msg("run not given up")
	}
}

// final says that trying again cannot help.
func final(err error) bool {
	for _, e := range []error{runlog.ErrClosed, runlog.ErrBadRunID, runlog.ErrDenied} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// refused says that whoever was asked for the run says that it will never give
// it. Once the run was had that may pass: a proxy answers for a hub that starts.
func refused(err error) bool {
	r, ok := errors.AsType[interface {
		error
		Final() bool
	}](err)
	return ok && r.Final() && !errors.Is(err, runlog.ErrUnavailable)
}

func isReaper(owner string) bool {
	return len(owner) >= len(runlog.ReaperPrefix) && owner[:len(runlog.ReaperPrefix)] == runlog.ReaperPrefix
}
