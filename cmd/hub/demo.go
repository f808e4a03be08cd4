package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"
)

type demoCmd struct {
	serveFlags
	storeFlags
	OnlyPublish bool `help:"Work into Redis, for hubs that run elsewhere."`
}

// demoStagger lies between the beginnings of two runs.
const demoStagger = 1500 * time.Millisecond

// Run serves a hub whose runs are agents at work, until it is told to stop. The
// models are played from scripts, everything else is real.
func (c *demoCmd) Run(ctx context.Context, e env, logger zerolog.Logger) error {
	if c.OnlyPublish && c.Redis == "" {
		return errors.New("--only-publish needs --redis")
	}
	if err := hideSecrets(); err != nil {
		return err
	}
	runs, err := readDemo()
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "ringside-demo-")
	if err != nil {
		return fmt.Errorf("a folder for the demo's workspaces: %w", err)
	}
	defer os.RemoveAll(temp)
	store, err := c.open(ctx, logger)
	if err != nil {
		return err
	}
	defer store.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	agents, working := errgroup.WithContext(ctx)
	work := func() {
		for i, r := range runs {
			s := demoStage{store: store, logger: logger, env: e, dir: workspaceOf(temp, r)}
			agents.Go(func() error { return s.play(working, r, time.Duration(i)*demoStagger) })
		}
	}
	if c.OnlyPublish {
		work()
		return agents.Wait()
	}
	err = c.serve(ctx, e, logger, store, func(url string) {
		for _, r := range runs {
			fmt.Fprintf(e.stdout, "  %-36s %s/r/%s\n", r.Title, url, r.ID)
		}
		fmt.Fprintln(e.stdout, "open it twice; Ctrl-C ends it")
		work()
	})
	cancel()
	return errors.Join(err, agents.Wait())
}
