package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// link is the worker's way to the store: it claims the run, gives seqs to what
// waits in the buffer, and keeps the store informed. All of it is owned by the
// one goroutine of Worker.run.
type link struct {
	w   *Worker
	log zerolog.Logger

	writer runlog.Writer
	epoch  string
	// epochs are all that this worker has had, firstBase is where the first began.
	epochs    []string
	firstBase int64
	// view is the fold of all events up to seq acked: what the store surely has.
	// Events up to head have a seq; those after acked are under way, in inflight
	// and in the ring.
	view        *view.View
	acked, head int64
	inflight    []view.Event
	ring        ring

	// late is the failure of a call that got no answer within its time.
	late  error
	pause backoff
	// more says that the last batch left something in the buffer.
	more bool

	lastFlush, lastAppend time.Time
	beat                  beatState
	check                 checkpointState
}

// Bounds of one batch: small enough to be quick on a slow line.
const (
	batchEvents = runlog.MaxBatchEvents
	batchBytes  = 256 << 10
)

func newLink(w *Worker) link {
	return link{
		w: w, log: w.log, ring: ring{maxEvents: w.cfg.RingEvents, maxBytes: w.cfg.RingBytes},
		late: fmt.Errorf("%w: no answer within %s", runlog.ErrUnavailable, w.cfg.CallTimeout),
	}
}

// run works until the worker is closed or has lost its run for good.
func (l *link) run() error {
	if err := l.firstClaim(); err != nil {
		return l.ended(err)
	}
	for {
		err := l.step()
		if errors.Is(err, errFinished) {
			return nil
		}
		if err != nil {
			return l.ended(err)
		}
	}
}

var errFinished = errors.New("finished")

// ended tells an end that Close asked for from one that the store brought.
func (l *link) ended(err error) error {
	if l.w.ctx.Err() != nil {
		return nil
	}
	return err
}

// step does what is due, or waits until something is.
func (l *link) step() error {
	now := time.Now()
	closing := l.closing()
	waiting := l.more || l.w.hasNews()
	flushAt := l.lastFlush.Add(l.w.cfg.Flush)
	switch {
	case l.w.ctx.Err() != nil:
		return l.w.ctx.Err()
	// Upkeep is rare, and must not starve behind a long backlog.
	case l.beat.due(now, l):
		return l.heartbeat()
	case l.check.due(now, l):
		return l.checkpoint()
	case waiting && (closing || l.more || !now.Before(flushAt)):
		return l.flush()
	case closing && !l.w.outputsWait():
		return l.finish()
	}
	next := l.beat.next(l)
	if at, any := l.check.next(l); any && at.Before(next) {
		next = at
	}
	if waiting && flushAt.Before(next) {
		next = flushAt
	}
	l.wait(next)
	return nil
}

// wait ends at a time, when there is news, or with the worker.
func (l *link) wait(until time.Time) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	closing := l.w.closing
	if l.closing() {
		closing = nil // known already
	}
	select {
	case <-timer.C:
	case <-l.w.wake:
	case <-closing:
	case <-l.w.ctx.Done():
	}
}

func (l *link) closing() bool {
	select {
	case <-l.w.closing:
		return true
	default:
		return false
	}
}

// call makes one call to the store, bounded in time.
func (l *link) call(f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(l.w.ctx, l.w.cfg.CallTimeout, l.late)
	defer cancel()
	err := f(ctx)
	if errors.Is(err, context.DeadlineExceeded) && errors.Is(context.Cause(ctx), l.late) {
		return l.late
	}
	return err
}

// away notes that the store did not answer and waits for the next attempt. It
// returns an error only when the worker gives up.
func (l *link) away(op string, err error) error {
	l.w.mu.Lock()
	if l.w.ctx.Err() == nil { // else it only says that Close has given up
		l.w.stats.LastError = fmt.Errorf("%s: %w", op, err)
	}
	if l.w.stats.AwaySince.IsZero() {
		l.w.stats.AwaySince = time.Now()
		l.log.Warn().Err(err).Str("op", op).Msg("run log is away: buffering")
	}
	l.w.mu.Unlock()
	if l.closing() {
		l.pause.attempt = min(l.pause.attempt, 2) // hurry: ctx bounds the attempts
	}
	timer := time.NewTimer(l.pause.next())
	defer timer.Stop()
	closing := l.w.closing
	if l.closing() {
		closing = nil
	}
	select {
	case <-timer.C:
	case <-closing:
	case <-l.w.ctx.Done():
		return fmt.Errorf("%s: %w", op, l.w.ctx.Err())
	}
	return nil
}

// back notes that the store answered: progress, for a Publish that waits.
func (l *link) back() {
	l.pause.reset()
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	l.w.releaseLocked()
	if since := l.w.stats.AwaySince; !since.IsZero() {
		l.w.stats.AwaySince = time.Time{}
		l.w.stats.Reconnects++
		l.log.Info().Dur("away", time.Since(since)).Int("buffered", l.w.buf.len()).Msg("run log is back")
	}
}

// finish is the end of a closed worker: everything is in the log.
func (l *link) finish() error {
	if err := l.checkpoint(); err != nil {
		return err
	}
	if err := l.heartbeat(); err != nil {
		return err
	}
	if l.w.hasNews() {
		return nil // a trim, or a new epoch
	}
	err := l.call(l.writer.Close)
	if err != nil && !errors.Is(err, runlog.ErrFenced) {
		l.log.Warn().Err(err).Msg("run not given up: it will count as lost")
	}
	return errFinished
}
