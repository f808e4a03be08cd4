package redis

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/redis/redistest"
)

func TestKillWithAOF(t *testing.T) {
	s := newStage(t, false, redistest.AOF())
	s.busy(t, func() {
		for range 3 {
			s.run(t, 200*time.Millisecond)
			s.server.Kill()
			s.run(t, 100*time.Millisecond)
			s.server.Restart()
		}
	})
	s.noReset(t)
	s.noticed(t, s.hubs...)
}

func TestKillAndLoseAll(t *testing.T) {
	s := newStage(t, false)
	s.busy(t, func() {
		for range 2 {
			s.run(t, 200*time.Millisecond)
			s.server.Restart()
			s.run(t, 500*time.Millisecond)
		}
	})
	for _, f := range s.followers {
		if f.Resets[runlog.ReasonEpoch] < 1 {
			t.Errorf("resets %v, want one for the new epoch", f.Resets)
		}
	}
	if s.writer.claims < 3 {
		t.Errorf("claimed %d times, want once more for each loss", s.writer.claims)
	}
}

func TestEmptiedInPlace(t *testing.T) {
	s := newStage(t, false)
	s.busy(t, func() {
		for range 3 {
			s.run(t, 100*time.Millisecond)
			s.server.FlushAll()
		}
	})
}

// TestEmptiedWhileQuiet: nothing is published that could show the loss.
func TestEmptiedWhileQuiet(t *testing.T) {
	s := newStage(t, false)
	s.server.FlushAll()
	s.run(t, 3*quick.Check)
	s.end(t)
	for _, f := range s.followers {
		if f.Resets[runlog.ReasonEpoch] != 1 {
			t.Errorf("resets %v, want one for the new epoch", f.Resets)
		}
	}
}

func TestPaused(t *testing.T) {
	s := newStage(t, false)
	s.busy(t, func() {
		for _, d := range []time.Duration{300 * time.Millisecond, 4 * time.Second} {
			s.run(t, 200*time.Millisecond)
			s.server.Stop()
			s.run(t, d)
			s.server.Cont()
			s.run(t, 500*time.Millisecond)
		}
	})
	s.noReset(t)
	s.noticed(t, s.hubs...)
}

func TestClientsKilled(t *testing.T) {
	for _, kind := range []string{"pubsub", "normal"} {
		t.Run(kind, func(t *testing.T) {
			s := newStage(t, false)
			s.busy(t, func() {
				for range 20 {
					s.run(t, 30*time.Millisecond)
					s.server.Do("CLIENT", "KILL", "TYPE", kind, "SKIPME", "yes")
				}
			})
			s.noReset(t)
		})
	}
}

// TestFault15ScriptsFlushed: one more round trip, no loss.
func TestFault15ScriptsFlushed(t *testing.T) {
	s := newStageWith(t, false, Timeouts{Call: 20 * time.Second})
	s.busy(t, func() {
		for range 50 {
			s.run(t, 5*time.Millisecond)
			s.server.Do("SCRIPT", "FLUSH", "SYNC")
		}
	})
	s.noReset(t)
	if s.writer.unavailable > 0 {
		t.Errorf("%d calls failed", s.writer.unavailable)
	}
}

// TestLostReplies: what was asked is done and nobody is told; no call of the
// writer may be done twice, and none may be lost.
func TestLostReplies(t *testing.T) {
	s := newStage(t, false)
	proxy := redistest.NewProxy(t, s.server.Addr())
	s.writer.store = open(t, Config{URL: proxy.URL(), Timeouts: quick})
	must(t, s.writer.claim(s.ctx))
	s.busy(t, func() {
		for range 30 {
			s.run(t, 10*time.Millisecond)
			proxy.SwallowReplies(1)
		}
		for !proxy.Swallowed() {
			s.run(t, 10*time.Millisecond)
		}
	})
	if s.writer.dups == 0 {
		t.Error("no append was answered dup")
	}
}

func TestClaimWithLostReplies(t *testing.T) {
	server := redistest.Start(t)
	proxy := redistest.NewProxy(t, server.Addr())
	s := open(t, Config{URL: proxy.URL(), Timeouts: quick})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	must(t, s.linkOf(0).await(ctx))
	for i := range 10 {
		proxy.SwallowReplies(2)
		w, snapshot, err := s.Claim(ctx, "run", runlog.ClaimOptions{Owner: "o"})
		must(t, err)
		ack, err := w.Append(ctx, snapshot.Seq+1, [][]byte{[]byte(`{"type":"agent_start","t":1}`)})
		must(t, err)
		if ack.Last != int64(i+1) {
			t.Fatalf("claim %d went on at %d", i, ack.Last)
		}
		must(t, w.Close(ctx))
	}
}

