package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// Store is a runlog.Store over Redis. Safe for concurrent use.
type Store struct {
	// static after construction
	cfg   Config
	log   zerolog.Logger
	names names
	servers
	scripts   scripts
	snapshots snapshots
	// ctx ends with Close; wg counts what must be out before Close returns.
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	once   sync.Once
	stats  counters

	// links are the subscriptions, one for each group of partitions; down counts
	// those that are needed and away.
	links []*link
	down  atomic.Int64

	// mu guards the rest.
	mu    sync.Mutex
	feeds map[string]*feed
	index *indexFeed
}

var _ runlog.Store = (*Store)(nil)

// Open returns a store on the Redis of cfg.URL. It does not wait for Redis: one
// that is away is looked for until it comes (see Ready). An error means that the
// configuration is wrong.
func Open(cfg Config) (*Store, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	quiet()
	servers, err := cfg.connect()
	if err != nil {
		return nil, err
	}
	sc, err := loadScripts(servers.publishCommand())
	if err != nil {
		return nil, errors.Join(err, servers.client.Close())
	}
	z, err := newSnapshots()
	if err != nil {
		return nil, errors.Join(err, servers.client.Close())
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Store{
		cfg: cfg, log: cfg.Logger.With().Str("redis", servers.name).Logger(),
		names: names{cfg.Prefix}, servers: servers, scripts: sc, snapshots: z,
		ctx: ctx, cancel: cancel, feeds: map[string]*feed{},
	}
	for group := range servers.links() {
		s.links = append(s.links, newLink(s, group, servers.kind == cluster))
	}
	for _, l := range s.links {
		s.wg.Go(l.run)
	}
	s.wg.Go(s.watch)
	return s, nil
}

// linkOf gives the link that carries a partition's channels. One Redis has one;
// on a cluster each partition needs its own.
func (s *Store) linkOf(partition int) *link { return s.links[partition%len(s.links)] }

// Close ends everything with ErrClosed and waits until all goroutines are out.
func (s *Store) Close() error {
	s.once.Do(func() {
		s.cancel()
		s.mu.Lock()
		for _, f := range s.feeds {
			f.wakeUp()
		}
		s.mu.Unlock()
		// Closing the client ends the calls that wait for Redis.
		if err := s.client.Close(); err != nil && !errors.Is(err, goredis.ErrClosed) {
			s.log.Debug().Err(err).Msg("closing the redis client")
		}
		s.wg.Wait()
		s.snapshots.close()
	})
	return nil
}

// Ready says whether Redis can be used now, for calls and for following: nil, or an error that wraps
// runlog.ErrUnavailable (or is ErrClosed). It blocks no longer than one call.
func (s *Store) Ready(ctx context.Context) error {
	// Not PING: a Redis that cannot write refuses that, though it can be read.
	err := s.call(ctx, func(ctx context.Context) error {
		return s.client.Exists(ctx, s.names.probe(0, "ready")).Err()
	})
	if err != nil {
		return err
	}
	for _, l := range s.links {
		if up, cause := l.state(); !up && l.needed() {
			return errors.Join(fmt.Errorf("%w: redis: not subscribed yet", runlog.ErrUnavailable), cause)
		}
	}
	return nil
}

// Stats are counters since Open.
type Stats struct {
	// Links counts subscriptions that were lost, Gaps batches that were missed
	// live and read from the log, Checks positions that only a check found
	// behind, Dropped batches that a follower had not read when room was needed,
	// Bad messages that were not understood.
	Links, Gaps, Checks, Dropped, Bad int64
	// Of Links: Unheard did not hear their own probe, as on a node that is master no
	// more; on Silent nothing arrived, though it was pinged; Moved were ended by a
	// cluster because the slot has moved.
	Unheard, Silent, Moved int64
}

type counters struct{ links, gaps, checks, dropped, bad, unheard, silent, moved atomic.Int64 }

// Stats returns the counters.
func (s *Store) Stats() Stats {
	c := &s.stats
	return Stats{
		Links: c.links.Load(), Gaps: c.gaps.Load(), Checks: c.checks.Load(), Dropped: c.dropped.Load(), Bad: c.bad.Load(),
		Unheard: c.unheard.Load(), Silent: c.silent.Load(), Moved: c.moved.Load(),
	}
}

// call makes one call with a deadline, once more if the connection broke.
func (s *Store) call(ctx context.Context, do func(ctx context.Context) error) error {
	if s.ctx.Err() != nil {
		return runlog.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, s.cfg.Timeouts.Call)
	defer cancel()
	err := do(limited)
	for tries := 0; cut(err) && tries < 3 && limited.Err() == nil && s.ctx.Err() == nil; tries++ {
		err = do(limited)
	}
	return s.storeError(ctx, err)
}

// run calls a script on behalf of a run. The reply is a list whose first
// element says how it went.
func (s *Store) run(ctx context.Context, script *goredis.Script, k runKeys, epoch, run string, args ...any) (reply, error) {
	all := append([]any{epoch, run, s.cfg.Limits.KeepFor.Milliseconds(), k.channel, k.indexChannel}, args...)
	var out []any
	err := s.call(ctx, func(ctx context.Context) (err error) {
		out, err = script.Run(ctx, s.client, k.keys, all...).Slice()
		return err
	})
	if err != nil {
		return nil, err
	}
	r := reply(out)
	switch r.text(0) {
	case "norun":
		return nil, fmt.Errorf("%w: %s", runlog.ErrNoRun, run)
	case "fenced":
		return nil, runlog.ErrFenced
	}
	return r, nil
}

// checkCall refuses what needs no store to be refused.
func (s *Store) checkCall(ctx context.Context, run string) error {
	if err := runlog.CheckRunID(run); err != nil {
		return fmt.Errorf("%w: %.80q", err, run)
	}
	if s.ctx.Err() != nil {
		return runlog.ErrClosed
	}
	return ctx.Err()
}

// Blob implements runlog.Store. What it returns reads from Redis piece by piece:
// a Read blocks no longer than one call, and fails with ErrNoBlob if the output
// has gone meanwhile.
func (s *Store) Blob(ctx context.Context, run, name string) (io.ReadSeekCloser, error) {
	if err := s.checkCall(ctx, run); err != nil {
		return nil, err
	}
	return s.openBlob(ctx, run, name)
}

// sleep waits for d, or until the store or ctx ends; false if one did.
func (s *Store) sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
	return false
}

// quiet keeps the client library from writing to standard error by itself: what
// it has to say comes back as errors, and is logged where they are handled. It
// knows one logger for the whole process only.
var quiet = sync.OnceFunc(func() { goredis.SetLogger(silent{}) })

type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}
