package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/ringside-hub/ringside/agent/pijson"
	"github.com/ringside-hub/ringside/agent/projector"
	"github.com/ringside-hub/ringside/agent/worker"
)

// relayConfig is the worker of a relayed Pi session: what belongs to this
// machine is hidden before anything leaves it.
func relayConfig(run string, environ []string) worker.Config {
	home, _ := os.UserHomeDir() // without one there is nothing to hide
	cwd, _ := os.Getwd()
	return worker.Config{
		Run:   run,
		Owner: nodeName() + "/" + strconv.Itoa(os.Getpid()),
		Projector: projector.Config{
			Source:   "pi",
			Redactor: projector.NewRedactor(projector.RedactConfig{Home: home, Cwd: cwd, Environ: environ}),
		},
	}
}

// input is one stream of Pi's lines. A recorded one is played; a live one is
// relayed as it comes.
type input struct {
	name     string
	r        io.Reader
	recorded bool
}

func openInputs(files []string, stdin io.Reader) ([]input, error) {
	if len(files) == 0 {
		files = []string{"-"}
	}
	var inputs []input
	for _, name := range files {
		if name == "-" {
			inputs = append(inputs, input{"standard input", stdin, false})
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			closeInputs(inputs)
			return nil, err
		}
		inputs = append(inputs, input{name, f, true})
	}
	return inputs, nil
}

// tally counts what was read.
type tally struct {
	lines, skipped, quarantined int64
	err                         error
}

func (t *tally) add(o tally) {
	t.lines += o.lines
	t.skipped += o.skipped
	t.quarantined += o.quarantined
	t.err = errors.Join(t.err, o.err)
}

// relay publishes one stream up to its end, or until ctx ends. Lines that
// cannot be read are told and left out.
func relay(ctx context.Context, w *worker.Worker, in input, real bool, say func(string, ...any)) (t tally) {
	reader := pijson.NewReader(in.r, pijson.Options{})
	stamps := pijson.NewLive(reader)
	if in.recorded {
		stamps = pijson.NewRecorded(reader)
	}
	pace := newPacer(1, real && in.recorded)
	defer func() {
		s := reader.Stats()
		t.lines, t.skipped, t.quarantined = s.Lines, s.Skipped, s.Quarantined
	}()
	for ctx.Err() == nil {
		rec, err := stamps.Next()
		if errors.Is(err, io.EOF) {
			return t
		}
		if err != nil {
			t.err = fmt.Errorf("read %s: %w", in.name, err)
			return t
		}
		if rec.Quarantined != nil {
			say("%s: %v", in.name, rec.Quarantined)
			continue
		}
		if !pace.wait(ctx, rec.T) {
			return t
		}
		for _, event := range rec.Events {
			w.Publish(rec.T, event)
		}
	}
	return t
}
