package wire

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// A small run; the n-th event has seq n.
var story = []string{
	`{"type":"agent_start","t":1}`,
	`{"type":"turn_start","t":2}`,
	`{"type":"tool_start","t":3,"key":"c1","name":"bash"}`,
	`{"type":"tool_update","t":4,"key":"c1","text":"one"}`,
	`{"type":"tool_update","t":5,"key":"c1","text":"two"}`,
	`{"type":"tool_end","t":6,"key":"c1","text":"done"}`,
	`{"type":"agent_end","t":7}`,
}

// tell sends the story's events from..to (seqs) as one message.
func (s *script) tell(epoch string, from, to int) {
	s.raw(AppendEvents(nil, "run", epoch, int64(from), raws(story[from-1:to]...)))
}

func (s *script) check(epoch string, seq int64, v *view.View) {
	s.raw(AppendCheck(nil, "run", runlog.Position{Epoch: epoch, Seq: seq}, v.Hash()))
}

func observe(t *testing.T, address string, c ClientConfig, change func(*ObserverConfig)) *Observer {
	t.Helper()
	config := ObserverConfig{
		Address: address, Run: "run", Client: c,
		Backoff: Backoff{Min: time.Second, Max: 8 * time.Second, Rand: func() float64 { return 1 }},
	}
	if change != nil {
		change(&config)
	}
	o, err := NewObserver(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Close() })
	return o
}

// until calls Next until seq is reached and returns all steps.
func until(t *testing.T, o *Observer, seq int64) []Step {
	t.Helper()
	var steps []Step
	for !o.Synced() || o.Position().Seq != seq {
		step, err := o.Next(t.Context())
		if err != nil {
			t.Fatalf("at %s: %v", o.Position(), err)
		}
		steps = append(steps, step)
	}
	return steps
}

func sameAs(t *testing.T, o *Observer, want *view.View) {
	t.Helper()
	if o.View().Hash() != want.Hash() {
		t.Errorf("at %s the view is another one", o.Position())
	}
}

// A snapshot, events, a merged catch-up and a hash, and a resume after the link
// broke: the fold is the fold of everything.
func TestObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := folded(t, story...)
		froms := make(chan *runlog.Position, 2)
		address, c := scripted(t, func(s *script) {
			s.welcome()
			froms <- s.watch().From
			s.snapshot("E1", 2, runlog.ReasonJoin, folded(t, story[:2]...))
			s.tell("E1", 3, 3)
			s.raw(AppendMerged(nil, "run", "E1", 4, 5, []runlog.Entry{{Position: runlog.Position{Seq: 5}, Data: []byte(story[4])}}))
			s.check("E1", 5, folded(t, story[:5]...))
			s.check("E1", 4, all) // another position: says nothing
		}, func(s *script) {
			s.welcome()
			froms <- s.watch().From
			s.tell("E1", 6, 7)
			s.check("E1", 7, all)
			s.send(Status{Run: "run", Store: "up"})
			s.gone()
		})
		o := observe(t, address, c, nil)
		steps := until(t, o, 7)
		sameAs(t, o, all)
		if from := <-froms; from != nil {
			t.Errorf("first watch from %v", from)
		}
		if from := <-froms; from == nil || *from != (runlog.Position{Epoch: "E1", Seq: 5}) {
			t.Errorf("resumed from %v", from)
		}
		downs := 0
		for _, s := range steps {
			if s.Down != nil {
				downs++
			}
		}
		if downs != 1 {
			t.Errorf("%d times down", downs)
		}
		for range 2 {
			if _, err := o.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		want := ObserverStats{Connects: 2, Snapshots: 1, Events: 4, Merged: 1, Skipped: 1, Checks: 2}
		if diff := cmp.Diff(want, o.Stats()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// Whatever does not fit is noticed, asked about once, and replaced; what comes in
// between is not folded.
func TestObserverBroken(t *testing.T) {
	for _, c := range []struct {
		name, says string
		play       func(*script)
	}{
		{"gap", "gap", func(s *script) { s.tell("E1", 4, 4) }},
		{"double", "double", func(s *script) { s.tell("E1", 2, 3) }},
		{"another epoch", "another epoch", func(s *script) { s.tell("E2", 3, 3) }},
		{"merged gap", "gap", func(s *script) { s.raw(AppendMerged(nil, "run", "E1", 4, 5, nil)) }},
		{"wrong hash", "hash", func(s *script) { s.check("E1", 2, view.New()) }},
		{"undecodable message", "undecodable", func(s *script) { s.raw([]byte(`{"type":"events","run":"run"}`)) }},
		{"undecodable event", "seq 3", func(s *script) {
			s.raw(AppendEvents(nil, "run", "E1", 3, raws(`{"type":"tool_end","t":1}`)))
		}},
		{"undecodable view", "snapshot", func(s *script) {
			s.raw(AppendSnapshot(nil, "run", runlog.Position{Epoch: "E1", Seq: 3}, runlog.ReasonSlow, []byte(`{"runStatus":"busy"}`)))
		}},
	} {
		play := func(s *script) { s.breaks(c.play) }
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { mends(t, play, c.says) })
		})
		t.Run(c.name+", strict", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { ends(t, play, c.says) })
		})
	}
}

// breaks plays the story's begin, then what is wrong, and the rest as a snapshot
// once that is asked for.
func (s *script) breaks(wrong func(*script)) {
	s.welcome()
	s.watch()
	s.snapshot("E1", 2, runlog.ReasonJoin, folded(s.t, story[:2]...))
	wrong(s)
	s.tell("E1", 5, 6) // in between
	if w, ok := s.receive().(Watch); ok {
		if w.From != nil {
			s.t.Errorf("asked for %v in place of a snapshot", w.From)
		}
		s.snapshot("E1", 6, runlog.ReasonAsked, folded(s.t, story[:6]...))
		s.tell("E1", 7, 7)
		s.gone()
	}
}

