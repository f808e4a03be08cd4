package runlogtest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// silence is how long a writer of these cases is silent before it is reaped. The
// clock is the store's.
const silence = 50 * time.Millisecond

// reap reaps until the run's writer was silent for long enough.
func reap(e *env, run, node string) (bool, error) {
	for {
		said, err := runlog.Reap(e.ctx, e.store, run, node, silence)
		if _, held := errors.AsType[*runlog.HeldError](err); held && e.ctx.Err() == nil {
			continue
		}
		return said, err
	}
}

// silentClaim: a reaper gets what somebody holds who is not heard, nothing else,
// and a refusal changes nothing.
func silentClaim(t *testing.T, e *env) {
	o := runlog.ClaimOptions{Owner: runlog.ReaperPrefix + "x", Silent: time.Hour, Takeover: true}
	_, _, err := e.store.Claim(e.ctx, "silent", o)
	wantError(t, err, runlog.ErrNoRun)
	_, err = e.store.Follow(e.ctx, "silent")
	wantError(t, err, runlog.ErrNoRun)

	a := e.author(t, "silent", runlog.ClaimOptions{Owner: "host/1"})
	must(t, a.Append(e.ctx, 3))
	_, _, err = e.store.Claim(e.ctx, "silent", o)
	if h, ok := errors.AsType[*runlog.HeldError](err); !ok || h.Owner != "host/1" || h.Age >= time.Hour {
		t.Fatalf("claim of a run whose writer is heard: %v", err)
	}
	must(t, a.Append(e.ctx, 3)) // not fenced
	must(t, a.Writer.Close(e.ctx))
	o.Silent = time.Nanosecond
	_, _, err = e.store.Claim(e.ctx, "silent", o)
	wantError(t, err, runlog.ErrReleased)
	e.joined(t, a)
}

// reapersRace: many see the same silent run. It is said to be lost once, its
// writer is fenced, and then nobody holds it.
func reapersRace(t *testing.T, e *env) {
	a := e.author(t, "raced", runlog.ClaimOptions{Owner: "host/1"})
	live := view.Event{Type: view.Worker, State: view.WorkerLive, T: 1 << 50, At: 1}
	must(t, a.AppendEvents(e.ctx, live,
		view.Event{Type: view.AgentStart, T: 1 << 50}, view.Event{Type: view.TurnStart, T: 1 << 50}))
	must(t, a.Append(e.ctx, 40))
	const reapers = 8
	var said []string
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range reapers {
		wg.Go(func() {
			node := fmt.Sprint("hub-", i)
			did, err := reap(e, a.Run, node)
			if err != nil && !errors.Is(err, runlog.ErrReleased) && !errors.Is(err, runlog.ErrFenced) {
				t.Errorf("%s: %v", node, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if did {
				said = append(said, node)
			}
		})
	}
	wg.Wait()
	if len(said) > 1 {
		t.Errorf("said by %v", said)
	}
	if _, err := reap(e, a.Run, "late"); !errors.Is(err, runlog.ErrReleased) {
		t.Errorf("reaping again: %v", err)
	}
	entries, err := e.store.Read(e.ctx, a.Run, a.At, 100)
	must(t, err)
	if got := states(t, entries); !slices.Equal(got, []string{view.WorkerLost}) {
		t.Fatalf("after the writer's last word: %v", got)
	}
	lost, err := view.DecodeEvent(entries[0].Data)
	must(t, err)
	if lost.T < 1<<50 {
		t.Errorf("lost at %d, before what the worker showed", lost.T)
	}
	wantError(t, a.Append(e.ctx, 1), runlog.ErrFenced)
	if line := runLine(t, e, a.Run); line.HeardMs != -1 || line.Worker != view.WorkerLost || line.RunStatus != view.Idle {
		t.Errorf("index says %+v", line)
	}
}

// reaperFinishesAnother: a reaper that died after its word is not repeated, and
// the run of a writer that had said goodbye is only closed.
func reaperFinishesAnother(t *testing.T, e *env) {
	for _, state := range []string{view.WorkerLost, view.WorkerGone} {
		a := e.author(t, "half-"+state, runlog.ClaimOptions{Owner: runlog.ReaperPrefix + "dead"})
		must(t, a.AppendEvents(e.ctx, view.Event{Type: view.Worker, State: state, T: 1}))
		said, err := reap(e, a.Run, "next")
		must(t, err)
		if said {
			t.Errorf("%s: said again", state)
		}
		entries, err := e.store.Read(e.ctx, a.Run, a.At, 10)
		must(t, err)
		line := runLine(t, e, a.Run)
		if len(entries) > 0 || line.HeardMs != -1 || line.Worker != state {
			t.Errorf("%s: %d entries more, index says %+v", state, len(entries), line)
		}
	}
}

// states are the states of the worker that entries tell; there may be nothing else.
func states(t *testing.T, entries []runlog.Entry) (states []string) {
	t.Helper()
	for _, entry := range entries {
		ev, err := view.DecodeEvent(entry.Data)
		must(t, err)
		if ev.Type != view.Worker {
			t.Fatalf("%s: %s", entry.Position, entry.Data)
		}
		states = append(states, ev.State)
	}
	return states
}
