package main

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/redis"
)

// storeFlags say where the logs of runs are.
type storeFlags struct {
	Redis string        `help:"Redis that workers and hubs share: redis://[user:password@]host:port[/db], redis+sentinel://host:port,…/MASTER, or redis+cluster://host:port,…; rediss for TLS; none: the one hub keeps everything in its memory." placeholder:"URL" env:"RINGSIDE_REDIS"`
	Keep  time.Duration `help:"How long a run is kept in Redis after it was last written." default:"168h" env:"RINGSIDE_KEEP"`
}

// open opens the store. Redis need not be there yet: that is said, and told
// again when it comes.
func (f storeFlags) open(ctx context.Context, logger zerolog.Logger) (runlog.Store, error) {
	if f.Redis == "" {
		return runlog.NewMemory(runlog.MemoryConfig{}), nil
	}
	return f.openRedis(ctx, logger)
}

func (f storeFlags) openRedis(ctx context.Context, logger zerolog.Logger) (*redis.Store, error) {
	store, err := redis.Open(redis.Config{URL: f.Redis, Logger: logger, Limits: redis.Limits{KeepFor: f.Keep}})
	if err != nil {
		return nil, err
	}
	if err := store.Ready(ctx); err != nil && !errors.Is(err, context.Canceled) {
		logger.Warn().Err(err).Msg("Redis is not there; trying again until it is")
	}
	return store, nil
}
