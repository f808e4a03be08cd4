package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/projector"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// eventSource is what a worker needs of a projector.Projector.
type eventSource interface {
	Project(t int64, e agent.Event) projector.Result
	Flush(t int64) []view.Event
	Close(t int64) []view.Event
	Reset()
}

var _ eventSource = (*projector.Projector)(nil)

// Worker joins one source of agent events to one run log. See the package's
// promises.
type Worker struct {
	// static after construction
	cfg   Config
	log   zerolog.Logger
	owner string
	// ctx ends all calls to the store: when Close gives up, and at the end.
	ctx    context.Context
	cancel context.CancelFunc
	// wake says that something is to be done (one slot); closing is closed by
	// the first Close, claimed by the first claim, done when all is over.
	wake                   chan struct{}
	closing, claimed, done chan struct{}

	link link // owned by run

	mu     sync.Mutex
	source eventSource
	buf    *buffer
	clock  sourceClock
	// unflushed says that the source may hold deltas back.
	unflushed bool
	shut      bool  // closing is closed
	err       error // why the worker ended by itself
	lostErr   error // why the newest lost events or outputs were lost
	stats     Stats
	inflight  int64 // events with a seq that wait for their acknowledgement
	// untold counts lost events that the people who watch were not told of.
	untold int64
	// waited is how long Publish has waited since the last progress; room is
	// closed and replaced when there is progress.
	waited time.Duration
	room   chan struct{}
	number renumber
	blobs  blobQueue
}

// New starts a worker. It claims the run in the background, for as long as the
// store is away; see Ready. The caller must Close it.
func New(cfg Config) (*Worker, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	owner := cfg.Owner + "#" + strings.ToLower(rand.Text()[:4])
	w := &Worker{
		cfg: cfg, owner: owner, ctx: ctx, cancel: cancel,
		log:  cfg.Logger.With().Str("run", cfg.Run).Str("owner", owner).Logger(),
		wake: make(chan struct{}, 1), closing: make(chan struct{}), claimed: make(chan struct{}), done: make(chan struct{}),
		source: projector.New(cfg.Projector), buf: newBuffer(cfg.BufferEvents, cfg.BufferBytes), room: make(chan struct{}),
		blobs: newBlobQueue(cfg.BlobBytes),
	}
	w.link = newLink(w)
	go w.run()
	return w, nil
}

// run owns the link and the goroutine of the whole outputs.
func (w *Worker) run() {
	defer close(w.done)
	var outputs sync.WaitGroup
	outputs.Go(w.storeOutputs)
	err := w.link.run()
	w.cancel()
	outputs.Wait()
	w.end(err)
}

// end counts what was left as lost.
func (w *Worker) end(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
	if left := int64(w.buf.len()) + w.inflight; left > 0 {
		w.countLostLocked(left, nil)
	}
	w.inflight = 0
	w.buf = newBuffer(0, 0) // refuses everything
	if left := w.blobs.drop(); left > 0 {
		w.stats.OutputsLost += left
		w.noteLossLocked(nil)
	}
	w.releaseLocked()
	if err != nil || w.stats.Lost > 0 || w.stats.OutputsLost > 0 {
		w.log.Warn().Err(err).Int64("lost", w.stats.Lost).Int64("outputsLost", w.stats.OutputsLost).Msg("worker ended with losses")
	}
}

// Publish projects an agent event that happened at t (Unix milliseconds) and
// hands over what that gives. It waits only while the buffer is full, at most
// Config.MaxWait in all without an answer of the store; what does not fit then
// is counted as lost. After Close or the end of the worker everything is lost.
func (w *Worker) Publish(t int64, e agent.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	room := w.waitForRoomLocked()
	if w.shut || w.err != nil {
		w.stats.Events++
		w.stats.Lost++
		return
	}
	w.clock.set(t)
	r := w.source.Project(t, e)
	refused := w.queueOutputsLocked(r.Blobs)
	for _, ev := range r.Events {
		if ev.Type == view.ToolEnd && refused[ev.Key] {
			ev.Output = false
		}
		w.number.event(&ev)
		if ev.Type == view.RunInfo && w.cfg.Projector.Run.Title != "" {
			ev.Title = "" // the title that was asked for stays
		}
		w.putLocked(ev, room)
	}
	w.unflushed = true
	w.signal()
}

// waitForRoomLocked waits while the buffer is full, giving up mu meanwhile, and
// says whether there is room now.
func (w *Worker) waitForRoomLocked() bool {
	for w.buf.full() && !w.shut && w.err == nil {
		left := w.cfg.MaxWait - w.waited
		if w.cfg.MaxWait < 0 {
			left = time.Hour
		}
		if left <= 0 {
			return false
		}
		room, start, timer := w.room, time.Now(), time.NewTimer(left)
		w.mu.Unlock()
		select {
		case <-room:
		case <-w.closing:
		case <-w.done:
		case <-timer.C:
		}
		timer.Stop()
		w.mu.Lock()
		if room == w.room { // no progress
			w.waited += time.Since(start)
		}
	}
	return !w.buf.full()
}

