package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/agent/projector"
	"github.com/ringside-hub/ringside/agent/worker"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

// runFlags say which run a worker writes, and where.
type runFlags struct {
	ID       string            `name:"run" help:"Id of the run: 1 to 64 of A-Z a-z 0-9 _ -. One is made up unless given." placeholder:"ID" env:"RINGSIDE_RUN"`
	To       string            `help:"Address of the hub; ${hub} unless given." placeholder:"URL" env:"RINGSIDE_HUB"`
	Title    string            `help:"Title of the run; the first prompt unless given." placeholder:"TEXT"`
	Label    map[string]string `help:"Labels of the run, as name=value." placeholder:"NAME=VALUE" mapsep:","`
	Takeover bool              `help:"Take the run from a worker that still holds it."`
	Drain    time.Duration     `help:"How long to wait at the end for a hub or Redis that is away." default:"30s"`

	storeFlags
}

// name checks the id of the run, or makes one up.
func (f *runFlags) name() error {
	if f.ID == "" {
		f.ID = strings.ToLower(rand.Text()[:10])
	}
	if err := runlog.CheckRunID(f.ID); err != nil {
		return fmt.Errorf("--run %q: %w", f.ID, err)
	}
	return nil
}

// store is where a run goes.
type store interface {
	worker.Store
	io.Closer
}

// target opens where the run goes, and gives its name for people. With both
// --redis and --to the run goes to Redis, and --to is where it can be watched.
func (f *runFlags) target(ctx context.Context, logger zerolog.Logger) (store, string, error) {
	if f.Redis != "" {
		s, err := f.openRedis(ctx, logger)
		return s, "Redis", err
	}
	to := cmp.Or(f.To, defaultHub)
	remote, err := wire.NewRemote(wire.RemoteConfig{BaseURL: to, Logger: logger})
	if err != nil {
		return nil, "", fmt.Errorf("--to: %w", err)
	}
	return remote, "the hub at " + to, nil
}

// link says where people watch the run.
func (f *runFlags) link() string {
	if f.Redis == "" || f.To != "" {
		return fmt.Sprintf("watch at %s/r/%s", strings.TrimRight(cmp.Or(f.To, defaultHub), "/"), f.ID)
	}
	return fmt.Sprintf("watch at /r/%s of any hub on this Redis", f.ID)
}

// config is the worker of the run, which belongs to the folder cwd.
func (f *runFlags) config(s worker.Store, logger zerolog.Logger, cwd string, environ []string) worker.Config {
	cfg := workerConfig(f.ID, cwd, environ)
	cfg.Store, cfg.Logger, cfg.Takeover = s, logger, f.Takeover
	cfg.Projector.Run.Title, cfg.Projector.Run.Labels = f.Title, f.Label
	return cfg
}

// workerConfig is the worker of a run: what belongs to this machine and to the
// folder that is worked in is hidden before anything leaves it.
func workerConfig(run, cwd string, environ []string) worker.Config {
	home, _ := os.UserHomeDir() // without one there is nothing to hide
	return worker.Config{
		Run:   run,
		Owner: hostName() + "/" + strconv.Itoa(os.Getpid()),
		Projector: projector.Config{
			Redactor: projector.NewRedactor(projector.RedactConfig{Home: home, Cwd: cwd, Environ: environ}),
		},
	}
}

// explain adds to the error of a worker what can be done about it.
func explain(err error) error {
	if held, ok := errors.AsType[*runlog.HeldError](err); ok {
		return fmt.Errorf("%w; --takeover takes it", held)
	}
	return err
}

// tellAway says when the hub (or Redis) cannot be reached, and when it is back. The
// returned function ends it.
func tellAway(w *worker.Worker, what string, say func(string, ...any)) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(250 * time.Millisecond)
		defer tick.Stop()
		away := false
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
			}
			s := w.Stats()
			switch {
			case !away && !s.AwaySince.IsZero() && time.Since(s.AwaySince) > time.Second:
				away = true
				say("%s is away (%v); events are kept, trying again", what, s.LastError)
			case away && s.AwaySince.IsZero():
				away = false
				say("%s is back; what was kept is on its way", what)
			}
		}
	}()
	return func() { close(quit); <-done }
}
