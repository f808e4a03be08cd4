package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	"github.com/ringside-hub/ringside/agent/pijson"
	"github.com/ringside-hub/ringside/agent/worker"
)

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

// tally counts what was read; it may be looked at while reading goes on.
// broken counts quarantined lines that were records.
type tally struct{ lines, skipped, quarantined, broken atomic.Int64 }

func (t *tally) add(rec *pijson.Record) {
	t.lines.Add(1)
	if rec.Skipped != "" {
		t.skipped.Add(1)
	}
	if rec.Quarantined != nil {
		t.quarantined.Add(1)
		if rec.Quarantined.Record {
			t.broken.Add(1)
		}
	}
}

// relay publishes one stream up to its end, or until ctx ends, which is an
// error. Lines that cannot be read are told and left out.
func relay(ctx context.Context, w *worker.Worker, in input, real bool, t *tally, say func(string, ...any)) error {
	reader := pijson.NewReader(in.r, pijson.Options{})
	stamps := pijson.NewLive(reader)
	if in.recorded {
		stamps = pijson.NewRecorded(reader)
	}
	pace := newPacer(1, real && in.recorded)
	for ctx.Err() == nil {
		rec, err := stamps.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			if _, named := errors.AsType[*fs.PathError](err); named {
				return err
			}
			return fmt.Errorf("read %s: %w", in.name, err)
		}
		t.add(&rec.Record)
		if rec.Quarantined != nil {
			switch n := t.quarantined.Load(); {
			case n <= maxTold:
				say("%s: %v", in.name, rec.Quarantined)
			case n == maxTold+1:
				say("further lines that cannot be read are only counted")
			}
			continue
		}
		if !pace.wait(ctx, rec.T) {
			break
		}
		for _, event := range rec.Events {
			w.Publish(rec.T, event)
		}
	}
	return errStopped
}

// maxTold bounds how many lines that cannot be read are told one by one.
const maxTold = 20

var errStopped = errors.New("stopped before the end of the input")
