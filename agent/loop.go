package agent

import (
	"context"
	"errors"
	"slices"
)

// sink takes a loop's events.
type sink interface {
	// publish puts the event into the one order of events. It does not wait
	// for anybody, and fails when the run does not take events any more.
	publish(Event) error
	// deliver returns when everybody who is waited for has seen the event.
	deliver(Event) error
	// awaited says whether deliver may have anything to wait for.
	awaited() bool
}

// loop is one run: turns until nothing is left to do. Its fields are owned by
// run, except that the calls of a batch read them while run waits for the batch.
type loop struct {
	opts    *Options // static
	ctx     context.Context
	sink    sink
	tracker *tracker // owns the goroutines of calls

	steering func() []Message
	followUp func() []Message

	model Model
	cur   Context
	added []Message // by this run
}

// start prepares a loop over a conversation. The queues are empty ones.
func newLoop(ctx context.Context, opts *Options, c Context, s sink, t *tracker) *loop {
	none := func() []Message { return nil }
	c.Messages = slices.Clip(c.Messages)
	return &loop{
		opts: opts, ctx: ctx, sink: s, tracker: t,
		steering: none, followUp: none, model: opts.Model, cur: c,
	}
}

// emit publishes an event and waits for the listeners.
func (l *loop) emit(ev Event) error {
	if err := l.sink.publish(ev); err != nil {
		return err
	}
	return l.sink.deliver(ev)
}

func (l *loop) emitAll(events ...Event) error {
	for _, ev := range events {
		if err := l.emit(ev); err != nil {
			return err
		}
	}
	return nil
}

func (l *loop) aborted() bool { return l.ctx.Err() != nil }

func (l *loop) now() int64 { return l.opts.Clock().UnixMilli() }

// run does the prompts, or goes on without one. An error is one that ends the
// run without an end of its own: AgentEnd was not emitted then.
func (l *loop) run(prompts []Message) error {
	if err := l.emitAll(AgentStart{}, TurnStart{}); err != nil {
		return err
	}
	if err := l.add(prompts); err != nil {
		return err
	}
	pending := l.steering()
	var last *Turn
	for {
		for more := true; more || len(pending) > 0; {
			if last != nil {
				prepared, err := l.nextTurn(*last)
				if err != nil {
					return err
				}
				if len(pending) == 0 { // preparing may have taken long
					pending = l.steering()
				}
				pending = append(prepared, pending...)
				if err := l.emit(TurnStart{}); err != nil {
					return err
				}
			}
			turn, goesOn, err := l.turn(pending)
			if err != nil {
				return err
			}
			if !goesOn {
				return l.emit(AgentEnd{Messages: slices.Clip(l.added)})
			}
			more = turn.more
			last, pending = &turn.Turn, l.steering()
		}
		if pending = l.followUp(); len(pending) == 0 {
			return l.emit(AgentEnd{Messages: slices.Clip(l.added)})
		}
	}
}

type finishedTurn struct {
	Turn
	more bool // its tools want another request
}

// turn delivers pending messages, makes one request and carries out its calls.
// It says whether the run may go on.
func (l *loop) turn(pending []Message) (t finishedTurn, goesOn bool, err error) {
	if err := l.add(pending); err != nil {
		return t, false, err
	}
	t.Message, err = l.answer()
	if err != nil {
		return t, false, err
	}
	l.remember(t.Message)
	if t.Message.StopReason == StopError || t.Message.StopReason == StopAborted {
		return t, false, l.emit(TurnEnd{Message: t.Message, ToolResults: []Message{}})
	}
	results, terminate, err := l.batch(t.Message)
	if err != nil {
		return t, false, err
	}
	l.remember(results...)
	t.ToolResults = results
	t.more = len(results) > 0 && !terminate
	if err := l.emit(TurnEnd{Message: t.Message, ToolResults: results}); err != nil {
		return t, false, err
	}
	t.Context, t.Added = l.context(), slices.Clip(l.added)
	stop, err := l.shouldStop(t.Turn)
	return t, !stop, err
}

// add delivers messages that come from outside.
func (l *loop) add(messages []Message) error {
	for _, m := range messages {
		if m.Timestamp == 0 {
			m.Timestamp = l.now()
		}
		if err := l.emitAll(MessageStart{Message: m}, MessageEnd{Message: m}); err != nil {
			return err
		}
		l.remember(m)
	}
	return nil
}

func (l *loop) remember(messages ...Message) {
	l.cur.Messages = append(l.cur.Messages, messages...)
	l.added = append(l.added, messages...)
}

// context is the context as hooks get it: appending to it harms nobody.
func (l *loop) context() Context {
	c := l.cur
	c.Messages = slices.Clip(c.Messages)
	return c
}

func (l *loop) shouldStop(t Turn) (stop bool, err error) {
	hook := l.opts.Hooks.ShouldStopAfterTurn
	if hook == nil {
		return false, nil
	}
	err = guard(l.opts.Report, "ShouldStopAfterTurn hook", func() (err error) {
		stop, err = hook(l.ctx, t)
		return err
	})
	return stop, err
}

// nextTurn lets the host change what the next turn works with. The messages it
// returns are the caller's to append to.
func (l *loop) nextTurn(last Turn) ([]Message, error) {
	hook := l.opts.Hooks.PrepareNextTurn
	if hook == nil {
		return nil, nil
	}
	var next NextTurn
	err := guard(l.opts.Report, "PrepareNextTurn hook", func() (err error) {
		next, err = hook(l.ctx, last)
		return err
	})
	if err != nil {
		return nil, err
	}
	if next.Context != nil {
		l.cur = *next.Context
		l.cur.Messages = slices.Clip(l.cur.Messages)
	}
	if next.Model != nil {
		l.model = next.Model
	}
	return slices.Clip(next.Messages), nil
}

// errRunOver is what late comers get: the run has ended without them.
var errRunOver = errors.New("agent: the run is over")
