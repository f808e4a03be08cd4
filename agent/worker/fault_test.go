package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/hub/view"
)

// The store is away at the start, and the run has a past: what was projected
// meanwhile must not use its keys again.
func TestStoreAwayAtStart(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		s := &talk{}
		w := b.start()
		first := s.prompt(3)
		s.publish(w, first, 0)
		b.close(w)

		b.fail(runlog.ErrUnavailable, everything...)
		w = b.start()
		second, third := s.prompt(30), s.prompt(5)
		s.publish(w, second, 0)
		time.Sleep(time.Minute)
		stats := checkStats(t, w)
		if stats.Buffered == 0 || stats.Acked != 0 || stats.AwaySince.IsZero() || stats.Lost != 0 {
			t.Errorf("while the store is away: %+v", stats)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := w.Ready(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ready: %v", err)
		}
		b.heal()
		must(t, w.Ready(t.Context()))
		s.publish(w, third, 0)
		stats = b.close(w)
		if stats.Reconnects != 1 || !stats.AwaySince.IsZero() || stats.Merged == 0 {
			t.Errorf("afterwards: %+v", stats)
		}
		sameContent(t, b.viewAt(stats.At), folded(first, second, third))
	})
}

func TestStoreAwayInTheMiddle(t *testing.T) {
	for name, disturb := range map[string]func(b *bench){
		"refused":      func(b *bench) { b.fail(runlog.ErrUnavailable, everything...) },
		"answers lost": func(b *bench) { b.hide(io.ErrUnexpectedEOF, everything...) },
		"append only":  func(b *bench) { b.fail(errors.New("strange"), runlogtest.OpAppend) },
		"upkeep only": func(b *bench) {
			b.fail(errors.New("strange"), runlogtest.OpHeartbeat, runlogtest.OpCheckpoint)
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
				w, s := b.start(), &talk{}
				var prompts [][]agent.Event
				for i := range 6 {
					p := s.prompt(10)
					prompts = append(prompts, p)
					s.publish(w, p, 5*time.Millisecond)
					if i%2 == 0 {
						disturb(b)
					} else {
						time.Sleep(10 * time.Second)
						b.heal()
					}
				}
				b.heal()
				stats := b.close(w)
				if stats.Claims != 1 {
					t.Errorf("%d claims: a store that is only away keeps the epoch", stats.Claims)
				}
				if stats.Acked != int64(len(b.events())) {
					t.Errorf("%d acknowledged, %d in the log", stats.Acked, len(b.events()))
				}
				sameContent(t, b.viewAt(stats.At), folded(prompts...))
			})
		})
	}
}

// A call that never returns by itself is given up.
func TestStoreHangs(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		hang := make(chan struct{})
		b.store.After = func(ctx context.Context, op runlogtest.Op) error {
			if op == runlogtest.OpClaim {
				return nil
			}
			select {
			case <-hang:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		w, s := b.start(), &talk{}
		must(t, w.Ready(t.Context()))
		p := s.prompt(10)
		s.publish(w, p, time.Millisecond)
		time.Sleep(time.Minute)
		if s := w.Stats(); s.AwaySince.IsZero() {
			t.Errorf("a store that hangs is not away: %+v", s)
		}
		close(hang)
		b.close(w)
		sameContent(t, b.viewAt(w.Stats().At), folded(p))
	})
}

func TestClaimAnswerLost(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		b.hide(io.ErrUnexpectedEOF, runlogtest.OpClaim)
		w, s := b.start(), &talk{}
		p := s.prompt(3)
		s.publish(w, p, 0)
		time.Sleep(3 * time.Second)
		b.heal()
		must(t, w.Ready(t.Context())) // it holds the run against itself
		b.close(w)
		sameContent(t, b.viewAt(w.Stats().At), folded(p))
	})
}