// releaseLocked lets those go who wait for room.
func (w *Worker) releaseLocked() {
	w.waited = 0
	close(w.room)
	w.room = make(chan struct{})
}

// putLocked adds an event to the buffer and counts what became of it.
func (w *Worker) putLocked(e view.Event, room bool) {
	w.stats.Events++
	merged, kept := w.buf.put(e, room)
	w.stats.Merged += int64(merged)
	if kept {
		return
	}
	w.countLostLocked(1, errFull)
	if w.untold == 0 {
		w.log.Warn().Int("buffered", w.buf.len()).Msg("the buffer is full: events are lost")
	}
	w.untold++
}

var errFull = errors.New("the buffer was full")

// countLostLocked counts lost events.
func (w *Worker) countLostLocked(n int64, err error) {
	w.stats.Lost += n
	w.noteLossLocked(err)
}

// noteLossLocked notes why something was lost: while the store is away that is
// why, else it is err, or not known.
func (w *Worker) noteLossLocked(err error) {
	if !w.stats.AwaySince.IsZero() && w.stats.LastError != nil {
		err = w.stats.LastError
	}
	if err != nil {
		w.lostErr = err
	}
}

// tellLossLocked says in the log that events are missing, once there is room.
func (w *Worker) tellLossLocked() {
	if w.untold == 0 || w.buf.len() > w.buf.maxEvents/2 || w.buf.bytes > w.buf.maxBytes/2 {
		return
	}
	text := fmt.Sprintf("%d events were lost while the run log was away", w.untold)
	w.untold = 0
	w.putLocked(view.Event{Type: view.NoticeEvent, T: w.clock.now(), Kind: "lost", Text: &text}, true)
}

// signal wakes the link; one signal that waits is enough.
func (w *Worker) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Ready waits for the first claim. It returns nil when the run is claimed, the
// reason if the worker ended before (a *runlog.HeldError if another worker holds
// the run), or ctx's error.
func (w *Worker) Ready(ctx context.Context) error {
	select {
	case <-w.claimed:
		return nil
	case <-w.done:
		if err := w.Err(); err != nil {
			return err
		}
		return runlog.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Done is closed when the worker has ended: by Close, or by itself (see Err).
func (w *Worker) Done() <-chan struct{} { return w.done }

// Err says why the worker ended by itself; nil while it runs and after a Close.
// A worker that was fenced by another has an error that wraps runlog.ErrFenced.
func (w *Worker) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Stats returns the worker's figures.
func (w *Worker) Stats() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.stats
	s.Buffered = int64(w.buf.len()) + w.inflight
	return s
}

// Close ends the source, delivers what waits, says that the worker is gone,
// makes a last checkpoint and gives the run up. When ctx ends first it stops
// trying. It returns why the worker had ended, or a *LostError if the log lacks
// events or whole outputs. It may be called again, and returns when all goroutines are out.
func (w *Worker) Close(ctx context.Context) error {
	w.shutDown()
	stop := context.AfterFunc(ctx, w.cancel)
	defer stop()
	<-w.done
	s, err := w.Stats(), w.Err()
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		return err
	case s.Lost > 0 || s.OutputsLost > 0:
		return &LostError{Run: w.cfg.Run, Events: s.Lost, Outputs: s.OutputsLost, Err: w.whyLost(context.Cause(ctx))}
	}
	return nil
}

// whyLost joins why something was lost with why Close gave up, if it did.
func (w *Worker) whyLost(gaveUp error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.lostErr == nil:
		return gaveUp
	case gaveUp == nil:
		return w.lostErr
	}
	return fmt.Errorf("%w (%w)", w.lostErr, gaveUp)
}

// shutDown takes the source's last events and lets nothing more in.
func (w *Worker) shutDown() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shut {
		return
	}
	w.shut = true
	close(w.closing)
	if w.err != nil {
		return
	}
	now := w.clock.now()
	for _, e := range w.source.Close(now) {
		w.number.event(&e)
		w.putLocked(e, true)
	}
	w.putLocked(view.Event{Type: view.Worker, T: now, State: view.WorkerGone, By: w.owner, At: time.Now().UnixMilli()}, true)
}

// sourceClock tells the time as the source counts it: recorded input has times
// of its own, and what the worker itself says must fit in between.
type sourceClock struct {
	t  int64
	at time.Time
}

func (c *sourceClock) set(t int64) {
	if t >= c.t {
		c.t, c.at = t, time.Now()
	}
}

func (c *sourceClock) now() int64 {
	if c.at.IsZero() {
		return time.Now().UnixMilli()
	}
	return c.t + time.Since(c.at).Milliseconds()
}
