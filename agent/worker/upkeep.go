package worker

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// beatState is when signs of life were sent, and what they said.
type beatState struct {
	at    time.Time
	acked int64
	said  view.Summary
}

func (b *beatState) begin() { *b = beatState{} }

// next is when the next sign of life is due: early if there is news to show.
func (b *beatState) next(l *link) time.Time {
	if b.acked != l.acked {
		return b.at.Add(l.w.cfg.Heartbeat / 2)
	}
	return b.at.Add(l.w.cfg.Heartbeat)
}

func (b *beatState) due(now time.Time, l *link) bool { return !now.Before(b.next(l)) }

// heartbeat says that the worker lives and what its run looks like. Where no
// append has done so lately it also asks whether the store still has the
// newest event.
func (l *link) heartbeat() error {
	now := time.Now()
	s := l.view.Summary()
	changed := !reflect.DeepEqual(s, l.beat.said)
	if early := now.Before(l.beat.at.Add(l.w.cfg.Heartbeat)); early && !changed && !l.closing() {
		l.beat.acked = l.acked
		return nil
	}
	err := l.call(func(ctx context.Context) error { return l.writer.Heartbeat(ctx, s) })
	l.beat = beatState{at: now, acked: l.acked, said: s}
	if err != nil {
		return l.upkeepFailed("heartbeat", err)
	}
	l.back()
	if now.Sub(l.lastAppend) < l.w.cfg.Heartbeat {
		return nil
	}
	ack, err := l.append(l.acked+1, nil)
	switch {
	case err != nil:
		return l.upkeepFailed("position check", err)
	case ack.Status == runlog.AppendGap:
		return l.refill(ack.Last)
	}
	return nil
}

// refill gives the store again what it lost while there was nothing new.
func (l *link) refill(last int64) error {
	if !l.ring.has(last + 1) {
		return l.reclaim(errors.New("the store lost more events than are kept"))
	}
	for next := last + 1; next <= l.acked; {
		data := l.ring.from(next, batchEvents, batchBytes)
		ack, err := l.append(next, data)
		if err != nil {
			return l.upkeepFailed("refill", err)
		}
		if ack.Last < next {
			return nil // it lost even more; the next check sees it
		}
		next = ack.Last + 1
	}
	return nil
}

// upkeepFailed: only the loss of the run matters at once, everything else is
// tried again at its next time.
func (l *link) upkeepFailed(op string, err error) error {
	switch {
	case errors.Is(err, runlog.ErrFenced), errors.Is(err, runlog.ErrNoRun):
		return l.reclaim(err)
	case final(err):
		return err
	case l.w.ctx.Err() != nil:
		return l.w.ctx.Err()
	}
	return l.away(op, err)
}

// checkpointState is what the newest checkpoint covers and what came after it.
type checkpointState struct {
	seq  int64
	at   time.Time
	cost time.Duration
	// size is the encoded view's size, grown what came in since it was measured.
	size, grown int
}

func (c *checkpointState) begin(seq int64) {
	*c = checkpointState{seq: seq, at: time.Now(), size: c.size}
}

func (c *checkpointState) grew(bytes int) { c.grown += bytes }

// measureEvery bounds how much a view may grow unmeasured.
const measureEvery = 1 << 20

// next is when a checkpoint is due: after so many events, but a large view is
// not encoded all the time.
func (c *checkpointState) next(l *link) (at time.Time, any bool) {
	if l.acked == c.seq {
		return time.Time{}, false
	}
	if l.acked-c.seq >= int64(l.w.cfg.CheckpointEvents) || c.grown > measureEvery && c.size+c.grown > l.w.cfg.TrimViewBytes {
		return c.at.Add(10 * c.cost), true
	}
	return c.at.Add(l.w.cfg.CheckpointEvery), true
}

func (c *checkpointState) due(now time.Time, l *link) bool {
	at, any := c.next(l)
	return any && !now.Before(at)
}

// checkpoint stores the view, and has old turns trimmed where it is too large.
func (l *link) checkpoint() error {
	if l.acked == l.check.seq {
		return nil
	}
	start := time.Now()
	data, err := l.view.Encode()
	if err == nil {
		s := runlog.Snapshot{Position: runlog.Position{Epoch: l.epoch, Seq: l.acked}, View: data}
		err = l.call(func(ctx context.Context) error { return l.writer.Checkpoint(ctx, s) })
	}
	l.check = checkpointState{seq: l.check.seq, at: time.Now(), cost: time.Since(start), size: len(data)}
	if before := trimBefore(l.view, len(data), l.w.cfg.TrimViewBytes); before > 0 {
		l.w.putFront(view.Event{Type: view.Trim, T: l.w.now(), BeforeTurn: before})
		l.more = true
	}
	switch {
	case err == nil:
		l.check.seq = l.acked
		l.back()
		return nil
	case errors.Is(err, runlog.ErrTooLarge):
		l.log.Error().Err(err).Int("bytes", len(data)).Msg("no checkpoint: the view is too large")
		return nil
	}
	return l.upkeepFailed("checkpoint", err)
}
