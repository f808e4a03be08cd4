package hub_test

import (
	"cmp"
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/hub"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/hub/wire"
)

// overHub is a store whose runs are claimed at a hub over HTTP.
type overHub struct {
	runlog.Store
	remote *wire.Remote
	closed atomic.Bool
}

func (s *overHub) Claim(ctx context.Context, run string, o runlog.ClaimOptions) (runlog.Writer, runlog.Snapshot, error) {
	o.Owner = cmp.Or(o.Owner, "suite") // a hub wants a name, a store does not
	w, snapshot, err := s.remote.Claim(ctx, run, o)
	return &overHubWriter{w, s}, snapshot, s.told(err)
}

func (s *overHub) Close() error {
	s.closed.Store(true)
	return s.Store.Close()
}

// told gives the one error that differs by intent: over HTTP a closed store is a
// hub that is stopping, and unavailable.
func (s *overHub) told(err error) error {
	if s.closed.Load() && errors.Is(err, runlog.ErrUnavailable) {
		return runlog.ErrClosed
	}
	return err
}

type overHubWriter struct {
	runlog.Writer
	store *overHub
}

func (w *overHubWriter) Append(ctx context.Context, first int64, events [][]byte) (runlog.Ack, error) {
	ack, err := w.Writer.Append(ctx, first, events)
	return ack, w.store.told(err)
}

func (w *overHubWriter) Heartbeat(ctx context.Context, s view.Summary) error {
	return w.store.told(w.Writer.Heartbeat(ctx, s))
}

// A writer over this hub keeps the same contract as one at the store itself.
func TestRemoteWriterContract(t *testing.T) {
	runlogtest.Run(t, func(t testing.TB) runlog.Store {
		store := runlog.NewMemory(runlog.MemoryConfig{RunEvents: runlogtest.KeepEvents})
		t.Cleanup(func() { _ = store.Close() })
		s := start(t, hub.Config{Store: store})
		remote, err := wire.NewRemote(wire.RemoteConfig{BaseURL: s.URL, HTTPClient: s.http})
		must(t, err)
		return &overHub{Store: store, remote: remote}
	})
}

// An observer goes on at another hub where it was: one that has just started,
// and follows the run from a checkpoint that is newer than that.
func TestObserverMovesToAnotherHub(t *testing.T) {
	store := newStore(t)
	first := start(t, hub.Config{Store: store})
	a := first.author(t, "r1", 80)
	o, err := wire.NewObserver(wire.ObserverConfig{
		Address: first.URL, Run: "r1", Strict: true,
		Backoff: wire.Backoff{Min: 10 * time.Millisecond, Max: 50 * time.Millisecond},
	})
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	follow := func() {
		t.Helper()
		for o.Position() != a.At {
			step, err := o.Next(ctx)
			must(t, err)
			if m, ok := step.Message.(wire.Snapshot); ok {
				t.Logf("snapshot at %s: %s", m.Position, m.Reason)
			}
		}
	}
	must(t, a.Append(t.Context(), 30))
	follow()
	l := addressOf(t, first)
	must(t, first.stop())
	must(t, a.Append(t.Context(), 25))
	must(t, a.Checkpoint(t.Context()))
	must(t, a.Append(t.Context(), 25))

	again, err := net.Listen("tcp", l)
	must(t, err)
	startOn(t, hub.Config{Store: store}, again, first.dial, l)
	follow()
	if o.View().Hash() != a.View.Hash() {
		t.Fatal("another view than the author's")
	}
	if n := o.Stats(); n.Snapshots != 1 || n.Connects != 2 || n.Resyncs != 0 {
		t.Fatalf("%+v", n)
	}
	must(t, o.Close())
}

func addressOf(t *testing.T, s *server) string {
	t.Helper()
	return s.URL[len("http://"):]
}
