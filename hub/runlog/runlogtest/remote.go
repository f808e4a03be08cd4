package runlogtest

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// Claimer claims runs at a hub: the remote writer of hub/wire.
type Claimer interface {
	Claim(ctx context.Context, run string, o runlog.ClaimOptions) (runlog.Writer, runlog.Snapshot, error)
}

// ClaimedThrough is store with its runs claimed through c, so that the suite
// checks c's writers; everything else is read from store itself, and reapers
// claim there.
func ClaimedThrough(store runlog.Store, c Claimer) runlog.Store {
	return &remoteStore{Store: store, claimer: c}
}

type remoteStore struct {
	runlog.Store
	claimer Claimer
	closed  atomic.Bool
}

func (s *remoteStore) Claim(ctx context.Context, run string, o runlog.ClaimOptions) (runlog.Writer, runlog.Snapshot, error) {
	if o.Silent > 0 {
		return s.Store.Claim(ctx, run, o)
	}
	o.Owner = cmp.Or(o.Owner, "suite") // a hub wants a name, a store does not
	w, snapshot, err := s.claimer.Claim(ctx, run, o)
	return &remoteWriter{w, s}, snapshot, s.told(err)
}

func (s *remoteStore) Close() error {
	s.closed.Store(true)
	return s.Store.Close()
}

// told gives the one error that differs by intent: over HTTP a closed store is a
// hub that is stopping, and unavailable.
func (s *remoteStore) told(err error) error {
	if s.closed.Load() && errors.Is(err, runlog.ErrUnavailable) {
		return runlog.ErrClosed
	}
	return err
}

type remoteWriter struct {
	runlog.Writer
	store *remoteStore
}

func (w *remoteWriter) Append(ctx context.Context, first int64, events [][]byte) (runlog.Ack, error) {
	ack, err := w.Writer.Append(ctx, first, events)
	return ack, w.store.told(err)
}

func (w *remoteWriter) Heartbeat(ctx context.Context, s view.Summary) error {
	return w.store.told(w.Writer.Heartbeat(ctx, s))
}
