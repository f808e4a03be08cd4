package redis

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// session is one connection of a link.
type session struct {
	// static after construction
	link *link
	ps   subscription
	ctx  context.Context
	stop context.CancelCauseFunc

	// probed is when the newest probe was published, heard when any was received
	// (Unix nanoseconds): a link that does not hear itself is on the wrong node.
	probed, heard atomic.Int64
}

// Why a session ends.
var (
	errSessionEnd = errors.New("connection lost")
	errUnneeded   = errors.New("nothing to follow any more")
	errUnheard    = errors.New("the link does not hear its own probe")
	errMoved      = errors.New("the subscription was ended by redis")
)

// session connects, subscribes and reads until something is wrong.
func (l *link) session() error {
	ctx, cancel := context.WithCancelCause(l.store.ctx)
	defer cancel(errSessionEnd)
	find, cancelFind := context.WithTimeout(ctx, l.store.cfg.Timeouts.Call)
	ps, err := l.store.subscription(find, l.probe)
	cancelFind()
	if err != nil {
		return fmt.Errorf("looking for the node: %w", err)
	}
	s := &session{link: l, ps: ps, ctx: ctx, stop: cancel}
	// Closing it is what ends a read that waits.
	closed := context.AfterFunc(ctx, func() { s.ps.Close() })
	defer func() {
		if closed() {
			s.ps.Close()
		}
	}()
	l.mu.Lock()
	l.stop = cancel
	l.mu.Unlock()
	if err := s.subscribe(); err != nil {
		return err
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel(errSessionEnd)
	wg.Go(func() { cancel(s.keep()) })
	err = s.read()
	if cause := context.Cause(ctx); cause != nil && l.store.ctx.Err() == nil {
		return cause // why it was closed
	}
	return err
}

// subscribe asks for the channels that are wanted.
func (s *session) subscribe() error {
	l := s.link
	for {
		l.mu.Lock()
		var names []string
		for _, c := range l.channels {
			if c.state == wanted && len(names) < subscribeMany {
				c.state = sent
				names = append(names, c.name)
			}
		}
		l.mu.Unlock()
		if len(names) == 0 {
			return nil
		}
		ctx, cancel := context.WithTimeout(s.ctx, l.store.cfg.Timeouts.Call)
		err := s.ps.subscribe(ctx, names...)
		cancel()
		if err != nil {
			return fmt.Errorf("subscribing: %w", err)
		}
	}
}

// read receives until an error. A timeout is one: pings make that something
// arrives all the time, and a read that was cut short cannot be gone on with.
func (s *session) read() error {
	for {
		got, err := s.ps.ReceiveTimeout(s.ctx, s.link.store.cfg.Timeouts.Link)
		if _, reply := errors.AsType[goredis.Error](err); reply && goredis.HasErrorPrefix(err, "MISCONF") {
			continue // Redis cannot write and refuses pings too, but it is there
		}
		if err != nil {
			return err
		}
		switch m := got.(type) {
		case *goredis.Subscription:
			if err := s.link.confirm(m); err != nil {
				return err
			}
		case *goredis.Message:
			if m.Channel == s.link.probe {
				s.heard.Store(time.Now().UnixNano())
			}
			s.link.dispatch(m)
		}
	}
}

// keep brings the link up, then pings, probes, and subscribes to what is wanted.
func (s *session) keep() error {
	l := s.link
	if err := s.comeUp(); err != nil {
		return err
	}
	tick := time.NewTicker(l.store.cfg.Timeouts.Link / 3) // so that a read never waits out its deadline
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		case <-l.kick:
			if err := s.subscribe(); err != nil {
				return err
			}
		case <-tick.C:
			if err := s.tick(); err != nil {
				return err
			}
		}
	}
}

// comeUp waits for every confirmation and then compares what is carried with
// the log: from here on nothing can be missed unnoticed.
func (s *session) comeUp() error {
	l := s.link
	ctx, cancel := context.WithTimeout(s.ctx, 2*l.store.cfg.Timeouts.Call)
	defer cancel()
	for {
		l.mu.Lock()
		missing, changed := 0, l.changed
		for _, c := range l.channels {
			if c.state == sent {
				missing++
			}
		}
		l.mu.Unlock()
		if missing == 0 {
			break
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%d subscriptions not confirmed: %w", missing, ctx.Err())
		}
	}
	if err := l.store.resync(ctx, l); err != nil {
		return err
	}
	l.setUp()
	// Some may have been asked for meanwhile.
	return s.subscribe()
}

// tick pings, probes and lets unused channels go.
func (s *session) tick() error {
	l := s.link
	ctx, cancel := context.WithTimeout(s.ctx, l.store.cfg.Timeouts.Call)
	defer cancel()
	if err := s.ps.Ping(ctx); err != nil {
		return fmt.Errorf("ping: %w", err)
	}
	if err := s.dropIdle(ctx); err != nil {
		return err
	}
	if !l.needed() {
		return errUnneeded
	}
	now := time.Now().UnixNano()
	probed, heard := s.probed.Load(), s.heard.Load()
	if heard < probed {
		if now-probed > int64(l.store.cfg.Timeouts.Link) {
			return errUnheard
		}
		return nil // wait for it
	}
	err := l.store.call(ctx, func(ctx context.Context) error {
		// Taken before: the answer may come sooner than the call returns.
		s.probed.Store(time.Now().UnixNano())
		return l.store.publish(ctx, l.probe, "")
	})
	if err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	return nil
}

// dropIdle unsubscribes from what nobody needs any more.
func (s *session) dropIdle(ctx context.Context) error {
	l := s.link
	now := time.Now()
	var names []string
	l.mu.Lock()
	for name, c := range l.channels {
		if c.state == confirmed && len(names) < subscribeMany && c.idle(now) {
			delete(l.channels, name)
			names = append(names, name)
		}
	}
	l.mu.Unlock()
	if len(names) == 0 {
		return nil
	}
	if err := s.ps.unsubscribe(ctx, names...); err != nil {
		return fmt.Errorf("unsubscribing: %w", err)
	}
	return nil
}
