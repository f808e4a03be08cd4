package redis

import (
	"context"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/redis/redistest"
)

// quick are timeouts that let faults be noticed soon.
var quick = Timeouts{Dial: time.Second, Call: time.Second, Link: time.Second, Check: 300 * time.Millisecond}

// stage is a run with one writer and followers in two other stores.
type stage struct {
	ctx       context.Context
	server    *redistest.Server
	writer    *stubborn
	hubs      []*Store
	followers []*watcher
	ledger    *runlogtest.Ledger
}

// newStage starts one. Stages spend their time waiting, so they run beside each other.
func newStage(t *testing.T, lossy bool, options ...redistest.Option) *stage {
	t.Helper()
	return newStageWith(t, lossy, quick, options...)
}

func newStageWith(t *testing.T, lossy bool, timeouts Timeouts, options ...redistest.Option) *stage {
	t.Helper()
	t.Parallel()
	server := redistest.Start(t, options...)
	s := newStageAt(t, server.URL(), lossy, timeouts)
	s.server = server
	return s
}

// newStageAt makes one on what a URL names.
func newStageAt(t *testing.T, url string, lossy bool, timeouts Timeouts) *stage {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	s := &stage{ctx: ctx, ledger: runlogtest.NewLedger()}
	s.writer = newStubborn(t, open(t, Config{URL: url, Timeouts: timeouts}), "run", s.ledger)
	must(t, s.writer.claim(ctx))
	must(t, s.writer.append(ctx, 20))
	for range 2 {
		hub := open(t, Config{URL: url, Timeouts: timeouts})
		s.hubs = append(s.hubs, hub)
		for range 2 {
			s.followers = append(s.followers, watch(ctx, t, hub, "run", s.ledger, lossy))
		}
	}
	return s
}

// busy appends while the fault is done, then ends the run and compares all.
func (s *stage) busy(t *testing.T, fault func()) {
	t.Helper()
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			if err := s.writer.append(s.ctx, 1+i%7); err != nil {
				stopped <- err
				return
			}
			s.writer.store.sleep(s.ctx, 4*time.Millisecond) // a load that followers can check
			if i%100 == 99 {
				if err := s.writer.checkpoint(s.ctx); err != nil {
					stopped <- err
					return
				}
			}
		}
	}()
	fault()
	close(stop)
	must(t, <-stopped)
	s.end(t)
}

func (s *stage) end(t *testing.T) {
	t.Helper()
	must(t, s.writer.end(s.ctx))
	for _, f := range s.followers {
		f.wait(t, s.writer)
	}
	late := watch(s.ctx, t, s.hubs[0], "run", s.ledger, false)
	late.wait(t, s.writer)
}

// noReset fails if a follower was reset: the fault should not have cost that.
func (s *stage) noReset(t *testing.T) {
	t.Helper()
	for _, f := range s.followers {
		if len(f.Resets) != 1 || f.Resets[runlog.ReasonJoin] != 1 {
			t.Errorf("resets %v, want the join only", f.Resets)
		}
	}
	if s.writer.claims != 1 {
		t.Errorf("claimed %d times", s.writer.claims)
	}
}

// noticed fails if a hub has not noticed that Redis was away, or if a follower
// was told of that and not of its end.
func (s *stage) noticed(t *testing.T, hubs ...*Store) {
	t.Helper()
	for _, h := range hubs {
		if h.Stats().Links == 0 {
			t.Error("the link was never seen to be down")
		}
	}
	for _, f := range s.followers {
		if f.ups != f.downs {
			t.Errorf("link said down %d times, up %d times", f.downs, f.ups)
		}
	}
}

// run lets the writer work for a while.
func (s *stage) run(t *testing.T, d time.Duration) {
	t.Helper()
	if !s.writer.store.sleep(s.ctx, d) {
		t.Fatal(s.ctx.Err())
	}
}
