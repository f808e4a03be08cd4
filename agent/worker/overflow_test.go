package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/hub/view"
)

// Above its bounds the buffer loses streaming text first, and never silently.
func TestOverflow(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		w, s := b.start(func(c *Config) { c.BufferEvents = 100 }), &talk{}
		must(t, w.Ready(t.Context()))
		b.fail(runlog.ErrUnavailable, everything...)
		start := time.Now()
		first := s.prompt(5)
		s.publish(w, first, 0)
		for i := range 500 {
			w.Publish(1000, agent.ToolExecutionUpdate{ToolCallID: fmt.Sprint(i), ToolName: "bash", Partial: result("x")})
		}
		last := s.prompt(5)
		s.publish(w, last, 0)
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("publishing took %s, want MaxWait in all", took)
		}
		stats := checkStats(t, w)
		if stats.Lost < 300 || stats.Buffered > 250 {
			t.Errorf("%+v", stats)
		}
		b.heal()
		time.Sleep(10 * time.Second)
		err := w.Close(t.Context())
		if lost, ok := errors.AsType[*LostError](err); !ok || lost.Events != w.Stats().Lost {
			t.Errorf("close: %v", err)
		}
		checkStats(t, w)
		v := b.viewAt(w.Stats().At)
		want := folded(first, last)
		for key, c := range want.Tools {
			if got := v.Tools[key]; got == nil || got.Status != view.Done || got.ResultText != c.ResultText {
				t.Errorf("%s: %+v", key, got)
			}
		}
		for i, m := range want.Msgs {
			if v.Msgs[i].Text != m.Text {
				t.Errorf("message %s: %q", m.ID, v.Msgs[i].Text)
			}
		}
		told := false
		for _, n := range v.Notices {
			told = told || n.Kind == "lost" && strings.Contains(n.Text, "events were lost")
		}
		if !told {
			t.Errorf("notices %v: the loss was not told", v.Notices)
		}
	})
}

// A store that is slow, but goes on, loses nothing: Publish waits for it.
func TestBackpressure(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		count := b.store.Before
		b.store.Before = func(ctx context.Context, op runlogtest.Op) error {
			time.Sleep(time.Second)
			return errors.Join(count(ctx, op), ctx.Err())
		}
		w := b.start(func(c *Config) { c.BufferEvents = 100 })
		for i := range 5000 {
			w.Publish(int64(i), agent.Notice{Kind: "info", Text: fmt.Sprint(i)})
		}
		b.close(w)
		if b.count(runlogtest.OpCheckpoint) < 5 {
			t.Errorf("%d checkpoints during a long backlog", b.count(runlogtest.OpCheckpoint))
		}
		v := b.viewAt(w.Stats().At)
		if len(v.Notices) != 5000 || v.Notices[4999].Text != "4999" {
			t.Errorf("%d notices", len(v.Notices))
		}
	})
}

// An agent event that finds room is taken whole, though it gives several events.
func TestRoomIsForWholeAgentEvents(t *testing.T) {
	for size := range 12 {
		run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
			w, s := b.start(func(c *Config) { c.BufferEvents, c.MaxWait = 3+size, -1 }), &talk{}
			var prompts [][]agent.Event
			for range 5 {
				p := s.prompt(20)
				prompts = append(prompts, p)
				s.publish(w, p, 0)
			}
			b.close(w)
			sameContent(t, b.viewAt(w.Stats().At), folded(prompts...))
		})
	}
}

// A source that can wait does, as long as it takes.
func TestMaxWaitForEver(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		b.fail(runlog.ErrUnavailable, everything...)
		time.AfterFunc(3*time.Hour, b.heal)
		w := b.start(func(c *Config) { c.BufferEvents, c.MaxWait = 10, -1 })
		for range 100 {
			w.Publish(1, agent.Notice{Kind: "info", Text: "x"})
		}
		b.close(w)
	})
}

// Close lets a Publish go that waits for room.
func TestCloseEndsWaitingPublish(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		b.fail(runlog.ErrUnavailable, everything...)
		w := b.start(func(c *Config) { c.BufferEvents, c.MaxWait = 10, -1 })
		published := make(chan struct{})
		go func() {
			defer close(published)
			for range 100 {
				w.Publish(1, agent.Notice{Kind: "info", Text: "x"})
			}
		}()
		time.Sleep(time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := w.Close(ctx); err == nil {
			t.Error("nothing was lost")
		}
		<-published
		if s := checkStats(t, w); s.Lost < 100 {
			t.Errorf("%+v", s)
		}
	})
}
