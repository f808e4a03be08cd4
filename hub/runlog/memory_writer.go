package runlog

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/ringside-hub/ringside/hub/view"
)

// memWriter is the Writer of one claim. It is safe for concurrent use.
type memWriter struct {
	// static after construction
	store *Memory
	run   *memRun
	term  int64
	epoch string

	// closed is guarded by Memory.mu.
	closed bool
}

func (w *memWriter) Epoch() string { return w.epoch }

// mayLocked says whether this writer may still write.
func (w *memWriter) mayLocked() error {
	switch {
	case w.store.closed || w.closed:
		return ErrClosed
	case w.run.removed:
		return fmt.Errorf("%w: %s", ErrNoRun, w.run.id)
	case w.run.term != w.term:
		return ErrFenced
	}
	return nil
}

func (w *memWriter) Append(ctx context.Context, first int64, events [][]byte) (Ack, error) {
	if err := CheckAppend(first, events); err != nil {
		return Ack{}, err
	}
	if err := ctx.Err(); err != nil {
		return Ack{}, err
	}
	m, r := w.store, w.run
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := w.mayLocked(); err != nil {
		return Ack{}, err
	}
	r.heard = time.Now()
	skip, ack := Place(r.last, first, len(events))
	if ack.Status != AppendOK || skip == len(events) {
		return ack, nil
	}
	b := memBatch{entries: make([]Entry, 0, len(events)-skip)}
	for i, e := range events[skip:] {
		b.entries = append(b.entries, Entry{Position{w.epoch, first + int64(skip+i)}, e})
		b.bytes += int64(len(e) + entryOverhead)
	}
	if err := m.makeRoomLocked(r, b); err != nil {
		return Ack{}, err
	}
	m.bytes += r.add(b)
	r.wake()
	return ack, nil
}

func (w *memWriter) Checkpoint(ctx context.Context, s Snapshot) error {
	switch {
	case len(s.View) > MaxViewBytes:
		return fmt.Errorf("checkpoint of %d bytes: %w: at most %d", len(s.View), ErrTooLarge, MaxViewBytes)
	case s.Epoch != w.epoch:
		return fmt.Errorf("checkpoint at %s: this writer's epoch is %s", s.Position, w.epoch)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	m, r := w.store, w.run
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := w.mayLocked(); err != nil {
		return err
	}
	r.heard = time.Now()
	if s.Seq < r.snapshot.Seq || s.Seq > r.last {
		return nil
	}
	if err := m.admitSnapshotLocked(r, len(s.View), s.Seq); err != nil {
		return err
	}
	m.bytes += r.setSnapshot(s)
	m.trimLocked(r)
	return nil
}

func (w *memWriter) PutBlob(ctx context.Context, name string, content io.Reader) error {
	if err := CheckBlobName(name); err != nil {
		return fmt.Errorf("%w: %.80q", err, name)
	}
	m := w.store
	m.mu.Lock()
	err := w.mayLocked()
	m.mu.Unlock()
	if err != nil {
		return err // before reading what would be thrown away
	}
	data, err := readBlob(ctx, content, min(MaxBlobBytes, m.cfg.BlobBytes))
	if err != nil {
		return fmt.Errorf("output %s: %w", name, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := w.mayLocked(); err != nil {
		return err
	}
	w.run.heard = time.Now()
	m.putBlobLocked(w.run, name, data)
	return nil
}

func (w *memWriter) Heartbeat(ctx context.Context, s view.Summary) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m := w.store
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := w.mayLocked(); err != nil {
		return err
	}
	w.run.summary = s
	m.beatLocked(w.run)
	m.index.touch(w.run)
	w.run.wake()
	return nil
}

func (w *memWriter) Close(ctx context.Context) error {
	m := w.store
	m.mu.Lock()
	defer m.mu.Unlock()
	if w.closed || m.closed {
		return nil
	}
	err := w.mayLocked()
	w.closed = true
	if err != nil {
		return err
	}
	m.releaseLocked(w.run)
	return nil
}
