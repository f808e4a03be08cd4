package worker

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/projector"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/hub/view"
)

func TestDelivers(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		w, s := b.start(), &talk{}
		first, second := s.prompt(5), s.prompt(20)
		s.publish(w, first, 3*time.Millisecond)
		s.publish(w, second, 0)
		stats := b.close(w)
		v := b.viewAt(stats.At)
		sameContent(t, v, folded(first, second))
		if v.Worker != view.WorkerGone || v.RunStatus != view.Idle {
			t.Errorf("worker %s, run %s; want gone, idle", v.Worker, v.RunStatus)
		}
		if stats.Acked != int64(len(b.events())) {
			t.Errorf("%d acknowledged, %d in the log", stats.Acked, len(b.events()))
		}
		if err := w.Close(t.Context()); err != nil {
			t.Errorf("second close: %v", err)
		}
		w.Publish(1, agent.AgentStart{})
		if s := checkStats(t, w); s.Lost != 1 {
			t.Errorf("published after the end: %+v", s)
		}
	})
}

// The first event after a pause goes at once, what follows shares a batch.
func TestBatches(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		w := b.start()
		must(t, w.Ready(t.Context()))
		time.Sleep(time.Second)
		synctest.Wait()
		appends := b.count(runlogtest.OpAppend)
		w.Publish(1, agent.Notice{Kind: "info", Text: "first"})
		synctest.Wait()
		if got := b.count(runlogtest.OpAppend) - appends; got != 1 {
			t.Errorf("%d appends after the first event, want 1 at once", got)
		}
		for range 10 {
			w.Publish(1, agent.Notice{Kind: "info", Text: "more"})
			time.Sleep(time.Millisecond)
		}
		if got := b.count(runlogtest.OpAppend) - appends; got != 1 {
			t.Errorf("%d appends within a flush, want 1", got)
		}
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		if got := b.count(runlogtest.OpAppend) - appends; got != 2 {
			t.Errorf("%d appends after a flush, want 2", got)
		}
		if s := w.Stats(); s.Buffered != 0 {
			t.Errorf("%+v", s)
		}
		b.close(w)
	})
}

// A long backlog does not wait between its batches, and no batch is too large.
func TestBacklog(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		b.fail(runlog.ErrUnavailable, runlogtest.OpAppend)
		w := b.start()
		for range 5000 {
			w.Publish(1, agent.Notice{Kind: "info", Text: "text"})
		}
		time.Sleep(20 * time.Second)
		b.heal()
		start := time.Now()
		b.close(w)
		if took := time.Since(start); took > 6*time.Second {
			t.Errorf("took %s", took)
		}
		if got := len(b.viewAt(w.Stats().At).Notices); got != 5000 {
			t.Errorf("%d notices", got)
		}
	})
}

// A run is taken over: what was open is lost, keys and ids go on, the old run
// stays readable.
func TestTakesOverWhatIsOpen(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		s := &talk{}
		first := b.start()
		events := s.prompt(3)
		s.publish(first, events[:len(events)-6], 0) // both tools run
		time.Sleep(time.Second)

		second := b.start(func(c *Config) { c.Takeover, c.Owner = true, "host/2" })
		must(t, second.Ready(t.Context()))
		synctest.Wait()
		v := b.view(second)
		for _, key := range []string{"c1", "c2"} {
			if c := v.Tools[key]; c.Status != view.Lost || c.Cause != view.CauseWorkerLost {
				t.Errorf("%s is %s (%s)", key, c.Status, c.Cause)
			}
		}
		all := b.events()
		tail := types(all)[len(all)-2:]
		if !slices.Equal(tail, []string{"worker:lost", "worker:live"}) {
			t.Errorf("the log ends with %v", tail)
		}
		s.publish(second, s.prompt(2), 0)
		b.close(second)
		v = b.viewAt(second.Stats().At)
		if v.Tools["c3"] == nil || v.Tools["c4"] == nil || len(v.Tools) != 4 {
			t.Errorf("cards %v", v.Tools)
		}
		ids := map[string]bool{}
		for _, m := range v.Msgs {
			ids[m.ID] = true
		}
		if len(ids) != 4 {
			t.Errorf("messages %v", ids)
		}
		<-first.Done()
		checkStats(t, first)
	})
}

// A finished run that is claimed again has nothing to lose.
func TestContinuesFinishedRun(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		s := &talk{}
		var prompts [][]agent.Event
		for range 3 {
			w := b.start()
			p := s.prompt(4)
			prompts = append(prompts, p)
			s.publish(w, p, 0)
			b.close(w)
		}
		got := types(b.events())
		if slices.Contains(got, "worker:lost") {
			t.Errorf("log: %v", got)
		}
		entries, err := b.memory.Read(t.Context(), "run", runlog.Position{}, 1000)
		must(t, err)
		last := entries[len(entries)-1].Position
		sameContent(t, b.viewAt(last), folded(prompts...))
	})
}

