package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/redis"
)

// storeFlags say where the logs of runs are.
type storeFlags struct {
	Redis string        `help:"Redis that workers and hubs share: redis://[user:password@]host:port[/db], redis+sentinel://host:port,…/MASTER, or redis+cluster://host:port,…; rediss for TLS; none: the one hub keeps everything in its memory." placeholder:"URL" env:"RINGSIDE_REDIS"`
	Keep  time.Duration `help:"How long a run is kept after it was last written." default:"168h" env:"RINGSIDE_KEEP"`

	KeepEvents int   `help:"How many events of a run are kept; of older ones only what they came to, and that is said." default:"20000" placeholder:"N" env:"RINGSIDE_KEEP_EVENTS"`
	KeepBytes  int64 `help:"… and how many bytes of them at most." default:"33554432" placeholder:"N" env:"RINGSIDE_KEEP_BYTES"`
}

// Bounds below which a run's log could not take what a worker sends before its
// next checkpoint.
const (
	minKeepEvents = 2 * runlog.MaxBatchEvents
	minKeepBytes  = 2 * runlog.MaxBatchBytes
)

func (f storeFlags) check() error {
	switch {
	case f.Keep < time.Minute:
		return fmt.Errorf("--keep %s: at least 1m", f.Keep)
	case f.KeepEvents < minKeepEvents:
		return fmt.Errorf("--keep-events %d: at least %d", f.KeepEvents, minKeepEvents)
	case f.KeepBytes < minKeepBytes:
		return fmt.Errorf("--keep-bytes %d: at least %d", f.KeepBytes, minKeepBytes)
	}
	return nil
}

// open opens the store. Redis need not be there yet: that is said, and told
// again when it comes.
func (f storeFlags) open(ctx context.Context, logger zerolog.Logger) (runlog.Store, error) {
	if f.Redis == "" {
		if err := f.check(); err != nil {
			return nil, err
		}
		return runlog.NewMemory(runlog.MemoryConfig{KeepFor: f.Keep, RunEvents: f.KeepEvents, RunBytes: f.KeepBytes}), nil
	}
	return f.openRedis(ctx, logger)
}

func (f storeFlags) openRedis(ctx context.Context, logger zerolog.Logger) (*redis.Store, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	store, err := redis.Open(redis.Config{URL: f.Redis, Logger: logger, Limits: redis.Limits{KeepFor: f.Keep, RunEvents: f.KeepEvents, RunBytes: f.KeepBytes}})
	if err != nil {
		return nil, err
	}
	if err := store.Ready(ctx); err != nil && !errors.Is(err, context.Canceled) {
		logger.Warn().Err(err).Msg("Redis is not there; trying again until it is")
	}
	return store, nil
}