func TestAbsentAtStart(t *testing.T) {
	server := redistest.New(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s := open(t, Config{URL: server.URL(), Timeouts: quick})
	unavailable := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, runlog.ErrUnavailable) {
			t.Errorf("%s without Redis: %v", what, err)
		}
	}
	unavailable("ready", s.Ready(ctx))
	_, err := s.Follow(ctx, "run")
	unavailable("follow", err)
	_, err = s.Index(ctx)
	unavailable("index", err)
	_, err = s.Read(ctx, "run", runlog.Position{}, 1)
	unavailable("read", err)
	_, err = s.Blob(ctx, "run", "c1")
	unavailable("blob", err)
	_, _, err = s.Claim(ctx, "run", runlog.ClaimOptions{Owner: "o"})
	unavailable("claim", err)

	server.Restart()
	for err := s.Ready(ctx); err != nil; err = s.Ready(ctx) {
		unavailable("ready", err)
		if !s.sleep(ctx, 10*time.Millisecond) {
			t.Fatal(ctx.Err())
		}
	}
	w := newStubborn(t, s, "run", runlogtest.NewLedger())
	must(t, w.claim(ctx))
	x, err := s.Index(ctx)
	must(t, err)
	u, err := x.Next(ctx)
	must(t, err)
	if len(u.Runs) != 1 {
		t.Errorf("index: %+v", u)
	}
	f := watch(ctx, t, s, "run", w.ledger, false)
	must(t, w.end(ctx))
	f.wait(t, w)
}

// TestFull: a Redis that takes nothing more is away, and nothing is half done.
func TestFull(t *testing.T) {
	s := newStage(t, false)
	s.busy(t, func() {
		s.run(t, 100*time.Millisecond)
		s.server.Do("CONFIG", "SET", "maxmemory", "1mb")
		s.run(t, 700*time.Millisecond)
		s.server.Do("CONFIG", "SET", "maxmemory", "0")
	})
	s.noReset(t)
	if s.writer.unavailable == 0 {
		t.Error("a full Redis was not noticed")
	}
}

// TestCannotWrite: Redis refuses writes, and pings, when its disk fails; readers
// can go on.
func TestCannotWrite(t *testing.T) {
	s := newStageWith(t, false, Timeouts{Link: 6 * time.Second})
	s.busy(t, func() {
		s.run(t, 100*time.Millisecond)
		s.server.BreakDisk()
		s.run(t, 5*time.Second) // two pings
		join, err := s.hubs[0].Follow(s.ctx, "run")
		must(t, err)
		must(t, join.Close())
		s.server.Do("CONFIG", "SET", "stop-writes-on-bgsave-error", "no")
	})
	s.noReset(t)
	if s.writer.unavailable == 0 {
		t.Error("that Redis cannot write was not noticed")
	}
	for _, f := range s.followers {
		if f.downs > 0 {
			t.Errorf("the link was said to be down %d times", f.downs)
		}
	}
}

// TestCloseWhileAway: nothing waits for a Redis that does not answer.
func TestCloseWhileAway(t *testing.T) {
	s := newStage(t, false)
	s.server.Stop()
	defer s.server.Cont()
	var wg sync.WaitGroup
	for _, hub := range append(s.hubs, s.writer.store) {
		wg.Go(func() { hub.Close() })
	}
	wg.Wait()
	for _, f := range s.followers {
		if err := <-f.done; !errors.Is(err, runlog.ErrClosed) {
			t.Errorf("a follower ended with %v", err)
		}
	}
}

// TestIndexAfterLoss: the list of runs follows a store that lost everything.
func TestIndexAfterLoss(t *testing.T) {
	s := newStage(t, false)
	other, _, err := s.writer.store.Claim(s.ctx, "other", runlog.ClaimOptions{Owner: "o"})
	must(t, err)
	hub := s.hubs[0]
	x, err := hub.Index(s.ctx)
	must(t, err)
	defer x.Close()
	runs := map[string]runlog.RunSummary{}
	until := func(want int) {
		t.Helper()
		for len(runs) != want {
			u, err := x.Next(s.ctx)
			must(t, err)
			if u.Full {
				clear(runs)
			}
			for _, r := range u.Runs {
				runs[r.Run] = r
			}
			for _, run := range u.Gone {
				delete(runs, run)
			}
		}
	}
	until(2)
	s.server.Restart()
	until(0)
	s.end(t) // claims again
	until(1)
	if got := runs["run"]; got.Epoch != s.writer.at.Epoch {
		t.Errorf("the list says %+v, the writer is at %s", got, s.writer.at)
	}
	if err := other.Close(s.ctx); !errors.Is(err, runlog.ErrNoRun) {
		t.Errorf("closing a lost run: %v", err)
	}
}
