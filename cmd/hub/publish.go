package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/agent/worker"
)

type publishCmd struct {
	Files []string `arg:"" optional:"" name:"file" help:"Recorded sessions (JSON lines), played one after the other; none, or -, reads standard input while it comes."`

	Pace string `help:"How files are played: real (as fast as it happened) or max." enum:"real,max" default:"max"`

	runFlags
}

// Run relays the session and reports. It fails if something was lost, or if the
// run could not be had.
func (c *publishCmd) Run(ctx context.Context, e env, logger zerolog.Logger) error {
	if err := c.name(); err != nil {
		return err
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
	cwd, _ := os.Getwd() // without one there is nothing to hide
	cfg := c.config(store, logger, cwd, e.environ)
	cfg.Projector.Source = "pi"
	if !anyLive(inputs) {
		cfg.MaxWait = -1 // files can wait: nothing need be lost
	}
	w, err := worker.New(cfg)
	if err != nil {
		return err
	}
	fmt.Fprintln(e.stdout, c.link())

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
	if err != nil {
		return explain(err)
	}
	return readErr
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
