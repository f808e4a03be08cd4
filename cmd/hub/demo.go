package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/pijson"
	"github.com/ringside-hub/ringside/agent/projector"
	"github.com/ringside-hub/ringside/agent/worker"
	"github.com/ringside-hub/ringside/hub/runlog"
)

// sessions are streams recorded from the real Pi CLI (1.6.0).
//
//go:embed sessions/*.jsonl
var sessions embed.FS

type demoCmd struct {
	serveFlags
	storeFlags
	OnlyPublish bool `help:"Play the runs into Redis, for hubs that run elsewhere."`
}

// demoRuns are the runs of the demonstration: each plays its sessions over and
// over, as prompts of one run.
var demoRuns = []struct {
	id, title string
	sessions  []string
}{
	{"overview", "Overview of a repository", []string{"parallel", "length"}},
	{"long-output", "Long output, colours and bytes", []string{"bigout", "parallel"}},
	{"trouble", "A provider that fails now and then", []string{"length", "error", "parallel", "error"}},
}

const (
	// demoSpeed slows the recordings down to what a person can follow: a scripted
	// model answered them much faster than a real one would.
	demoSpeed = 0.25
	// demoPause lies between two prompts of a run.
	demoPause = 4 * time.Second
	// demoViewBytes keeps the demo's views small: older prompts are forgotten.
	demoViewBytes = 256 << 10
)

// Run serves a hub with its own runs until it is told to stop.
func (c *demoCmd) Run(ctx context.Context, e env, logger zerolog.Logger) error {
	if c.OnlyPublish && c.Redis == "" {
		return errors.New("--only-publish needs --redis")
	}
	store, err := c.open(ctx, logger)
	if err != nil {
		return err
	}
	defer store.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	players, playing := errgroup.WithContext(ctx)
	play := func() {
		for i, r := range demoRuns {
			players.Go(func() error {
				return playDemo(playing, store, logger, r.id, r.title, r.sessions, time.Duration(i)*time.Second)
			})
		}
	}
	if c.OnlyPublish {
		play()
		return players.Wait()
	}
	err = c.serve(ctx, e, logger, store, func(url string) {
		for _, r := range demoRuns {
			fmt.Fprintf(e.stdout, "  %-36s %s/r/%s\n", r.title, url, r.id)
		}
		fmt.Fprintln(e.stdout, "open it twice; Ctrl-C ends it")
		play()
	})
	cancel()
	return errors.Join(err, players.Wait())
}

// playDemo plays the sessions of one run until ctx ends.
func playDemo(ctx context.Context, store runlog.Store, logger zerolog.Logger, id, title string, names []string, delay time.Duration) error {
	cfg := relayConfig(id, nil)
	cfg.Store, cfg.Logger, cfg.TrimViewBytes = store, logger, demoViewBytes
	cfg.Projector.Run.Title = title
	// The recordings' own home and folder.
	cfg.Projector.Redactor = projector.NewRedactor(projector.RedactConfig{Home: "/home/dev", Cwd: "/home/dev/demo"})
	w, err := worker.New(cfg)
	if err != nil {
		return err
	}
	for i := 0; err == nil && pause(ctx, delay); i++ {
		err = playSession(ctx, w, names[i%len(names)])
		delay = demoPause
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	return errors.Join(err, w.Close(closing))
}

// playSession plays one recording at human pace, as if it happened now.
func playSession(ctx context.Context, w *worker.Worker, name string) error {
	data, err := sessions.ReadFile("sessions/" + name + ".jsonl")
	if err != nil {
		return err
	}
	stamps := pijson.NewRecorded(pijson.NewReader(bytes.NewReader(data), pijson.Options{}))
	pace := newPacer(demoSpeed, true)
	for {
		rec, err := stamps.Next()
		if err != nil || !pace.wait(ctx, rec.T) {
			return nil // the recording is over, or the demo
		}
		for _, event := range rec.Events {
			if end, ok := event.(agent.ToolExecutionEnd); ok && end.DurationMs != nil {
				end.DurationMs = new(int64(float64(*end.DurationMs) / demoSpeed))
				event = end
			}
			w.Publish(time.Now().UnixMilli(), event)
		}
	}
}

// pause waits for d. It returns false if ctx ended.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
