package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	goredis "github.com/redis/go-redis/v9"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// publishBytes is the most that a batch is published whole; of a larger one only
// its position is, and followers read it from the log. It keeps a subscription's
// buffer in Redis, and the time that one message takes, small.
const publishBytes = 256 << 10

// writer is the Writer of one claim. It is safe for concurrent use.
type writer struct {
	// static after construction
	store *Store
	run   string
	keys  runKeys
	epoch string
	owner string

	// mu guards the rest.
	mu     sync.Mutex
	closed bool
	// fenced and released are final.
	fenced   bool
	released bool
}

func (w *writer) Epoch() string { return w.epoch }

// may says whether this writer may still write, as far as is known here.
func (w *writer) may(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.store.ctx.Err() != nil || w.closed:
		return runlog.ErrClosed
	case w.fenced:
		return runlog.ErrFenced
	}
	return ctx.Err()
}

// call runs a script as this writer.
func (w *writer) call(ctx context.Context, script *goredis.Script, args ...any) (reply, error) {
	return w.callKeys(ctx, script, w.keys, args...)
}

func (w *writer) callKeys(ctx context.Context, script *goredis.Script, k runKeys, args ...any) (reply, error) {
	r, err := w.store.run(ctx, script, k, w.epoch, w.run, args...)
	if errors.Is(err, runlog.ErrFenced) {
		w.mu.Lock()
		w.fenced = true
		w.mu.Unlock()
	}
	return r, err
}

// Append implements runlog.Writer. ErrUnavailable leaves open whether the batch
// was written: append it again.
func (w *writer) Append(ctx context.Context, first int64, events [][]byte) (runlog.Ack, error) {
	if err := runlog.CheckAppend(first, events); err != nil {
		return runlog.Ack{}, err
	}
	if err := w.may(ctx); err != nil {
		return runlog.Ack{}, err
	}
	for {
		r, err := w.append(ctx, first, events)
		if err != nil {
			return runlog.Ack{}, err
		}
		last := r.number(1)
		switch r.text(0) {
		case "ok":
			return runlog.Ack{Status: runlog.AppendOK, Last: last}, nil
		case "dup":
			return runlog.Ack{Status: runlog.AppendDup, Last: last}, nil
		case "gap":
			return runlog.Ack{Status: runlog.AppendGap, Last: last}, nil
		case "full":
			return runlog.Ack{}, fmt.Errorf("%w: run %s keeps %d events of %d bytes after its last one",
				runlog.ErrNeedCheckpoint, w.run, last, r.number(2))
		case "overlap":
			// The store has the first of them: only the new tail is appended.
			skip := last + 1 - first
			if skip < 1 || skip >= int64(len(events)) {
				return runlog.Ack{}, fmt.Errorf("append at %d: the store answered overlap with %d", first, last)
			}
			first, events = first+skip, events[skip:]
		default:
			return runlog.Ack{}, fmt.Errorf("append at %d: the store answered %.40q", first, r.text(0))
		}
	}
}

func (w *writer) append(ctx context.Context, first int64, events [][]byte) (reply, error) {
	l := w.store.cfg.Limits
	data := appendFrames(make([]byte, 0, framesSize(events)), events)
	return w.call(ctx, w.store.scripts.append, first, first+int64(len(events))-1, data, l.RunEvents, l.RunBytes, publishBytes)
}

// Checkpoint implements runlog.Writer.
func (w *writer) Checkpoint(ctx context.Context, s runlog.Snapshot) error {
	switch {
	case len(s.View) > runlog.MaxViewBytes:
		return fmt.Errorf("checkpoint of %d bytes: %w: at most %d", len(s.View), runlog.ErrTooLarge, runlog.MaxViewBytes)
	case s.Epoch != w.epoch:
		return fmt.Errorf("checkpoint at %s: this writer's epoch is %s", s.Position, w.epoch)
	}
	if err := w.may(ctx); err != nil {
		return err
	}
	l := w.store.cfg.Limits
	_, err := w.call(ctx, w.store.scripts.checkpoint, s.Seq, w.store.snapshots.pack(s), l.RunEvents, l.RunBytes)
	return err
}

// Heartbeat implements runlog.Writer.
func (w *writer) Heartbeat(ctx context.Context, s view.Summary) error {
	if err := w.may(ctx); err != nil {
		return err
	}
	text, err := w.indexText(s)
	if err != nil {
		return fmt.Errorf("heartbeat: %w", err)
	}
	_, err = w.call(ctx, w.store.scripts.heartbeat, text, w.store.cfg.Limits.ListedRuns)
	return err
}

// Close implements runlog.Writer. If Redis is away it fails, and the next Close
// tries again; the run is free anyway when its hold has run out.
func (w *writer) Close(ctx context.Context) error {
	w.mu.Lock()
	done := w.released || w.store.ctx.Err() != nil
	fenced := w.fenced
	w.closed = true
	w.mu.Unlock()
	switch {
	case done:
		return nil
	case fenced:
		w.setReleased()
		return runlog.ErrFenced
	}
	err := w.release(ctx)
	if err == nil || errors.Is(err, runlog.ErrFenced) || errors.Is(err, runlog.ErrNoRun) {
		w.setReleased()
	}
	return err
}

func (w *writer) setReleased() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.released = true
}

func (w *writer) release(ctx context.Context) error {
	_, err := w.call(ctx, w.store.scripts.release)
	return err
}

// PutBlob implements runlog.Writer.
func (w *writer) PutBlob(ctx context.Context, name string, content io.Reader) error {
	if err := runlog.CheckBlobName(name); err != nil {
		return fmt.Errorf("%w: %.80q", err, name)
	}
	if err := w.may(ctx); err != nil {
		return err
	}
	if err := w.putBlob(ctx, name, content); err != nil {
		return fmt.Errorf("output %s: %w", name, err)
	}
	return nil
}