// The store falls back behind what it had acknowledged.
func TestRefillsWhatTheStoreLost(t *testing.T) {
	for name, idle := range map[string]bool{"with the next event": false, "while idle": true} {
		t.Run(name, func(t *testing.T) {
			run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
				w, s := b.start(), &talk{}
				first := s.prompt(30)
				s.publish(w, first, 5*time.Millisecond)
				synctest.Wait()
				before := b.events()
				f, err := b.memory.Follow(t.Context(), "run")
				must(t, err)
				defer f.Close()
				v := runlogtest.NewVerifier(runlogtest.NewLedger())
				at := w.Stats().At
				must(t, runlogtest.Pump(t.Context(), f, v, func() bool { return v.At() == at }))

				b.memory.Lose("run", int64(len(before)-20))
				second := s.prompt(3)
				if idle {
					time.Sleep(5 * time.Second)
					synctest.Wait()
					if got := len(b.events()); got != len(before) {
						t.Errorf("%d events after the position check, had %d", got, len(before))
					}
				}
				s.publish(w, second, 0)
				stats := b.close(w)
				if stats.Claims != 1 || stats.Acked != int64(len(b.events())) {
					t.Errorf("%+v with %d events in the log", stats, len(b.events()))
				}
				must(t, runlogtest.Pump(t.Context(), f, v, func() bool { return v.At() == stats.At }))
				if len(v.Resets) != 1 {
					t.Errorf("a follower was reset: %v", v.Resets)
				}
				sameContent(t, v.View(), folded(first, second))
			})
		})
	}
}

// What the store lost is kept no more: its worker's view makes a new epoch.
func TestRingTooShort(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		w, s := b.start(func(c *Config) { c.RingEvents, c.CheckpointEvery, c.CheckpointEvents = 5, time.Hour, 1<<20 }), &talk{}
		first, second := s.prompt(30), s.prompt(3)
		s.publish(w, first, 5*time.Millisecond)
		synctest.Wait()
		before := w.Stats().At
		b.memory.Lose("run", before.Seq-30)
		s.publish(w, second, 0)
		time.Sleep(time.Second)
		if at := w.Stats().At; at.Epoch == before.Epoch || at.Seq <= before.Seq {
			t.Errorf("at %s after %s: want a new epoch that goes on", at, before)
		}
		stats := b.close(w)
		if stats.Claims != 2 {
			t.Errorf("%d claims", stats.Claims)
		}
		sameContent(t, b.viewAt(stats.At), folded(first, second))
	})
}

// The store lost everything: the run is there again, even if nothing happens.
func TestStoreEmptied(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		w, s := b.start(), &talk{}
		first, second := s.prompt(10), s.prompt(3)
		s.publish(w, first[:len(first)-6], time.Millisecond)
		synctest.Wait()
		before := w.Stats().At
		b.memory.Lose("run", -1)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if at := w.Stats().At; at.Epoch == before.Epoch || at.Seq <= before.Seq {
			t.Errorf("at %s after %s", at, before)
		}
		s.publish(w, first[len(first)-6:], 0)
		s.publish(w, second, 0)
		stats := b.close(w)
		sameContent(t, b.viewAt(stats.At), folded(first, second))
	})
}

func TestFencedByAnother(t *testing.T) {
	for name, leaves := range map[string]bool{"who stays": false, "who has left again": true} {
		t.Run(name, func(t *testing.T) {
			run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
				w, s := b.start(), &talk{}
				p := s.prompt(3)
				s.publish(w, p[:8], 0)
				time.Sleep(time.Second)
				other := runlogtest.NewAuthor("run", 1)
				must(t, other.Claim(t.Context(), b.memory, runlog.ClaimOptions{Owner: "host/2", Takeover: true}))
				must(t, other.Append(t.Context(), 5))
				if leaves {
					must(t, other.Writer.Close(t.Context()))
				}
				s.publish(w, p[8:], 0)
				<-w.Done()
				if err := w.Err(); !errors.Is(err, runlog.ErrFenced) {
					t.Errorf("ended with %v", err)
				}
				stats := checkStats(t, w)
				if stats.Lost == 0 {
					t.Errorf("%+v", stats)
				}
				if err := w.Close(t.Context()); !errors.Is(err, runlog.ErrFenced) {
					t.Errorf("close: %v", err)
				}
				if leaves { // the run must not be held by who does not use it
					_, _, err := b.memory.Claim(t.Context(), "run", runlog.ClaimOptions{Owner: "host/3"})
					must(t, err)
				} else {
					must(t, other.Append(t.Context(), 5))
				}
			})
		})
	}
}

