package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/agent/worker"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

type publishCmd struct {
	Files []string `arg:"" optional:"" name:"file" help:"Recorded sessions (JSON lines), played one after the other; none, or -, reads standard input while it comes."`

	ID       string            `name:"run" help:"Id of the run: 1 to 64 of A-Z a-z 0-9 _ -. One is made up unless given." placeholder:"ID" env:"RINGSIDE_RUN"`
	To       string            `help:"Address of the hub; ${hub} unless given." placeholder:"URL" env:"RINGSIDE_HUB"`
	Title    string            `help:"Title of the run; the first prompt unless given." placeholder:"TEXT"`
	Label    map[string]string `help:"Labels of the run, as name=value." placeholder:"NAME=VALUE" mapsep:","`
	Takeover bool              `help:"Take the run from a publisher that still holds it."`
	Pace     string            `help:"How files are played: real (as fast as it happened) or max." enum:"real,max" default:"max"`
	Drain    time.Duration     `help:"How long to wait at the end for a hub or Redis that is away." default:"30s"`

	storeFlags
}

// Run relays the session and reports. It fails if something was lost, or if the
// run could not be had.
func (c *publishCmd) Run(ctx context.Context, e env, logger zerolog.Logger) error {
	if c.ID == "" {
		c.ID = strings.ToLower(rand.Text()[:10])
	}
	if err := runlog.CheckRunID(c.ID); err != nil {
		return fmt.Errorf("--run %q: %w", c.ID, err)
	}
	inputs, err := openInputs(c.Files, e.stdin)
	if err != nil {
		return err
	}
	defer closeInputs(inputs)
	store, what, err := c.target(ctx, logger)
	if err != nil {
		return err
	}
	defer store.Close()
	cfg := relayConfig(c.ID, e.environ)
	cfg.Store, cfg.Logger, cfg.Takeover = store, logger, c.Takeover
	cfg.Projector.Run.Title, cfg.Projector.Run.Labels = c.Title, c.Label
	if !anyLive(inputs) {
		cfg.MaxWait = -1 // files can wait: nothing need be lost
	}
	w, err := worker.New(cfg)
	if err != nil {
		return err
	}
	if c.Redis == "" || c.To != "" {
		fmt.Fprintf(e.stdout, "watch at %s/r/%s\n", strings.TrimRight(cmp.Or(c.To, defaultHub), "/"), c.ID)
	} else {
		fmt.Fprintf(e.stdout, "watch at /r/%s of any hub on this Redis\n", c.ID)
	}

	say := func(format string, args ...any) { fmt.Fprintf(e.stderr, "hub publish: "+format+"\n", args...) }
	stop := tellAway(w, what, say)
	var total tally
	err = c.finish(ctx, w, c.relayAll(ctx, w, inputs, &total, say))
	stop()
	s := w.Stats()
	fmt.Fprintf(e.stdout, "%d events published (%d merged), %d lost; %d lines read, %d skipped, %d quarantined\n",
		s.Acked, s.Merged, s.Lost+s.Buffered, total.lines.Load(), total.skipped.Load(), total.quarantined.Load())
	if n := total.broken.Load(); n > 0 {
		err = errors.Join(err, fmt.Errorf("%d lines were broken: what they said is lost", n))
	}
	return err
}

// target is where the run goes, and its name for people. With both --redis and
// --to the run goes to Redis, and --to is where it can be watched.
func (c *publishCmd) target(ctx context.Context, logger zerolog.Logger) (interface {
	worker.Store
	io.Closer
}, string, error) {
	if c.Redis != "" {
		store, err := c.openRedis(ctx, logger)
		return store, "Redis", err
	}
	to := cmp.Or(c.To, defaultHub)
	remote, err := wire.NewRemote(wire.RemoteConfig{BaseURL: to, Logger: logger})
	if err != nil {
		return nil, "", fmt.Errorf("--to: %w", err)
	}
	return remote, "the hub at " + to, nil
}

// grace is how long a relayed session may still say how it ends after this
// process was told to stop: in a pipeline both ends get the same Ctrl-C.
const grace = 10 * time.Second

// relayAll relays the inputs one after the other until their end, or until grace
// has passed after ctx ended (a second signal ends the process at once). An input
// that is still silent then is left behind: a read of a pipe cannot be called
// back. When the worker ends, what still comes is read and dropped: whoever
// writes into the pipe must not die of that.
func (c *publishCmd) relayAll(ctx context.Context, w *worker.Worker, inputs []input, total *tally, say func(string, ...any)) error {
	reading, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() {
		say("stopping: waiting up to %s for the end of the input", grace)
		time.AfterFunc(grace, stop)
	})()
	live := anyLive(inputs)
	done := make(chan error, 1)
	go func() {
		var err error
		for _, in := range inputs {
			err = errors.Join(err, relay(reading, w, in, c.Pace == "real", total, say))
		}
		done <- err
	}()
	ended := w.Done()
	for {
		select {
		case err := <-done:
			return err
		case <-ended:
			ended = nil
			if !live {
				return nil // finish says why
			}
			say("%v; what still comes is not published", w.Err())
		case <-reading.Done():
			return errStopped
		}
	}
}

// finish delivers what is still kept. Its error says what was lost or why the
// run could not be had, or else is readErr.
func (c *publishCmd) finish(ctx context.Context, w *worker.Worker, readErr error) error {
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.Drain)
	defer cancel()
	err := w.Close(drain)
	if held, ok := errors.AsType[*runlog.HeldError](err); ok {
		return fmt.Errorf("%w; --takeover takes it", held)
	}
	if err != nil {
		return err
	}
	return readErr
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

func anyLive(inputs []input) bool {
	for _, in := range inputs {
		if !in.recorded {
			return true
		}
	}
	return false
}

func closeInputs(inputs []input) {
	for _, in := range inputs {
		if c, ok := in.r.(io.Closer); ok && in.recorded {
			c.Close()
		}
	}
}
