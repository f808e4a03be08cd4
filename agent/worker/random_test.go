package worker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
)

// TestRandomFaults lets a nemesis loose on a run: calls refused, answers lost
// and late, events and whole runs lost, reapers. Whatever it does, nobody ever
// sees two events at one position, and in the end nothing is missing.
func TestRandomFaults(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			run(t, runlog.MemoryConfig{RunEvents: 300}, func(t *testing.T, b *bench) { randomFaults(t, b, seed) })
		})
	}
}

func randomFaults(t *testing.T, b *bench, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 5))
	ledger := runlogtest.NewLedger()
	b.store.After = late(b.store.After, seed)
	w, s := b.start(func(c *Config) { c.RingEvents, c.CheckpointEvents, c.CallTimeout = 200, 100, time.Second }), &talk{}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for range 3 {
		wg.Go(func() { watch(t, ctx, b, ledger) })
	}
	wg.Go(func() { nemesis(t, ctx, b, seed) })

	var prompts [][]agent.Event
	for range 15 {
		p := s.prompt(rnd.IntN(30))
		prompts = append(prompts, p)
		s.publish(w, p, time.Duration(rnd.IntN(300))*time.Millisecond)
		select {
		case <-w.Done():
			t.Fatalf("seed %d: the worker ended: %v", seed, w.Err())
		default:
		}
	}
	cancel()
	wg.Wait()
	b.heal()
	stats := b.close(w)
	t.Logf("%+v", stats)

	f, err := b.memory.Follow(t.Context(), "run")
	must(t, err)
	defer f.Close()
	v := runlogtest.NewVerifier(ledger)
	must(t, runlogtest.Pump(t.Context(), f, v, func() bool { return v.At() == stats.At }))
	sameContent(t, v.View(), folded(prompts...))
}

// late delays answers at random, some beyond the time of a call.
func late(after func(context.Context, runlogtest.Op) error, seed uint64) func(context.Context, runlogtest.Op) error {
	var mu sync.Mutex
	rnd := rand.New(rand.NewPCG(seed, 6))
	return func(ctx context.Context, op runlogtest.Op) error {
		mu.Lock()
		delay := time.Duration(0)
		if rnd.IntN(20) == 0 {
			delay = time.Duration(rnd.IntN(1500)) * time.Millisecond
		}
		mu.Unlock()
		timer := time.NewTimer(delay)
		defer timer.Stop()
		select {
		case <-timer.C:
			return after(ctx, op)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// watch follows the run, again and again, and checks every update.
func watch(t *testing.T, ctx context.Context, b *bench, ledger *runlogtest.Ledger) {
	for ctx.Err() == nil {
		f, err := b.memory.Follow(ctx, "run")
		if err != nil {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		v := runlogtest.NewVerifier(ledger)
		v.Lossy = true
		err = runlogtest.Pump(ctx, f, v, func() bool { return false })
		if !errors.Is(err, context.Canceled) && !errors.Is(err, runlog.ErrNoRun) {
			t.Error(err)
		}
		f.Close()
	}
}

func nemesis(t *testing.T, ctx context.Context, b *bench, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 7))
	for ctx.Err() == nil {
		time.Sleep(time.Duration(rnd.IntN(2000)) * time.Millisecond)
		op := everything[rnd.IntN(len(everything))]
		switch rnd.IntN(10) {
		case 0, 1:
			b.fail(runlog.ErrUnavailable, op)
		case 2:
			b.hide(errors.New("answer lost"), op)
		case 3:
			b.fail(runlog.ErrUnavailable, everything...)
		case 4:
			if entries, err := b.memory.Read(ctx, "run", runlog.Position{}, 1000); err == nil && len(entries) > 0 {
				b.memory.Lose("run", entries[len(entries)-1].Seq-int64(rnd.IntN(300)))
			}
		case 5:
			if rnd.IntN(3) == 0 {
				b.memory.Lose("run", -1)
			}
		case 6:
			if rnd.IntN(3) == 0 {
				r := reap(t, b.memory)
				time.Sleep(time.Duration(rnd.IntN(3000)) * time.Millisecond)
				_ = r.Writer.Close(ctx)
			}
		default:
			b.heal()
		}
	}
}
