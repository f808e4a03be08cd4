package hub_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/ringside-hub/ringside/hub"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/hub/wire"
)

func TestWatchFromTheStart(t *testing.T) {
	s := start(t, hub.Config{})
	a := s.author(t, "r1", 1)
	p := s.connect(t, "Ada")
	got := p.watch(t, "r1", nil)
	for range 50 {
		must(t, a.Append(t.Context(), 3))
	}
	p.same(t, a)
	if !slices.Equal(got.snapshots, []runlog.Reason{runlog.ReasonJoin}) {
		t.Fatalf("snapshots %v, want one for the join", got.snapshots)
	}
}

// A join at every seq of a run ends in the same view.
func TestJoinAtEverySeq(t *testing.T) {
	s := start(t, hub.Config{})
	a := s.author(t, "r1", 2)
	var peers []*peer
	for range 60 {
		p := s.connect(t, "")
		p.ledger = a.Ledger
		p.watch(t, "r1", nil)
		p.until(t, func() bool { return p.runs["r1"].at == a.At })
		peers = append(peers, p)
		must(t, a.Append(t.Context(), 1))
	}
	for _, p := range peers {
		p.same(t, a)
	}
}

// Joins at random moments while events flow, with and without a position, end in
// the same view, and every position held one thing for all of them.
func TestRandomJoinsWhileEventsFlow(t *testing.T) {
	s := start(t, hub.Config{Limits: hub.Limits{LogFrames: 40}})
	a := s.author(t, "r1", 3)
	must(t, a.Append(t.Context(), 1))
	var wg sync.WaitGroup
	errs := make(chan error, 64)
	for i := range 24 {
		wg.Go(func() { errs <- randomJoiner(t, s, a.Ledger, uint64(i)) })
	}
	for range 400 {
		must(t, a.Append(t.Context(), 1+rand.IntN(6)))
		if rand.IntN(40) == 0 {
			must(t, a.Checkpoint(t.Context()))
		}
	}
	must(t, a.End(t.Context()))
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
}

// randomJoiner joins, reads a little, and comes back from where it was, until it
// has seen the end.
func randomJoiner(t *testing.T, s *server, ledger *runlogtest.Ledger, seed uint64) error {
	rnd := rand.New(rand.NewPCG(seed, 7))
	var last *seen
	for {
		p, err := s.tryConnect(t.Context(), fmt.Sprint("joiner ", seed))
		if err != nil {
			return err
		}
		p.ledger = ledger
		w := wire.Watch{Run: "r1"}
		if last != nil && rnd.IntN(3) > 0 {
			w.From = &last.at
			p.runs["r1"] = last
		} else {
			last = p.expect("r1", nil)
		}
		if err := p.say(t.Context(), w); err != nil {
			return err
		}
		left := 1 + rnd.IntN(60)
		err = p.readUntil(t.Context(), func() bool { left--; return left < 0 && last.at.Epoch != "" || ended(last.view) })
		_ = p.ws.CloseNow()
		if err != nil {
			return fmt.Errorf("joiner %d at %s: %w", seed, last.at, err)
		}
		if ended(last.view) {
			return ledger.View(last.at, last.view.Hash())
		}
	}
}

func ended(v *view.View) bool {
	n := len(v.Notices)
	return n > 0 && v.Notices[n-1].Kind == runlogtest.EndKind
}

func TestTwoRunsOnOneConnection(t *testing.T) {
	s := start(t, hub.Config{})
	a, b := s.author(t, "a", 4), s.author(t, "b", 5)
	p := s.connect(t, "")
	p.watch(t, "a", nil)
	p.watch(t, "b", nil)
	for range 30 {
		must(t, a.Append(t.Context(), 2))
		must(t, b.Append(t.Context(), 1))
	}
	p.same(t, a)
	p.same(t, b)
}

// After unwatch and the answer to whatever was asked next, nothing of the run
// comes any more.
func TestUnwatch(t *testing.T) {
	s := start(t, hub.Config{})
	a, b := s.author(t, "a", 6), s.author(t, "b", 7)
	p := s.connect(t, "")
	p.watch(t, "a", nil)
	p.watch(t, "b", nil)
	must(t, a.Append(t.Context(), 5))
	p.same(t, a)
	must(t, p.say(t.Context(), wire.Unwatch{Run: "a"}))
	must(t, p.say(t.Context(), wire.Check{Run: "a"}))
	if e := await[wire.Error](t, p); e.Code != string(wire.CodeNotWatching) || e.Run != "a" || e.Re != wire.TypeCheck {
		t.Fatalf("check of a run that is not watched: %+v", e)
	}
	delete(p.runs, "a") // anything of it is an error from now on
	must(t, a.Append(t.Context(), 5))
	must(t, b.Append(t.Context(), 5))
	p.same(t, b)
}

