package runlogtest

import (
	"context"
	"io"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// Op names a call to a store or to one of its writers.
type Op string

// The calls that Faulty can disturb.
const (
	OpClaim      Op = "claim"
	OpFollow     Op = "follow"
	OpRead       Op = "read"
	OpIndex      Op = "index"
	OpBlob       Op = "blob"
	OpAppend     Op = "append"
	OpCheckpoint Op = "checkpoint"
	OpPutBlob    Op = "put_blob"
	OpHeartbeat  Op = "heartbeat"
	OpClose      Op = "close"
)

// Faulty wraps a Store. Before is called ahead of every call: its error is
// returned in place of making the call. After is called when the call is done:
// its error hides an answer that the store has given, as a cut connection does.
// Both may block (honouring ctx) and must be safe for concurrent use; nil ones
// do nothing.
type Faulty struct {
	runlog.Store
	Before func(ctx context.Context, op Op) error
	After  func(ctx context.Context, op Op) error
}

func (f *Faulty) before(ctx context.Context, op Op) error {
	if f.Before == nil {
		return nil
	}
	return f.Before(ctx, op)
}

// after returns err, or where the call went well what After makes of it.
func (f *Faulty) after(ctx context.Context, op Op, err error) error {
	if err != nil || f.After == nil {
		return err
	}
	return f.After(ctx, op)
}

// Claim implements runlog.Store; the writer it returns is disturbed too.
func (f *Faulty) Claim(ctx context.Context, run string, o runlog.ClaimOptions) (runlog.Writer, runlog.Snapshot, error) {
	if err := f.before(ctx, OpClaim); err != nil {
		return nil, runlog.Snapshot{}, err
	}
	w, s, err := f.Store.Claim(ctx, run, o)
	if err := f.after(ctx, OpClaim, err); err != nil {
		return nil, runlog.Snapshot{}, err
	}
	return &faultyWriter{w, f}, s, nil
}

// Follow implements runlog.Store. The follower itself is not disturbed.
func (f *Faulty) Follow(ctx context.Context, run string) (runlog.Follower, error) {
	if err := f.before(ctx, OpFollow); err != nil {
		return nil, err
	}
	follower, err := f.Store.Follow(ctx, run)
	if err := f.after(ctx, OpFollow, err); err != nil {
		if follower != nil {
			follower.Close()
		}
		return nil, err
	}
	return follower, nil
}

// Read implements runlog.Store.
func (f *Faulty) Read(ctx context.Context, run string, from runlog.Position, limit int) ([]runlog.Entry, error) {
	if err := f.before(ctx, OpRead); err != nil {
		return nil, err
	}
	entries, err := f.Store.Read(ctx, run, from, limit)
	if err := f.after(ctx, OpRead, err); err != nil {
		return nil, err
	}
	return entries, nil
}

// Index implements runlog.Store.
func (f *Faulty) Index(ctx context.Context) (runlog.IndexFollower, error) {
	if err := f.before(ctx, OpIndex); err != nil {
		return nil, err
	}
	return f.Store.Index(ctx)
}

// Blob implements runlog.Store.
func (f *Faulty) Blob(ctx context.Context, run, name string) (io.ReadSeekCloser, error) {
	if err := f.before(ctx, OpBlob); err != nil {
		return nil, err
	}
	return f.Store.Blob(ctx, run, name)
}

type faultyWriter struct {
	w runlog.Writer
	f *Faulty
}

func (w *faultyWriter) Epoch() string { return w.w.Epoch() }

func (w *faultyWriter) Append(ctx context.Context, first int64, events [][]byte) (runlog.Ack, error) {
	if err := w.f.before(ctx, OpAppend); err != nil {
		return runlog.Ack{}, err
	}
	ack, err := w.w.Append(ctx, first, events)
	if err := w.f.after(ctx, OpAppend, err); err != nil {
		return runlog.Ack{}, err
	}
	return ack, nil
}

func (w *faultyWriter) Checkpoint(ctx context.Context, s runlog.Snapshot) error {
	if err := w.f.before(ctx, OpCheckpoint); err != nil {
		return err
	}
	return w.f.after(ctx, OpCheckpoint, w.w.Checkpoint(ctx, s))
}

func (w *faultyWriter) PutBlob(ctx context.Context, name string, r io.Reader) error {
	if err := w.f.before(ctx, OpPutBlob); err != nil {
		return err
	}
	return w.f.after(ctx, OpPutBlob, w.w.PutBlob(ctx, name, r))
}

func (w *faultyWriter) Heartbeat(ctx context.Context, s view.Summary) error {
	if err := w.f.before(ctx, OpHeartbeat); err != nil {
		return err
	}
	return w.f.after(ctx, OpHeartbeat, w.w.Heartbeat(ctx, s))
}

func (w *faultyWriter) Close(ctx context.Context) error {
	if err := w.f.before(ctx, OpClose); err != nil {
		return err
	}
	return w.f.after(ctx, OpClose, w.w.Close(ctx))
}
