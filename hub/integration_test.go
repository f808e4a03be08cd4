package hub_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/hub"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/hub/wire"
)

// A writer over this hub keeps the same contract as one at the store itself.
func TestRemoteWriterContract(t *testing.T) {
	runlogtest.Run(t, func(t testing.TB) runlog.Store {
		store := runlog.NewMemory(runlog.MemoryConfig{RunEvents: runlogtest.KeepEvents})
		t.Cleanup(func() { _ = store.Close() })
		s := start(t, hub.Config{Store: store})
		remote, err := wire.NewRemote(wire.RemoteConfig{BaseURL: s.URL, HTTPClient: s.http})
		must(t, err)
		return runlogtest.ClaimedThrough(store, remote)
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