// reap does what a reaper does with a silent run.
func reap(t *testing.T, m runlog.Store) *runlogtest.Author {
	t.Helper()
	r := runlogtest.NewAuthor("run", 1)
	must(t, r.Claim(t.Context(), m, runlog.ClaimOptions{Owner: runlog.ReaperPrefix + "hub-1", Takeover: true}))
	must(t, r.AppendEvents(t.Context(), view.Event{Type: view.Worker, State: view.WorkerLost, T: 1}))
	must(t, r.Checkpoint(t.Context()))
	return r
}

// A reaper took the run for lost: its worker comes back with its own view.
func TestReaped(t *testing.T) {
	for name, answerLost := range map[string]bool{"between batches": false, "with an answer lost": true} {
		t.Run(name, func(t *testing.T) {
			run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
				w, s := b.start(), &talk{}
				p := s.prompt(5)
				cut := len(p) - 6 // both tools run
				s.publish(w, p[:cut-4], time.Millisecond)
				time.Sleep(time.Second)
				if answerLost {
					b.hide(io.ErrUnexpectedEOF, runlogtest.OpAppend)
				}
				s.publish(w, p[cut-4:cut], 0)
				synctest.Wait()
				r := reap(t, b.memory)
				b.heal()
				s.publish(w, p[cut:cut+1], 0)
				time.Sleep(time.Second) // the worker waits for the reaper
				if s := w.Stats(); s.Claims != 1 {
					t.Errorf("claimed under a reaper's hands: %+v", s)
				}
				must(t, r.Writer.Close(t.Context()))
				time.Sleep(10 * time.Second)
				synctest.Wait()
				v := b.view(w)
				for key, c := range v.Tools {
					if c.Status == view.Lost {
						t.Errorf("%s is lost, though its worker is back", key)
					}
				}
				if v.Worker != view.WorkerLive {
					t.Errorf("worker is %s", v.Worker)
				}
				s.publish(w, p[cut+1:], 0)
				stats := b.close(w)
				if stats.Claims != 2 {
					t.Errorf("%d claims", stats.Claims)
				}
				got := types(b.events())
				if i := slices.Index(got, "worker:lost"); i < 0 || got[i+1] != "worker:live" {
					t.Errorf("log: %v", got)
				}
				sameContent(t, b.viewAt(stats.At), folded(p))
			})
		})
	}
}

func TestCloseWithStoreAway(t *testing.T) {
	for name, claimed := range map[string]bool{"from the start": false, "since": true} {
		t.Run(name, func(t *testing.T) {
			run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
				if !claimed {
					b.fail(runlog.ErrUnavailable, everything...)
				}
				w, s := b.start(), &talk{}
				if claimed {
					must(t, w.Ready(t.Context()))
					b.fail(runlog.ErrUnavailable, everything...)
				}
				s.publish(w, s.prompt(5), time.Millisecond)
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				start := time.Now()
				err := w.Close(ctx)
				lost, ok := errors.AsType[*LostError](err)
				if !ok || lost.Events == 0 || lost.Events != w.Stats().Lost || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("close: %v (%+v)", err, w.Stats())
				}
				if took := time.Since(start); took != 3*time.Second {
					t.Errorf("close took %s", took)
				}
				checkStats(t, w)
			})
		})
	}
}

