package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringside-hub/ringside/cmd/hub/internal/term"
	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/hub/wire"
)

// unknownRetry is how long a run that does not exist yet is waited for, before it
// is asked for again.
const unknownRetry = 3 * time.Second

// unborn says that the hub does not know the run.
func unborn(err error) bool {
	refused, ok := errors.AsType[*wire.RefusedError](err)
	return ok && refused.Code == wire.CodeUnknownRun
}

// follow calls each with everything that happens to an observer, until ctx ends
// (which is no error), the hub refuses for good, each fails, or the run is over
// as --until-idle wants it.
func (c *watchCmd) follow(ctx context.Context, o *wire.Observer, each func(wire.Step) error) error {
	defer o.Close()
	for {
		step, err := o.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return c.left()
		case unborn(err) && c.Wait:
			step = wire.Step{Down: err, Retry: unknownRetry}
		case err != nil:
			return errors.New(term.Why(err))
		}
		if err := each(step); err != nil {
			return err
		}
		if err, over := c.over(o); over {
			return err
		}
		if unborn(err) && !pause(ctx, unknownRetry) {
			return c.left()
		}
	}
}

// json prints what the hub sends.
func (c *watchCmd) json(ctx context.Context, e env, client wire.ClientConfig) error {
	out := bufio.NewWriterSize(e.stdout, 64<<10)
	var line []byte
	var failed error
	client.Raw = func(data []byte) {
		line = append(term.SafeJSON(line[:0], data), '\n')
		if _, err := out.Write(line); err != nil && failed == nil {
			failed = err
		}
	}
	o, err := c.observer(c.ID, client)
	if err != nil {
		return err
	}
	err = c.follow(ctx, o, func(step wire.Step) error {
		if step.Down != nil {
			fmt.Fprintf(e.stderr, "hub watch: %s; trying again in %s\n", term.Safe(term.Why(step.Down)), step.Retry.Round(100*time.Millisecond))
		}
		if err := out.Flush(); err != nil {
			return fmt.Errorf("write: %w", err)
		}
		return failed
	})
	if flushed := out.Flush(); err == nil && flushed != nil {
		err = fmt.Errorf("write: %w", flushed)
	}
	return err
}

// lines prints a line for each thing that begins or ends.
func (c *watchCmd) lines(ctx context.Context, e env, client wire.ClientConfig) error {
	o, err := c.observer(c.ID, client)
	if err != nil {
		return err
	}
	l := term.NewLines(time.Local)
	return c.follow(ctx, o, func(step wire.Step) error {
		if _, err := fmt.Fprint(e.stdout, tell(l, o, step)); err != nil {
			return fmt.Errorf("write: %w", err)
		}
		return nil
	})
}

// tell says in lines what a step brought.
func tell(l *term.Lines, o *wire.Observer, step wire.Step) string {
	switch {
	case unborn(step.Down):
		return l.Note(time.Now(), "%s Asking again in %s.", term.Why(step.Down), step.Retry)
	case step.Down != nil:
		return l.Note(time.Now(), "no connection: %s; trying again in %s", term.Why(step.Down), step.Retry.Round(100*time.Millisecond))
	case step.Broken != nil:
		return l.Note(time.Now(), "the view differed from the hub's and is being replaced: %v", step.Broken)
	}
	switch m := step.Message.(type) {
	case wire.Welcome:
		return l.Note(time.Now(), "connected to %s", m.Node)
	case wire.Snapshot:
		return l.Snapshot(o.View().Clone(), m.Seq, string(m.Reason), time.Now())
	case wire.Events:
		return tellEvents(l, m.Events)
	case wire.Merged:
		return tellEvents(l, eventsOf(m))
	case wire.Status:
		if m.Worker != nil && m.Worker.Stale {
			return l.Note(time.Now(), "the worker was last heard %s ago", time.Duration(m.Worker.HeardMs)*time.Millisecond)
		}
	}
	return ""
}

func tellEvents[T ~[]byte](l *term.Lines, events []T) string {
	var out []byte
	for _, raw := range events {
		e, err := view.DecodeEvent(raw)
		if err != nil {
			continue // the observer has decoded it before: it is none
		}
		out = append(out, l.Event(&e)...)
	}
	return string(out)
}
