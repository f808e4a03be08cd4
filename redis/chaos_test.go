package redis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/redis/redistest"
)

// TestChaos: random faults, one after the other and on top of each other, while
// three runs are written and followed. In the end every follower of a run has
// the same view as its writer, and nobody ever saw one position hold two things.
func TestChaos(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { chaos(t, seed) })
	}
}

type chaosRun struct {
	writer    *stubborn
	followers []*watcher
	zombies   []runlog.Writer
}

func chaos(t *testing.T, seed uint64) {
	t.Parallel()
	const steps = 25
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	server := redistest.Start(t, redistest.AOF())
	var proxies []*redistest.Proxy
	var stores []*Store
	for range 3 { // the workers, and two hubs
		p := redistest.NewProxy(t, server.Addr())
		proxies = append(proxies, p)
		stores = append(stores, open(t, Config{URL: p.URL(), Timeouts: quick, Limits: Limits{RunEvents: 500}}))
	}
	var runs []*chaosRun
	for i := range 3 {
		w := newStubborn(t, stores[0], fmt.Sprintf("run%d", i), runlogtest.NewLedger())
		must(t, w.claim(ctx))
		runs = append(runs, &chaosRun{writer: w})
	}
	stop := make(chan struct{})
	failed := make(chan error, len(runs))
	var wg sync.WaitGroup
	for i, r := range runs {
		wg.Go(func() { failed <- r.work(ctx, rand.New(rand.NewPCG(seed, uint64(i))), stop) })
	}
	rnd := rand.New(rand.NewPCG(seed, 99))
	for range steps {
		for i, r := range runs {
			if rnd.IntN(4) == 0 {
				r.join(ctx, t, stores[1+(i+rnd.IntN(2))%2])
			}
		}
		fault := disturb(rnd, server, proxies)
		stores[0].sleep(ctx, time.Duration(rnd.IntN(250))*time.Millisecond)
		fault()
	}
	close(stop)
	wg.Wait()
	for range runs {
		must(t, <-failed)
	}
	for _, r := range runs {
		must(t, r.writer.end(ctx))
		r.zombie(ctx, t)
		for _, f := range r.followers {
			f.wait(t, r.writer)
		}
		t.Logf("%s: up to %d, %d followers, claims %d, gaps %d, dups %d, unavailable %d", r.writer.run, r.writer.at.Seq,
			len(r.followers), r.writer.claims, r.writer.gaps, r.writer.dups, r.writer.unavailable)
	}
}

// work writes until it is told to stop; now and then the run is taken over.
func (r *chaosRun) work(ctx context.Context, rnd *rand.Rand, stop chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		err := r.writer.append(ctx, 1+rnd.IntN(5))
		if err == nil && rnd.IntN(40) == 0 {
			err = r.writer.checkpoint(ctx)
		}
		if err == nil && rnd.IntN(150) == 0 {
			r.zombies = append(r.zombies, r.writer.writer)
			err = r.writer.claim(ctx)
		}
		if err != nil {
			return err
		}
		r.writer.store.sleep(ctx, 3*time.Millisecond)
	}
}

// join lets one more follow, if the store is there and has the run.
func (r *chaosRun) join(ctx context.Context, t *testing.T, s *Store) {
	f, err := s.Follow(ctx, r.writer.run)
	switch {
	case err == nil:
		w := newWatcher(r.writer.ledger, false)
		go w.follow(ctx, f)
		r.followers = append(r.followers, w)
	case !errors.Is(err, runlog.ErrUnavailable) && !errors.Is(err, runlog.ErrNoRun):
		t.Errorf("follow: %v", err)
	}
}

// zombie lets fenced writers try to write.
func (r *chaosRun) zombie(ctx context.Context, t *testing.T) {
	for _, z := range r.zombies {
		if ack, err := z.Append(ctx, r.writer.at.Seq+1, [][]byte{[]byte(`{"type":"agent_start","t":1}`)}); !errors.Is(err, runlog.ErrFenced) {
			t.Errorf("a fenced writer's append: %+v, %v", ack, err)
		}
	}
}

// disturb does something bad and returns what ends it.
func disturb(rnd *rand.Rand, server *redistest.Server, proxies []*redistest.Proxy) func() {
	nothing := func() {}
	p := proxies[rnd.IntN(len(proxies))]
	switch rnd.IntN(9) {
	case 0:
		server.Kill()
		return server.Restart
	case 1:
		server.FlushAll()
	case 2:
		server.Stop()
		return server.Cont
	case 3:
		server.Do("CLIENT", "KILL", "TYPE", "pubsub")
	case 4:
		server.Do("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
	case 5:
		server.Do("SCRIPT", "FLUSH")
	case 6:
		p.Cut()
	case 7:
		p.Stall()
		return p.Resume
	case 8:
		p.SwallowReplies(1 + rnd.IntN(3))
	}
	return nothing
}
