package agent

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
)

// Loop is the low-level loop: one run over Options.Messages and the prompts, as
// a stream of events. It keeps no state and has no queues and no listeners. The
// loop does not wait for its reader: events that have not been read are kept,
// all of them if need be. The last event is AgentEnd, or there is an error: bad
// options, or a hook or the request failed. Without prompts it continues from
// the messages.
//
// The end of ctx aborts the run. A reader that stops early ends it, too, and
// gets control back when all calls have returned.
func Loop(ctx context.Context, o Options, prompts ...Message) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(errRunOver)
		l, s, err := startable(ctx, o, prompts)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() {
			cancel(errRunOver)
			_ = l.tracker.wait(context.WithoutCancel(ctx))
		}()
		l.tracker.start(task{kind: "run"}, func() {
			err := errGone
			defer func() { s.end(err) }()
			err = l.run(prompts)
		})
		for ev, err := range s.all() {
			if !yield(ev, err) {
				cancel(ErrAborted)
				return
			}
		}
	}
}

func startable(ctx context.Context, o Options, prompts []Message) (*loop, *queueSink, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, nil, err
	}
	tools, err := NewToolset(o.Tools...)
	if err != nil {
		return nil, nil, err
	}
	if n := len(o.Messages); len(prompts) == 0 && (n == 0 || o.Messages[n-1].Role == RoleAssistant) {
		return nil, nil, errors.New("agent: nothing to continue from: no prompt, and no message that waits for an answer")
	}
	s := newQueueSink()
	c := Context{System: o.System, Messages: slices.Clone(o.Messages), Tools: tools}
	return newLoop(ctx, &o, c, s, &tracker{}), s, nil
}

// queueSink keeps events until they are read.
type queueSink struct {
	more *sync.Cond // of mu: something below changed

	mu     sync.Mutex
	events []Event
	ended  bool
	err    error
}

func newQueueSink() *queueSink {
	s := &queueSink{}
	s.more = sync.NewCond(&s.mu)
	return s
}

func (s *queueSink) publish(ev Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return errRunOver
	}
	s.events = append(s.events, ev)
	s.more.Broadcast()
	return nil
}

func (s *queueSink) deliver(Event) error { return nil }

func (s *queueSink) awaited() bool { return false }

func (s *queueSink) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended, s.err = true, err
	s.more.Broadcast()
}

// all yields the events as they come, and the error at the end.
func (s *queueSink) all() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			batch, err, ended := s.next()
			for _, ev := range batch {
				if !yield(ev, nil) {
					return
				}
			}
			if ended {
				if err != nil {
					yield(nil, err)
				}
				return
			}
		}
	}
}

// next waits for events, or for the end, which comes after all events.
func (s *queueSink) next() (batch []Event, err error, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.events) == 0 && !s.ended {
		s.more.Wait()
	}
	batch, s.events = s.events, nil
	return batch, s.err, s.ended && len(batch) == 0
}