func TestUnknownRun(t *testing.T) {
	s := start(t, hub.Config{})
	p := s.connect(t, "")
	must(t, p.say(t.Context(), wire.Watch{Run: "nowhere"}))
	e := await[wire.Error](t, p)
	if e.Code != string(wire.CodeUnknownRun) || e.Run != "nowhere" || e.Re != wire.TypeWatch || e.Message == "" {
		t.Fatalf("watch of an unknown run: %+v", e)
	}
	// It can be watched as soon as there is one.
	a := s.author(t, "nowhere", 8)
	must(t, a.Append(t.Context(), 3))
	p.watch(t, "nowhere", nil)
	p.same(t, a)
}

func TestCheck(t *testing.T) {
	s := start(t, hub.Config{})
	a := s.author(t, "r1", 9)
	p := s.connect(t, "")
	got := p.watch(t, "r1", nil)
	must(t, a.Append(t.Context(), 20))
	p.same(t, a)
	before := got.checks
	must(t, p.say(t.Context(), wire.Check{Run: "r1"}))
	p.until(t, func() bool { return got.checks > before })

	// A run that settles is checked without being asked.
	must(t, a.AppendEvents(t.Context(), view.Event{Type: view.AgentStart, T: 1}))
	p.same(t, a)
	before = got.checks
	must(t, a.AppendEvents(t.Context(), view.Event{Type: view.AgentEnd, T: 2}, view.Event{Type: view.AgentIdle, T: 3}))
	p.until(t, func() bool { return got.checks > before })
}

func TestEpochChangeResets(t *testing.T) {
	s := start(t, hub.Config{})
	a := s.author(t, "r1", 10)
	p := s.connect(t, "")
	got := p.watch(t, "r1", nil)
	must(t, a.Append(t.Context(), 20))
	p.same(t, a)
	must(t, a.Claim(t.Context(), s.Store, runlog.ClaimOptions{Owner: "another", Takeover: true}))
	must(t, a.Append(t.Context(), 20))
	p.same(t, a)
	if !slices.Equal(got.snapshots, []runlog.Reason{runlog.ReasonJoin, runlog.ReasonEpoch}) {
		t.Fatalf("snapshots %v, want join and epoch", got.snapshots)
	}
}

func TestResume(t *testing.T) {
	s := start(t, hub.Config{})
	a := s.author(t, "r1", 11)
	for range 10 {
		must(t, a.Append(t.Context(), 10))
	}
	here := s.connect(t, "")
	here.watch(t, "r1", nil)
	here.same(t, a) // the hub follows the run from seq 100 on
	for range 10 {
		must(t, a.Append(t.Context(), 10))
	}
	epoch := a.At.Epoch
	for _, c := range []struct {
		name string
		from runlog.Position
		want []runlog.Reason
	}{
		{"at the head", a.At, nil},
		{"between two batches", runlog.Position{Epoch: epoch, Seq: 150}, nil},
		{"inside a batch", runlog.Position{Epoch: epoch, Seq: 143}, nil},
		{"where the hub began", runlog.Position{Epoch: epoch, Seq: 100}, nil},
		{"before that, from the store", runlog.Position{Epoch: epoch, Seq: 57}, nil},
		{"the very begin", runlog.Position{Epoch: epoch, Seq: 0}, nil},
		{"ahead of all", runlog.Position{Epoch: epoch, Seq: 201}, []runlog.Reason{runlog.ReasonUnknownPosition}},
		{"another epoch", runlog.Position{Epoch: "other", Seq: 100}, []runlog.Reason{runlog.ReasonEpoch}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := s.connect(t, "")
			p.ledger = a.Ledger
			p.expect("r1", &c.from).view = foldTo(t, s.Store, "r1", c.from)
			got := p.watch(t, "r1", &c.from)
			p.until(t, func() bool { return got.at == a.At && got.status.Run != "" })
			if !slices.Equal(got.snapshots, c.want) {
				t.Fatalf("snapshots %v, want %v", got.snapshots, c.want)
			}
			if c.want == nil && int64(got.events) != a.At.Seq-c.from.Seq {
				t.Fatalf("%d events from %s to %s", got.events, c.from, a.At)
			}
		})
	}
}

// foldTo is the view at a position of the run's log.
func foldTo(t *testing.T, store runlog.Store, run string, at runlog.Position) *view.View {
	t.Helper()
	entries, err := store.Read(t.Context(), run, runlog.Position{}, 1<<20)
	must(t, err)
	v := view.New()
	for _, entry := range entries[:min(int(at.Seq), len(entries))] {
		e, err := view.DecodeEvent(entry.Data)
		must(t, err)
		v.Apply(&e)
	}
	return v
}

// A second watch of the same run without a position asks for a snapshot.
func TestAskForSnapshot(t *testing.T) {
	s := start(t, hub.Config{})
	a := s.author(t, "r1", 12)
	must(t, a.Append(t.Context(), 20))
	p := s.connect(t, "")
	got := p.watch(t, "r1", nil)
	p.same(t, a)
	must(t, p.say(t.Context(), wire.Watch{Run: "r1"}))
	p.until(t, func() bool { return len(got.snapshots) == 2 })
	if got.snapshots[1] != runlog.ReasonAsked {
		t.Fatalf("reason %q, want asked", got.snapshots[1])
	}
	must(t, a.Append(t.Context(), 20))
	p.same(t, a)
}
