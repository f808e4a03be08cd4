package worker

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
)

// long is a tool whose result shows only a part of its output.
func long(w *Worker, id, output string) {
	w.Publish(1, agent.ToolExecutionStart{ToolCallID: id, ToolName: "bash", Args: []byte(`{}`)})
	r := result("the end")
	r.Output = output
	w.Publish(2, agent.ToolExecutionEnd{ToolCallID: id, ToolName: "bash", Result: r})
}

var whole = strings.Repeat("a line of output\n", 5000)

func TestWholeOutputs(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		w := b.start()
		long(w, "x", whole)
		b.close(w)
		if v := b.viewAt(w.Stats().At); !v.Tools["c1"].Output {
			t.Errorf("the card does not know of its output: %+v", v.Tools["c1"])
		}
		r, err := b.memory.Blob(t.Context(), "run", "c1")
		if got := readAll(t, r, err); got != whole {
			t.Errorf("output of %d bytes, want %d", len(got), len(whole))
		}
		// The next worker's calls have keys of their own.
		b.fail(runlog.ErrUnavailable, runlogtest.OpClaim)
		w = b.start()
		long(w, "x", whole+"second")
		time.Sleep(time.Second)
		b.heal()
		b.close(w)
		r, err = b.memory.Blob(t.Context(), "run", "c2")
		if got := readAll(t, r, err); got != whole+"second" {
			t.Errorf("second output of %d bytes", len(got))
		}
		if s := w.Stats(); s.Outputs != 1 || s.OutputsLost != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// Outputs wait for the store like events, and never hold events up.
func TestOutputsWhileAway(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		w := b.start()
		must(t, w.Ready(t.Context()))
		b.fail(runlog.ErrUnavailable, everything...)
		long(w, "x", whole)
		time.Sleep(10 * time.Minute)
		b.heal()
		b.fail(errors.New("no room"), runlogtest.OpPutBlob)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if s := checkStats(t, w); s.Buffered != 0 || s.Outputs != 0 || s.OutputsLost != 0 {
			t.Errorf("with the store back: %+v", s)
		}
		b.heal()
		b.close(w)
		if s := w.Stats(); s.Outputs != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// A store that takes no outputs costs the run nothing but them, and they are
// told: to the caller, to those who watch, and by a card that says it has none.
func TestOutputsRefused(t *testing.T) {
	run(t, runlog.MemoryConfig{BlobBytes: 1000}, func(t *testing.T, b *bench) {
		w := b.start(func(c *Config) { c.BlobBytes = 200_000 })
		long(w, "large", whole) // refused at once: too large
		time.Sleep(time.Second)
		b.fail(errors.New("no room"), runlogtest.OpPutBlob)
		for range 3 { // one does not fit the queue, the others are tried in vain
			long(w, "x", whole)
		}
		time.Sleep(10 * time.Minute)
		err := w.Close(t.Context())
		lost, ok := errors.AsType[*LostError](err)
		if !ok || lost.Events != 0 || lost.Outputs != 4 || err.Error() != "run run: 4 whole outputs were lost: no room" {
			t.Errorf("close: %v", err)
		}
		if s := checkStats(t, w); s.OutputsLost != 4 || s.Outputs != 0 || s.Lost != 0 || s.Buffered != 0 {
			t.Errorf("%+v", s)
		}
		v := b.viewAt(w.Stats().At)
		var told []string
		for _, n := range v.Notices {
			told = append(told, n.Kind+": "+n.Text)
		}
		if want := []string{
			"lost: the whole output of c1 was lost", "lost: the whole output of c2 was lost", "lost: the whole output of c3 was lost",
		}; !slices.Equal(told, want) {
			t.Errorf("notices %q", told)
		}
		if len(v.Tools) != 4 || v.Tools["c4"].Output {
			t.Errorf("%d cards, the last %+v", len(v.Tools), v.Tools["c4"])
		}
	})
}

// A fenced writer's output goes to the next epoch; the run's end counts what
// was left.
func TestOutputsAndFencing(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		w := b.start()
		must(t, w.Ready(t.Context()))
		time.Sleep(time.Second)
		must(t, reap(t, b.memory).Writer.Close(t.Context()))
		long(w, "x", whole)
		time.Sleep(10 * time.Second)
		if s := w.Stats(); s.Claims != 2 || s.Outputs != 1 {
			t.Errorf("after a reaper: %+v", s)
		}
		b.fail(errors.New("away"), everything...)
		long(w, "y", whole)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := w.Close(ctx)
		if lost, ok := errors.AsType[*LostError](err); !ok || lost.Outputs != 1 || lost.Events == 0 ||
			!strings.Contains(err.Error(), "events and 1 whole output were lost: ") {
			t.Errorf("close: %v", err)
		}
		if s := checkStats(t, w); s.OutputsLost != 1 {
			t.Errorf("at the end: %+v", s)
		}
	})
}
