package runlog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringside-hub/ringside/hub/view"
)

// Reap gives up a run whose writer has not been heard for silent: it claims the
// run, appends `worker lost`, checkpoints, shows the new summary and closes. It
// returns true if it was this call that said so.
//
// However many call it, `worker lost` is said once: the claim loses against a
// writer that is heard, and one who finds that another has said it already, or
// that the writer had said goodbye, only closes. What keeps the run as it is:
// *HeldError (the holder is heard), ErrReleased and ErrNoRun, and ErrFenced if
// somebody took the run meanwhile. After any other error the run is still held,
// so that it is reaped again once the reaper itself has been silent for so long.
func Reap(ctx context.Context, s Store, run, node string, silent time.Duration) (bool, error) {
	w, snapshot, err := s.Claim(ctx, run, ClaimOptions{Owner: ReaperPrefix + node, Silent: silent})
	if err != nil {
		return false, err
	}
	v, err := view.Decode(snapshot.View)
	if err != nil {
		return false, fmt.Errorf("reap %s: %w", run, err)
	}
	said := false
	if v.Worker != view.WorkerLost && v.Worker != view.WorkerGone {
		if err := sayLost(ctx, w, snapshot, v); err != nil {
			return false, fmt.Errorf("reap %s: %w", run, err)
		}
		said = true
	}
	if err := w.Heartbeat(ctx, v.Summary()); err != nil {
		return said, fmt.Errorf("reap %s: %w", run, err)
	}
	if err := w.Close(ctx); err != nil {
		return said, fmt.Errorf("reap %s: %w", run, err)
	}
	return said, nil
}

// sayLost appends `worker lost` to a log that ends at s, whose view is v, and
// has the log begin there for joiners, if there is room for that.
func sayLost(ctx context.Context, w Writer, s Snapshot, v *view.View) error {
	now := time.Now().UnixMilli()
	// Nothing that the worker showed may have ended before it began, even if its
	// clock was ahead.
	e := view.Event{Type: view.Worker, T: max(now, v.Summary().LastAt), State: view.WorkerLost, At: now}
	data, err := e.Encode()
	if err != nil {
		return err
	}
	ack, err := w.Append(ctx, s.Seq+1, [][]byte{data})
	if errors.Is(err, ErrNeedCheckpoint) {
		if err := w.Checkpoint(ctx, s); err != nil {
			return err
		}
		ack, err = w.Append(ctx, s.Seq+1, [][]byte{data})
	}
	if err != nil {
		return err
	}
	if ack.Status == AppendGap {
		return fmt.Errorf("%w: the store lost what it had at %s", ErrNoRun, s.Position)
	}
	v.Apply(&e)
	s.Seq++
	if s.View, err = v.Encode(); err != nil {
		return err
	}
	if err := w.Checkpoint(ctx, s); err != nil && !errors.Is(err, ErrFull) && !errors.Is(err, ErrTooLarge) {
		return err
	}
	return nil
}
