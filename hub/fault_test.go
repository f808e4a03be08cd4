package hub_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringside-hub/ringside/hub"
	"github.com/ringside-hub/ringside/hub/cluster"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

// cuttable is a store whose followers can be made to fail.
type cuttable struct {
	runlog.Store
	mu        sync.Mutex
	followers []*cutFollower
}

type cutFollower struct {
	runlog.Follower
	cancel context.CancelCauseFunc
	ctx    context.Context
}

func (c *cuttable) Follow(ctx context.Context, run string) (runlog.Follower, error) {
	f, err := c.Store.Follow(ctx, run)
	if err != nil {
		return nil, err
	}
	x := &cutFollower{Follower: f}
	x.ctx, x.cancel = context.WithCancelCause(context.Background())
	c.mu.Lock()
	c.followers = append(c.followers, x)
	c.mu.Unlock()
	return x, nil
}

func (f *cutFollower) Next(ctx context.Context) (runlog.Update, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(f.ctx, cancel)()
	u, err := f.Follower.Next(ctx)
	if f.ctx.Err() != nil {
		return runlog.Update{}, context.Cause(f.ctx)
	}
	return u, err
}

// cut makes all followers fail with err.
func (c *cuttable) cut(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.followers {
		f.cancel(err)
	}
	c.followers = nil
}

// The way to the store breaks, again and again, while events flow: observers see
// that, and miss nothing.
func TestFollowerIsReplaced(t *testing.T) {
	store := &cuttable{Store: newStore(t)}
	s := start(t, hub.Config{Store: store})
	a := s.author(t, "r1", 70)
	p := s.connect(t, "")
	got := p.watch(t, "r1", nil)
	must(t, a.Append(t.Context(), 10))
	p.same(t, a)
	for range 3 {
		store.cut(errors.New("connection reset"))
		must(t, a.Append(t.Context(), 10))
		must(t, a.Checkpoint(t.Context())) // the new follower begins behind what is known
		must(t, a.Append(t.Context(), 10))
		p.until(t, func() bool { return got.status.Store == "down" })
		p.until(t, func() bool { return got.status.Store == "up" })
		p.same(t, a)
		must(t, a.Append(t.Context(), 3))
		p.same(t, a)
	}
	for _, reason := range got.snapshots[1:] {
		if reason != runlog.ReasonSlow {
			t.Errorf("snapshots %v: it was the hub that fell behind", got.snapshots)
		}
	}
}

// A run that the store lets go of is told to who watches it, and the connection
// goes on.
func TestRunGoesAway(t *testing.T) {
	store := &cuttable{Store: newStore(t)}
	s := start(t, hub.Config{Store: store})
	a := s.author(t, "r1", 71)
	p := s.connect(t, "")
	got := p.watch(t, "r1", nil)
	p.same(t, a)
	store.cut(runlog.ErrNoRun)
	if e := await[wire.Error](t, p); e.Code != string(wire.CodeUnknownRun) || e.Run != "r1" {
		t.Fatalf("told %+v", e)
	}
	must(t, a.Append(t.Context(), 4))
	must(t, p.say(t.Context(), wire.Watch{Run: "r1"}))
	p.same(t, a)
	if !slices.Equal(got.snapshots, []runlog.Reason{runlog.ReasonJoin, runlog.ReasonJoin}) {
		t.Fatalf("snapshots %v", got.snapshots)
	}
}

// slowPresence takes its time to hear of somebody who comes.
type slowPresence struct{ *cluster.Memory }

const slowJoin = 500 * time.Millisecond

func (p slowPresence) Join(ctx context.Context, run string, who cluster.Person) error {
	time.Sleep(slowJoin)
	return p.Memory.Join(ctx, run, who)
}

// Who watched a run that went away is not there any more, also where it goes
// while presence still hears of the coming.
func TestNobodyWatchesARunThatWentAway(t *testing.T) {
	for name, before := range map[string]time.Duration{"watched": time.Second, "just coming": slowJoin / 2} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, people := &cuttable{Store: newStore(t)}, cluster.NewMemory()
				s := startPiped(t, hub.Config{Store: store, Presence: slowPresence{people}})
				a := s.author(t, "r1", 73)
				p := s.connect(t, "")
				p.watch(t, "r1", nil)
				p.same(t, a)
				time.Sleep(before)
				store.cut(runlog.ErrNoRun)
				await[wire.Error](t, p)
				time.Sleep(time.Second)
				if n := watching(t, people, "r1"); n != 0 {
					t.Errorf("%d are said to watch a run that is gone", n)
				}
				must(t, p.say(t.Context(), wire.Watch{Run: "r1"}))
				p.same(t, a)
				time.Sleep(time.Second)
				if n := watching(t, people, "r1"); n != 1 {
					t.Errorf("%d are said to watch after one came back", n)
				}
				_ = p.ws.CloseNow()
				must(t, s.stop())
			})
		})
	}
}

func watching(t *testing.T, people cluster.Presence, run string) int64 {
	t.Helper()
	f, err := people.Follow(t.Context(), run, 1)
	must(t, err)
	defer f.Close()
	state, err := f.Next(t.Context())
	must(t, err)
	return state.Watching
}

// A hundred who open the same link at once cost one read of the store and a
// handful of encodings, also while the run goes on.
func TestJoinStorm(t *testing.T) {
	s := start(t, hub.Config{Timing: hub.Timing{Hello: time.Minute}})
	a := s.author(t, "r1", 72)
	for range 10 {
		must(t, a.Append(t.Context(), 20))
	}
	errs := make(chan error)
	const joiners = 100
	for range joiners {
		go func() {
			p, err := s.tryConnect(t.Context(), "")
			if err != nil {
				errs <- err
				return
			}
			p.ledger = a.Ledger
			got := p.expect("r1", nil)
			if err = p.say(t.Context(), wire.Watch{Run: "r1"}); err == nil {
				err = p.readUntil(t.Context(), func() bool { return ended(got.view) })
			}
			_ = p.ws.CloseNow()
			errs <- err
		}()
	}
	for range 20 {
		must(t, a.Append(t.Context(), 5))
	}
	must(t, a.End(t.Context()))
	for range joiners {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := s.Stats().Follows.Load(); n != 1 {
		t.Errorf("followed %d times", n)
	}
	if n := s.Stats().Snapshots.Load(); n > 10 {
		t.Errorf("%d snapshots encoded for %d joiners", n, joiners)
	}
}