// The store comes back while Close is trying: nothing is lost.
func TestCloseWaitsForTheStore(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		b.fail(runlog.ErrUnavailable, everything...)
		w, s := b.start(), &talk{}
		p := s.prompt(5)
		s.publish(w, p, 0)
		time.AfterFunc(20*time.Second, b.heal)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		must(t, w.Close(ctx))
		sameContent(t, b.viewAt(w.Stats().At), folded(p))
	})
}

// A store with smaller limits than ours gets smaller batches; a single event
// that it refuses is named in its place.
func TestStoreRefusesLargeAppends(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		w, err := New(Config{Run: "run", Store: &picky{b.memory, 2000}, Logger: b.logger()})
		must(t, err)
		for i := range 50 {
			text := strings.Repeat("x", 100)
			if i == 25 {
				w.Publish(1, agent.MessageEnd{Message: agent.Message{Role: agent.RoleUser, Content: []agent.Block{{
					Type: agent.BlockText, Text: strings.Repeat("x", 5000),
				}}}})
			}
			w.Publish(1, agent.Notice{Kind: "info", Text: text})
		}
		err = w.Close(t.Context())
		if lost, ok := errors.AsType[*LostError](err); !ok || lost.Events != 1 {
			t.Errorf("close: %v", err)
		}
		checkStats(t, w)
		v := b.viewAt(w.Stats().At)
		if len(v.Notices) != 51 || v.Notices[25].Kind != "lost" {
			t.Errorf("%d notices, the 26th %+v", len(v.Notices), v.Notices[25])
		}
	})
}

// picky refuses appends of more than max bytes.
type picky struct {
	runlog.Store
	max int
}

func (p *picky) Claim(ctx context.Context, run string, o runlog.ClaimOptions) (runlog.Writer, runlog.Snapshot, error) {
	w, s, err := p.Store.Claim(ctx, run, o)
	return &pickyWriter{w, p.max}, s, err
}

type pickyWriter struct {
	runlog.Writer
	max int
}

func (p *pickyWriter) Append(ctx context.Context, first int64, events [][]byte) (runlog.Ack, error) {
	if n := len(slices.Concat(events...)); n > p.max {
		return runlog.Ack{}, fmt.Errorf("%w: %d bytes", runlog.ErrTooLarge, n)
	}
	return p.Writer.Append(ctx, first, events)
}

// The source's clock jumps by an hour, both ways: what it says is what is told,
// but the order is that of the log, and the worker is heard as ever.
func TestFault30ClockJumps(t *testing.T) {
	for name, jump := range map[string]int64{"ahead": 3_600_000, "back": -3_600_000} {
		t.Run(name, func(t *testing.T) {
			run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
				w, s := b.start(), &talk{}
				var all [][]agent.Event
				for i := range 6 {
					p := s.prompt(5)
					all = append(all, p)
					for _, ev := range p {
						at := time.Now().UnixMilli()
						if i%2 == 1 {
							at += jump
						}
						w.Publish(at, ev)
					}
					for range 10 { // it says so in time, also in between
						time.Sleep(time.Second)
						f, err := b.memory.Index(t.Context())
						must(t, err)
						u, err := f.Next(t.Context())
						must(t, err)
						must(t, f.Close())
						if heard := u.Runs[0].HeardMs; heard < 0 || heard > 2100 {
							t.Fatalf("heard %d ms ago", heard)
						}
					}
				}
				stats := b.close(w)
				if stats.Claims != 1 || stats.Lost != 0 {
					t.Errorf("%+v", stats)
				}
				v, want := b.viewAt(stats.At), folded(all...)
				if !slices.Equal(v.Timeline, want.Timeline) || done(v) != done(want) || v.Outcome != view.OutcomeOK {
					t.Errorf("%d cards done, outcome %s, timeline %v; want %d and %v", done(v), v.Outcome, v.Timeline, done(want), want.Timeline)
				}
				if at := v.Turns[1].StartedAt - v.Turns[0].StartedAt; at != 10_000+jump {
					t.Errorf("the second turn is shown %d ms after the first", at)
				}
			})
		})
	}
}

func done(v *view.View) (n int64) { return v.Summary().Tools[view.Done] }