// mends checks that an observer notices what is wrong, once, and ends right.
func mends(t *testing.T, play func(*script), says string) {
	address, config := scripted(t, play)
	o := observe(t, address, config, nil)
	var broken []*SyncError
	for _, s := range until(t, o, 7) {
		if s.Broken != nil {
			broken = append(broken, s.Broken)
		}
	}
	if len(broken) != 1 || !strings.Contains(broken[0].Error(), says) || o.Stats().Resyncs != 1 {
		t.Errorf("broken: %v", broken)
	}
	sameAs(t, o, folded(t, story...))
}

// ends checks that a strict observer ends with what is wrong.
func ends(t *testing.T, play func(*script), says string) {
	address, config := scripted(t, play)
	o := observe(t, address, config, func(c *ObserverConfig) { c.Strict = true })
	var err error
	for err == nil {
		_, err = o.Next(t.Context())
	}
	if bad, ok := errors.AsType[*SyncError](err); !ok || !strings.Contains(bad.Message, says) {
		t.Errorf("got %v", err)
	}
}

// A run that breaks again and again is asked for ever more rarely.
func TestObserverBrokenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		address, c := scripted(t, func(s *script) {
			s.welcome()
			for s.receive() != nil {
				s.snapshot("E1", 2, runlog.ReasonAsked, folded(t, story[:2]...))
				s.check("E1", 2, view.New())
			}
		})
		o := observe(t, address, c, nil)
		start := time.Now()
		for time.Since(start) < 10*time.Minute {
			if _, err := o.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if n := o.Stats().Snapshots; n > 40 {
			t.Errorf("%d snapshots in ten minutes", n)
		}
	})
}

func TestObserverBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := func(s *script) { s.welcome(); _ = s.conn.CloseNow() }
		asked := func(s *script) {
			s.welcome()
			s.send(Bye{Code: 1012, Reason: "restarting", RetryAfterMs: 5000})
			_ = s.conn.Close(1012, "restarting")
		}
		back := func(s *script) {
			s.welcome()
			s.watch()
			s.snapshot("E1", 2, runlog.ReasonJoin, folded(t, story[:2]...))
			_ = s.conn.CloseNow()
		}
		address, c := scripted(t, away, away, away, away, away, asked, back, away)
		o := observe(t, address, c, nil)
		var waits []time.Duration
		last := time.Now()
		for len(waits) < 8 {
			step, err := o.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if step.Down != nil {
				waits = append(waits, step.Retry)
				last = time.Now()
			} else if _, ok := step.Message.(Welcome); ok && len(waits) > 0 && time.Since(last) != waits[len(waits)-1] {
				t.Errorf("connected after %s, not %s", time.Since(last), waits[len(waits)-1])
			}
		}
		s := time.Second
		want := []time.Duration{1 * s, 2 * s, 4 * s, 8 * s, 8 * s, 13 * s, 1 * s, 2 * s}
		if diff := cmp.Diff(want, waits); diff != "" {
			t.Errorf("waits (-want +got):\n%s", diff)
		}
	})
}

func TestObserverEnds(t *testing.T) {
	refuse := func(code Code) func(*script) {
		return func(s *script) {
			s.welcome()
			s.watch()
			s.send(Error{Re: TypeWatch, Run: "run", Code: string(code), Message: "m"})
			s.gone()
		}
	}
	for _, c := range []struct {
		name string
		play func(*script)
		ends func(error) bool // nil: it goes on
	}{
		{"unknown run", refuse(CodeUnknownRun), func(err error) bool {
			r, ok := errors.AsType[*RefusedError](err)
			return ok && r.Code == CodeUnknownRun && r.Run == "run"
		}},
		{"forbidden", refuse(CodeForbidden), func(err error) bool {
			_, ok := errors.AsType[*RefusedError](err)
			return ok
		}},
		{"store down", refuse(CodeStoreDown), nil},
		{"token", func(s *script) { s.welcome(); _ = s.conn.Close(4401, "expired") }, func(err error) bool {
			closed, ok := errors.AsType[*CloseError](err)
			return ok && closed.Code == CloseToken
		}},
		{"going away", func(s *script) { s.welcome(); _ = s.conn.Close(1001, "") }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				address, config := scripted(t, c.play, func(s *script) {
					s.welcome()
					s.watch()
					s.snapshot("E1", 2, runlog.ReasonJoin, folded(t, story[:2]...))
					s.gone()
				})
				o := observe(t, address, config, nil)
				var err error
				for err == nil && !o.Synced() {
					_, err = o.Next(t.Context())
				}
				if (err != nil) != (c.ends != nil) || err != nil && !c.ends(err) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestNewObserverRefuses(t *testing.T) {
	for _, c := range []ObserverConfig{{Address: "http://h", Run: "a b"}, {Address: "h:1", Run: "run"}} {
		if _, err := NewObserver(c); err == nil {
			t.Errorf("%+v accepted", c)
		}
	}
}

func TestBackoffIsSpread(t *testing.T) {
	b := Backoff{Min: time.Second, Max: time.Minute}
	seen := map[time.Duration]bool{}
	for range 100 {
		d := b.Next(3 * time.Second)
		if d < 3*time.Second || d > 63*time.Second {
			t.Fatalf("waits %s", d)
		}
		seen[d] = true
	}
	if len(seen) < 90 {
		t.Errorf("only %d different waits", len(seen))
	}
}
