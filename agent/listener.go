package agent

import (
	"context"
	"slices"
	"sync/atomic"
)

// Listener sees the events of an agent. ctx is the run's. The run waits until
// it returns; an error (or a panic) ends the run.
type Listener func(ctx context.Context, ev Event) error

type subscription struct {
	listener Listener
	gone     atomic.Bool
}

// Subscribe adds a listener behind those that are there. The returned function
// removes it again: it will not be called for further events, but calls under
// way are not waited for.
func (a *Agent) Subscribe(l Listener) (unsubscribe func()) {
	s := &subscription{listener: l}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.listeners = append(slices.Clip(a.listeners), s)
	return func() {
		s.gone.Store(true)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.listeners = slices.DeleteFunc(slices.Clone(a.listeners), func(each *subscription) bool { return each == s })
	}
}

// runSink is the way into the agent for what one part of a run has to say: its
// loop, or the ending of a run that failed. A run takes events from one of its
// sinks at a time; those before have been cut off.
type runSink struct {
	agent *Agent
	run   *activeRun
	part  int
}

func (s *runSink) publish(ev Event) error {
	a := s.agent
	a.order.Lock()
	defer a.order.Unlock()
	a.mu.Lock()
	if a.run != s.run || s.run.part != s.part {
		a.mu.Unlock()
		return errRunOver
	}
	a.reduceLocked(ev)
	a.mu.Unlock()
	a.observe(ev)
	return nil
}

func (s *runSink) deliver(ev Event) error {
	for _, l := range s.agent.subscriptions() {
		if l.gone.Load() {
			continue
		}
		err := guard(s.agent.opts.Report, "listener", func() error { return l.listener(s.run.ctx, ev) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *runSink) awaited() bool { return len(s.agent.subscriptions()) > 0 }

// subscriptions returns a list that is never changed.
func (a *Agent) subscriptions() []*subscription {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.listeners
}

// Notify tells the observer something that the run itself does not say, such as
// that the model tries again. It takes its place in the order of events; the
// listeners do not see it.
func (a *Agent) Notify(n Notice) {
	a.order.Lock()
	defer a.order.Unlock()
	a.observe(n)
}

// observe hands an event to the observer. The caller holds order.
func (a *Agent) observe(ev Event) {
	if a.opts.Observe == nil {
		return
	}
	// The observer is told, not asked: its panic is reported and goes no further.
	_ = guard(a.opts.Report, "Observe", func() error {
		a.opts.Observe(ev)
		return nil
	})
}