func TestRunInfo(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		w := b.start(func(c *Config) {
			c.Projector = projector.Config{
				Source:   "pi",
				Run:      view.Run{Title: "my run", Model: "m", Cwd: "/home/someone/project", Labels: map[string]string{"team": "a"}},
				Redactor: projector.NewRedactor(projector.RedactConfig{Home: "/home/someone"}),
			}
		})
		w.Publish(1, agent.SessionInfo{Title: "another title", Model: "m2"})
		b.close(w)
		r := b.viewAt(w.Stats().At).Run
		if r == nil || r.Title != "my run" || r.Source != "pi" || r.Model != "m2" || r.Cwd != "~/project" || r.Labels["team"] != "a" {
			t.Errorf("run info %+v", r)
		}
	})
}

func TestHeldByAnother(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		first := b.start()
		must(t, first.Ready(t.Context()))
		second := b.start(func(c *Config) { c.Owner = "host/2" })
		second.Publish(1, agent.AgentStart{})
		err := second.Ready(t.Context())
		held, ok := err.(*runlog.HeldError)
		if !ok || held.Run != "run" || held.Owner != first.owner {
			t.Fatalf("second worker: %v", err)
		}
		if err := second.Close(t.Context()); err != held {
			t.Errorf("close: %v", err)
		}
		if s := checkStats(t, second); s.Lost == 0 {
			t.Errorf("%+v", s)
		}
		first.Publish(1, agent.AgentStart{})
		b.close(first)
	})
}

func TestHeartbeatsAndSummaries(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		w, s := b.start(), &talk{}
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if got := b.count(runlogtest.OpHeartbeat); got < 9 || got > 12 {
			t.Errorf("%d heartbeats in 20 s of silence", got)
		}
		before := b.count(runlogtest.OpHeartbeat)
		for range 20 {
			s.publish(w, s.prompt(10), 20*time.Millisecond)
		}
		busy := b.count(runlogtest.OpHeartbeat) - before
		if secs := s.t * 20 / 1000; int64(busy) > secs+2 || int64(busy) < secs-4 {
			t.Errorf("%d heartbeats in %d s of work, want about one a second", busy, secs)
		}
		time.Sleep(2 * time.Second)
		x, err := b.memory.Index(t.Context())
		must(t, err)
		defer x.Close()
		u, err := x.Next(t.Context())
		must(t, err)
		if got := u.Runs[0]; got.Tools[view.Done] != 40 || got.Owner != w.owner || got.Worker != view.WorkerLive {
			t.Errorf("index says %+v", got)
		}
		b.close(w)
		u, err = x.Next(t.Context())
		must(t, err)
		if got := u.Runs[0]; got.HeardMs != -1 || got.Worker != view.WorkerGone {
			t.Errorf("at the end the index says %+v", got)
		}
	})
}

func TestCheckpoints(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		w := b.start()
		join := func() int64 { // the seq of the snapshot that a joiner gets
			f, err := b.memory.Follow(t.Context(), "run")
			must(t, err)
			defer f.Close()
			u, err := f.Next(t.Context())
			must(t, err)
			return u.Reset.Snapshot.Seq
		}
		w.Publish(1, agent.Notice{Kind: "info", Text: "x"})
		time.Sleep(6 * time.Second)
		synctest.Wait()
		if at := w.Stats().At.Seq; join() != at {
			t.Errorf("6 s after an event the checkpoint is at %d of %d", join(), at)
		}
		time.Sleep(time.Minute)
		if got := b.count(runlogtest.OpCheckpoint); got != 1 {
			t.Errorf("%d checkpoints, want none without news", got)
		}
		for range 2000 {
			w.Publish(1, agent.Notice{Kind: "info", Text: "x"})
			time.Sleep(time.Millisecond)
		}
		synctest.Wait()
		if at := w.Stats().At.Seq; at-join() > 600 {
			t.Errorf("the checkpoint is at %d of %d", join(), at)
		}
		b.close(w)
		if at := w.Stats().At.Seq; join() != at {
			t.Errorf("closed at %d, checkpoint at %d", at, join())
		}
	})
}

// The store asks for a checkpoint long before the worker's own is due.
func TestNeedCheckpoint(t *testing.T) {
	run(t, runlog.MemoryConfig{RunEvents: 50}, func(t *testing.T, b *bench) {
		w, s := b.start(func(c *Config) { c.CheckpointEvents = 1 << 20 }), &talk{}
		var prompts [][]agent.Event
		for range 20 {
			p := s.prompt(10)
			prompts = append(prompts, p)
			s.publish(w, p, time.Millisecond)
		}
		b.close(w)
		sameContent(t, b.viewAt(w.Stats().At), folded(prompts...))
	})
}

// A view that grows too large forgets its oldest turns, and says so.
func TestTrims(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		const limit = 100 << 10
		w, s := b.start(func(c *Config) { c.TrimViewBytes = limit }), &talk{}
		var last []agent.Event
		for range 200 {
			last = s.prompt(40)
			s.publish(w, last, 20*time.Millisecond)
		}
		b.close(w)
		v := b.viewAt(w.Stats().At)
		data, err := v.Encode()
		must(t, err)
		if len(data) > limit+limit/2 || v.Trimmed == nil || v.Trimmed.Turns < 50 || v.Turn != 200 {
			t.Errorf("view of %d bytes, trimmed %+v, turn %d", len(data), v.Trimmed, v.Turn)
		}
		if v.Tools["c400"] == nil || v.Tools["c400"].Status != view.Done {
			t.Errorf("the newest card: %+v", v.Tools["c400"])
		}
	})
}
