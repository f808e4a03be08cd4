package hub

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// reaperHub is a hub on a store whose index a test can cut.
func reaperHub(t *testing.T, store runlog.Store, node string) *Hub {
	t.Helper()
	h, err := New(Config{Store: store, Node: node})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// held claims a run as a worker that then is never heard again, in a turn.
func held(t *testing.T, store runlog.Store, run string) runlog.Writer {
	t.Helper()
	w, s, err := store.Claim(t.Context(), run, runlog.ClaimOptions{Owner: "host/1"})
	if err != nil {
		t.Fatal(err)
	}
	var data [][]byte
	for _, e := range []view.Event{
		{Type: view.Worker, State: view.WorkerLive, T: 1, At: 1}, {Type: view.AgentStart, T: 2}, {Type: view.TurnStart, T: 3},
	} {
		b, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, b)
	}
	if _, err := w.Append(t.Context(), s.Seq+1, data); err != nil {
		t.Fatal(err)
	}
	return w
}

// viewOf is the run's checkpoint, with which a reaper leaves it.
func viewOf(t *testing.T, store runlog.Store, run string) *view.View {
	t.Helper()
	f, err := store.Follow(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	u, err := f.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v, err := view.Decode(u.Reset.Snapshot.View)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func reapedBy(hubs ...*Hub) (n int64) {
	for _, h := range hubs {
		n += h.Stats().Reaped.Load()
	}
	return n
}

// TestReaped: three hubs see the same silent worker; its run is given up once, in
// time, and one whose worker lives is left alone.
func TestReaped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := runlog.NewMemory(runlog.MemoryConfig{})
		defer store.Close()
		hubs := []*Hub{reaperHub(t, store, "a"), reaperHub(t, store, "b"), reaperHub(t, store, "c")}
		held(t, store, "dead")
		alive := held(t, store, "alive")
		gone := held(t, store, "gone")
		if err := gone.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			for ctx.Err() == nil {
				_ = alive.Heartbeat(ctx, view.Summary{Worker: view.WorkerLive})
				time.Sleep(2 * time.Second)
			}
		})
		time.Sleep(29 * time.Second)
		if n := reapedBy(hubs...); n != 0 {
			t.Errorf("given up after 29 s: %d", n)
		}
		time.Sleep(6 * time.Second)
		if n := reapedBy(hubs...); n != 1 {
			t.Errorf("%d were given up within 35 s, want the dead one, once", n)
		}
		time.Sleep(time.Minute)
		if n := reapedBy(hubs...); n != 1 {
			t.Errorf("%d were given up in the end, want one", n)
		}
		list, ok := hubs[0].index.list()
		if !ok || len(list) != 3 {
			t.Fatalf("list %+v, %v", list, ok)
		}
		for _, l := range list {
			want := map[string]string{"alive": view.WorkerLive, "dead": view.WorkerLost}[l.Run]
			if l.Worker != want || (l.HeardMs < 0) != (l.Run != "alive") {
				t.Errorf("%s: worker %s, heard %d", l.Run, l.Worker, l.HeardMs)
			}
		}
		if v := viewOf(t, store, "dead"); v.Worker != view.WorkerLost || v.RunStatus != view.Idle {
			t.Errorf("view: worker %s, run %s", v.Worker, v.RunStatus)
		}
		cancel()
		wg.Wait()
		for _, h := range hubs {
			h.Close()
		}
	})
}

// TestNotReapedAfterOutage: the store was away for long, and nobody could be
// heard; when it is back, workers get their time.
func TestNotReapedAfterOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := runlog.NewMemory(runlog.MemoryConfig{})
		defer store.Close()
		h := reaperHub(t, store, "a")
		w := held(t, store, "run")
		time.Sleep(20 * time.Second)
		h.index.setLink(false)
		time.Sleep(2 * time.Minute)
		h.index.setLink(true)
		time.Sleep(25 * time.Second)
		if n := h.Stats().Reaped.Load() + h.Stats().ReapFailed.Load(); n != 0 {
			t.Error("given up at once when the store was back")
		}
		if err := w.Heartbeat(t.Context(), view.Summary{Worker: view.WorkerLive}); err != nil {
			t.Error("the worker was fenced:", err)
		}
		// A break that is over before the next tick counts as well.
		time.Sleep(29 * time.Second)
		h.index.setLink(false)
		h.index.setLink(true)
		time.Sleep(20 * time.Second)
		if n := h.Stats().Reaped.Load(); n != 0 {
			t.Error("given up after a short break")
		}
		time.Sleep(20 * time.Second)
		if n := h.Stats().Reaped.Load(); n != 1 {
			t.Errorf("%d given up in the end, want one", n)
		}
		h.Close()
	})
}

// TestFault31HubSlept: a hub that was stopped heard nobody, and blames nobody.
func TestFault31HubSlept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := runlog.NewMemory(runlog.MemoryConfig{})
		defer store.Close()
		h := &Hub{cfg: Config{Store: store}}
		if err := h.cfg.validate(); err != nil {
			t.Fatal(err)
		}
		h.life = t.Context()
		h.index.start(h)
		h.reaper.init(h)
		h.index.setLink(true)
		w := held(t, store, "run")
		h.index.update(runlog.IndexUpdate{Full: true, Runs: []runlog.RunSummary{{Run: "run"}}})
		for range 50 { // long enough to be trusted
			time.Sleep(time.Second)
			h.index.update(runlog.IndexUpdate{Runs: []runlog.RunSummary{{Run: "run"}}})
			_ = w.Heartbeat(t.Context(), view.Summary{})
			h.reaper.tick(time.Now())
		}
		time.Sleep(time.Minute) // SIGSTOP
		for range 25 {
			h.reaper.tick(time.Now())
			time.Sleep(time.Second)
		}
		h.wg.Wait()
		if n := h.Stats().Reaped.Load(); n != 0 {
			t.Error("the run was given up by a hub that slept")
		}
	})
}
