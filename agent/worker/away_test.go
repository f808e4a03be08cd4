package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
)

// refusal is an error that says by itself whether trying again helps.
type refusal struct{ final bool }

func (r *refusal) Error() string { return "404: no hub here" }
func (r *refusal) Final() bool   { return r.final }

// Why a store is away is there to be told, while it is away and after.
func TestWhyTheStoreIsAway(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		refused := fmt.Errorf("%w: connection refused", runlog.ErrUnavailable)
		b.fail(refused, everything...)
		w, s := b.start(), &talk{}
		s.publish(w, s.prompt(3), 0)
		time.Sleep(3 * time.Second)
		if got := w.Stats(); got.AwaySince.IsZero() || !errors.Is(got.LastError, refused) || !strings.HasPrefix(got.LastError.Error(), "claim: ") {
			t.Errorf("away: %+v", got)
		}
		b.heal()
		must(t, w.Ready(t.Context()))
		time.Sleep(time.Second)
		if got := w.Stats(); !got.AwaySince.IsZero() || !errors.Is(got.LastError, refused) {
			t.Errorf("back: %+v", got)
		}
		b.close(w)
	})
}

// What is lost at the end was lost for a reason, and that is not the deadline.
func TestLostErrorSaysWhy(t *testing.T) {
	for name, claimed := range map[string]bool{"before the claim": false, "after": true} {
		t.Run(name, func(t *testing.T) {
			run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
				refused := fmt.Errorf("%w: http: server gave HTTP response to HTTPS client", runlog.ErrUnavailable)
				if !claimed {
					b.fail(refused, everything...)
				}
				w, s := b.start(), &talk{}
				if claimed {
					must(t, w.Ready(t.Context()))
					b.fail(refused, everything...)
				}
				s.publish(w, s.prompt(3), 0)
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				err := w.Close(ctx)
				if _, ok := errors.AsType[*LostError](err); !ok || !errors.Is(err, refused) || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("close: %v", err)
				}
			})
		})
	}
}

// A call that got no answer in time says so: the time was the call's, not Close's.
func TestNoAnswerIsTold(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		count := b.store.Before
		b.store.Before = func(ctx context.Context, op runlogtest.Op) error {
			_ = count(ctx, op)
			<-ctx.Done()
			return ctx.Err()
		}
		w := b.start()
		time.Sleep(15 * time.Second)
		err := w.Stats().LastError
		if err == nil || !errors.Is(err, runlog.ErrUnavailable) || !strings.Contains(err.Error(), "no answer within 10s") {
			t.Errorf("last error: %v", err)
		}
	})
}

// Events that did not fit while the store was away were lost for that.
func TestLostErrorAfterTheStoreIsBack(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		b.fail(runlog.ErrUnavailable, everything...)
		w, s := b.start(func(c *Config) { c.BufferEvents = 5 }), &talk{}
		s.publish(w, s.prompt(20), 0)
		b.heal()
		err := w.Close(t.Context())
		if _, ok := errors.AsType[*LostError](err); !ok || !errors.Is(err, runlog.ErrUnavailable) {
			t.Errorf("close: %v", err)
		}
	})
}

// A first claim that is refused for good ends the worker at once; what may pass
// does not, and later on nothing of the kind does: the run was once had.
func TestFinalRefusals(t *testing.T) {
	for name, tt := range map[string]struct {
		err   error
		final bool
	}{
		"final":                 {&refusal{true}, true},
		"final, wrapped":        {fmt.Errorf("claim: %w", &refusal{true}), true},
		"denied":                {fmt.Errorf("%w: no token", runlog.ErrDenied), true},
		"not final":             {&refusal{false}, false},
		"final but unavailable": {fmt.Errorf("%w: %w", runlog.ErrUnavailable, &refusal{true}), false},
		"unavailable":           {runlog.ErrUnavailable, false},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
				b.fail(tt.err, runlogtest.OpClaim)
				w := b.start()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				err := w.Ready(ctx)
				if ended := !errors.Is(err, context.DeadlineExceeded); ended != tt.final || ended && !errors.Is(err, tt.err) {
					t.Errorf("ready: %v", err)
				}
			})
		})
	}
	t.Run("after the claim", func(t *testing.T) {
		run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
			w, s := b.start(), &talk{}
			must(t, w.Ready(t.Context()))
			b.memory.Lose("run", -1)
			b.fail(&refusal{true}, everything...)
			p := s.prompt(3)
			s.publish(w, p, 0)
			time.Sleep(time.Minute)
			b.heal()
			b.close(w)
			sameContent(t, b.viewAt(w.Stats().At), folded(p))
		})
	})
}
