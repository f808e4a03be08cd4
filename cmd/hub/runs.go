package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/cmd/hub/internal/term"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

type runsCmd struct {
	hubFlags

	JSON bool `help:"Print each run's summary as JSON, one a line." name:"json"`
}

// Run lists the runs as they are now.
func (c *runsCmd) Run(ctx context.Context, e env, logger zerolog.Logger) error {
	client, err := c.client(e, logger)
	if err != nil {
		return err
	}
	remote, err := wire.NewRemote(wire.RemoteConfig{BaseURL: c.Hub, Token: client.Token, Logger: logger})
	if err != nil {
		return fmt.Errorf("--hub: %w", err)
	}
	defer remote.Close()
	runs, err := remote.Runs(ctx)
	if err != nil {
		return fmt.Errorf("%s: %s", term.Safe(c.Hub), term.Why(err))
	}
	term.SortRuns(runs)
	if !c.JSON {
		_, err := fmt.Fprint(e.stdout, term.RunsTable(runs, time.Now(), time.Local))
		return err
	}
	for _, r := range runs {
		data, err := json.Marshal(r, json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("encode run %s: %w", r.Run, err)
		}
		if _, err := fmt.Fprintf(e.stdout, "%s\n", term.SafeJSON(nil, data)); err != nil {
			return err
		}
	}
	return nil
}

// eachRuns calls each with every message about the list of runs, over one
// connection, and connected once there is one.
func eachRuns(ctx context.Context, hub string, c wire.ClientConfig, connected func(), each func(wire.Runs) error) error {
	client, err := wire.Dial(ctx, hub, c)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := client.WatchRuns(ctx); err != nil {
		return err
	}
	connected()
	for {
		m, err := client.Next(ctx)
		if _, bad := errors.AsType[*wire.MessageError](err); bad {
			continue // of a newer hub, perhaps
		}
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case wire.Runs:
			if err := each(m); err != nil {
				return err
			}
		case wire.Error:
			if m.Re == wire.TypeWatchRuns {
				return fmt.Errorf("the hub does not list its runs: %s", term.Safe(m.Message))
			}
		}
	}
}

// list feeds a list of runs until ctx ends or the hub refuses for good.
func (f *feed) list(ctx context.Context, hub string, c wire.ClientConfig) {
	var backoff wire.Backoff
	for ctx.Err() == nil {
		err := eachRuns(ctx, hub, c,
			func() { backoff.Reset(); f.change(func() { f.link = term.Connected{} }) },
			func(m wire.Runs) error { f.change(func() { f.addRuns(m) }); return nil })
		if ctx.Err() != nil {
			return
		}
		closed, ok := errors.AsType[*wire.CloseError](err)
		if ok && !closed.Reconnect() || !ok && !errors.Is(err, runlog.ErrUnavailable) {
			f.change(func() { f.link = term.Ended{Why: term.Why(err)} })
			return
		}
		var least time.Duration
		if ok {
			least = closed.RetryAfter
		}
		wait := backoff.Next(least)
		f.change(func() { f.link = term.Lost{Why: term.Why(err), RetryAt: time.Now().Add(wait)} })
		pause(ctx, wait)
	}
}

// addRuns joins a change of the list to those that were not taken yet.
func (f *feed) addRuns(m wire.Runs) {
	if f.runs == nil || m.Full {
		f.runs = &m
		return
	}
	changed := map[string]runlog.RunSummary{}
	var order []string
	for _, r := range slices.Concat(f.runs.Runs, m.Runs) {
		if _, ok := changed[r.Run]; !ok {
			order = append(order, r.Run)
		}
		changed[r.Run] = r
	}
	gone := map[string]bool{}
	for _, id := range f.runs.Gone {
		gone[id] = true
	}
	for _, r := range m.Runs {
		delete(gone, r.Run)
	}
	for _, id := range m.Gone {
		gone[id] = true
		delete(changed, id)
	}
	joined := wire.Runs{Full: f.runs.Full}
	for _, id := range order {
		if r, ok := changed[id]; ok {
			joined.Runs = append(joined.Runs, r)
		}
	}
	for id := range gone {
		joined.Gone = append(joined.Gone, id)
	}
	f.runs = &joined
}
