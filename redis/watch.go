package redis

import (
	"context"
	"fmt"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

const (
	tickEvery  = 250 * time.Millisecond
	pruneEvery = time.Minute
	// checkMany is how many runs one round trip checks.
	checkMany = 512
)

// watch compares positions with the store, and keeps the index, until the store
// is closed.
func (s *Store) watch() {
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	checked, pruned := time.Now(), time.Now()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		now := time.Now()
		if x := s.currentIndex(); x != nil {
			x.flush(now)
		}
		if now.Sub(checked) >= s.cfg.Timeouts.Check {
			s.checkAll()
			checked = now
		}
		if now.Sub(pruned) >= pruneEvery {
			s.keepIndex()
			pruned = now
		}
	}
}

// checkAll compares every followed run with the store. A link whose runs cannot
// be read is down, whatever its connection says.
func (s *Store) checkAll() {
	s.eachLink(func(l *link) {
		if err := s.checkPositions(s.ctx, l, false); err != nil && s.ctx.Err() == nil {
			l.restart(fmt.Errorf("comparing positions: %w", err))
		}
	})
}

// eachLink does something for every link that is up, side by side: one whose
// node does not answer keeps no other waiting.
func (s *Store) eachLink(do func(*link)) {
	var wg sync.WaitGroup
	for _, l := range s.links {
		if l.isUp() {
			wg.Go(func() { do(l) })
		}
	}
	wg.Wait()
}

// resync brings everything that a new connection of a link carries up to date.
func (s *Store) resync(ctx context.Context, l *link) error {
	if err := s.checkPositions(ctx, l, true); err != nil {
		return fmt.Errorf("comparing positions: %w", err)
	}
	if x := s.currentIndex(); x != nil {
		if err := x.load(ctx, l); err != nil {
			return fmt.Errorf("reading the list of runs: %w", err)
		}
	}
	return nil
}

// checkPositions compares the runs of a link with the store, many at a time.
func (s *Store) checkPositions(ctx context.Context, l *link, sure bool) error {
	s.mu.Lock()
	var feeds []*feed
	for run, f := range s.feeds {
		if s.linkOf(partitionOf(run)) == l {
			feeds = append(feeds, f)
		}
	}
	s.mu.Unlock()
	// Also without runs: this shows whether the store can be read.
	for first := true; first || len(feeds) > 0; first = false {
		n := min(len(feeds), checkMany)
		if err := s.checkSome(ctx, feeds[:n], l, sure); err != nil {
			return err
		}
		feeds = feeds[n:]
	}
	return nil
}

func (s *Store) checkSome(ctx context.Context, feeds []*feed, l *link, sure bool) error {
	versions := make([]int64, len(feeds))
	for i, f := range feeds {
		f.mu.Lock()
		versions[i] = f.version
		f.mu.Unlock()
	}
	cmds := make([]*goredis.SliceCmd, len(feeds))
	err := s.call(ctx, func(ctx context.Context) error {
		_, err := s.client.Pipelined(ctx, func(p goredis.Pipeliner) error {
			p.Exists(ctx, l.probe)
			for i, f := range feeds {
				cmds[i] = p.HMGet(ctx, f.keys.meta(), "e", "t", "s", "o", "h", "hb")
			}
			return nil
		})
		return err
	})
	if err != nil {
		return err
	}
	for i, f := range feeds {
		r := reply(cmds[i].Val())
		f.check(r.status(), r.text(0) != "", versions[i], sure)
	}
	return nil
}
