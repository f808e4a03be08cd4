package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// A link is one subscription connection and the channels it carries. The client
// library's own channel loses messages without a word and does not notice a dead
// peer; so a link reads by itself, with a deadline that pings keep from passing,
// and hears its own probe, which a connection to the wrong node does not. After
// any doubt it makes a new connection, and everything it carries is compared with
// the log before it counts as up.
type link struct {
	// static after construction
	store *Store
	group int
	probe string
	// onDemand: without a channel that somebody needs there is no connection.
	onDemand bool
	// kick wakes the keeper: a channel is wanted.
	kick chan struct{}

	// mu guards the rest.
	mu       sync.Mutex
	channels map[string]*channel
	up       bool
	// cause says why the last attempt to come up failed, nil if it did not, or
	// has not been made yet since the link was lost. said is set once that was logged.
	cause error
	said  bool
	// counted is set while the link is among the store's down ones.
	counted bool
	// changed is closed and replaced when up, cause or a channel's state changes.
	changed chan struct{}
	// stop ends the current session, nil without one.
	stop func(error)
}

type channelState int

const (
	wanted channelState = iota
	sent
	confirmed
)

// channel is one that a link carries.
type channel struct {
	name string
	// handle gets each message, in order, in the link's goroutine. It must not block.
	handle func(payload string)
	// linked is told when the link goes down, and when it is up again.
	linked func(up bool)
	// idle says whether nobody needs the channel any more; asked now and then.
	idle func(now time.Time) bool

	// state is guarded by the link's mu.
	state channelState
}

const (
	subscribeMany = 256
	// Waits between attempts to connect, doubling, with jitter.
	minBackoff = 50 * time.Millisecond
	maxBackoff = time.Second
)

func newLink(s *Store, group int, onDemand bool) *link {
	l := &link{
		store: s, group: group, probe: s.names.probe(group, rand.Text()), onDemand: onDemand,
		kick: make(chan struct{}, 1), channels: map[string]*channel{}, changed: make(chan struct{}),
	}
	l.channels[l.probe] = &channel{
		name: l.probe, handle: func(string) {}, linked: func(bool) {}, idle: func(time.Time) bool { return false },
	}
	return l
}

func (l *link) announceLocked() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// run keeps the link until the store is closed.
func (l *link) run() {
	wait := minBackoff
	for l.waitUntilNeeded() {
		began := time.Now()
		err := l.session()
		if errors.Is(err, errUnneeded) {
			l.setDormant()
			continue
		}
		wasUp := l.setDown(err)
		if l.store.ctx.Err() != nil {
			return
		}
		l.store.doubt(l.store.ctx)
		if wasUp || time.Since(began) > maxBackoff {
			wait = minBackoff
		}
		l.store.sleep(l.store.ctx, wait/2+mathrand.N(wait))
		wait = min(2*wait, maxBackoff)
	}
}

// needed says whether the link carries anything but its own probe, or is to be
// there all the time.
func (l *link) needed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.onDemand || len(l.channels) > 1
}

// waitUntilNeeded is false when the store is closed.
func (l *link) waitUntilNeeded() bool {
	for l.store.ctx.Err() == nil && !l.needed() {
		select {
		case <-l.kick:
		case <-l.store.ctx.Done():
		}
	}
	return l.store.ctx.Err() == nil
}

// setDormant notes that the link was let go, which is not a loss.
func (l *link) setDormant() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.up, l.cause, l.said, l.stop = false, nil, false, nil
	for _, c := range l.channels {
		c.state = wanted
	}
	l.announceLocked()
}

// carry adds a channel if there is none of that name yet.
func (l *link) carry(c *channel) {
	l.mu.Lock()
	if l.channels[c.name] == nil {
		l.channels[c.name] = c
	}
	l.mu.Unlock()
	select {
	case l.kick <- struct{}{}:
	default:
	}
}

// await waits until the link is up and carries the channels. It fails at once
// while Redis is known to be away: where coming up again has failed, not where a
// connection was just lost.
func (l *link) await(ctx context.Context, names ...string) error {
	for {
		l.mu.Lock()
		ready := l.up
		for _, n := range names {
			c := l.channels[n]
			ready = ready && c != nil && c.state == confirmed
		}
		changed, cause := l.changed, l.cause
		l.mu.Unlock()
		switch {
		case ready:
			return nil
		case cause != nil:
			return fmt.Errorf("%w: redis: %w", runlog.ErrUnavailable, cause)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-l.store.ctx.Done():
			return runlog.ErrClosed
		}
	}
}

// isUp says whether the link is up.
func (l *link) isUp() bool {
	up, _ := l.state()
	return up
}

// state says whether the link is up and, if it is known, why not.
func (l *link) state() (up bool, cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up, l.cause
}

// restart makes the link doubt its connection.
func (l *link) restart(cause error) {
	l.mu.Lock()
	stop := l.stop
	l.mu.Unlock()
	if stop != nil {
		stop(cause)
	}
}

// setUp marks the link up and tells those it carries.
func (l *link) setUp() {
	l.mu.Lock()
	l.up, l.cause, l.said = true, nil, false
	back := l.counted && l.store.down.Add(-1) == 0
	l.counted = false
	l.announceLocked()
	carried := l.carriedLocked()
	l.mu.Unlock()
	for _, c := range carried {
		c.linked(true)
	}
	// A cluster has many links, which come and go together: one line is enough.
	level := zerolog.DebugLevel
	if back || !l.onDemand {
		level = zerolog.InfoLevel
	}
	l.store.log.WithLevel(level).Int("group", l.group).Int("channels", len(carried)).Msg("redis is up")
}

func (l *link) carriedLocked() []*channel {
	carried := make([]*channel, 0, len(l.channels))
	for _, c := range l.channels {
		carried = append(carried, c)
	}
	return carried
}

// setDown marks the link down, says so once, and tells those it carries.
func (l *link) setDown(cause error) (wasUp bool) {
	l.mu.Lock()
	wasUp = l.up
	first := !l.said
	level := zerolog.DebugLevel
	if !l.counted && l.store.ctx.Err() == nil {
		l.counted = true
		if l.store.down.Add(1) == 1 {
			level = zerolog.WarnLevel
		}
	}
	l.up, l.cause, l.said, l.stop = false, cause, true, nil
	if wasUp {
		l.cause = nil
	}
	for _, c := range l.channels {
		c.state = wanted
	}
	l.announceLocked()
	carried := l.carriedLocked()
	l.mu.Unlock()
	if l.store.ctx.Err() != nil {
		return wasUp
	}
	if wasUp {
		l.store.stats.lost(cause)
		for _, c := range carried {
			c.linked(false)
		}
	}
	if first {
		l.store.log.WithLevel(level).Err(cause).Int("group", l.group).Msg("redis is away, trying again")
	}
	return wasUp
}

// lost counts a link that was up.
func (c *counters) lost(cause error) {
	c.links.Add(1)
	switch {
	case errors.Is(cause, errUnheard):
		c.unheard.Add(1)
	case errors.Is(cause, os.ErrDeadlineExceeded):
		c.silent.Add(1)
	case errors.Is(cause, errMoved):
		c.moved.Add(1)
	}
}

// confirm notes what Redis says about a subscription.
func (l *link) confirm(m *goredis.Subscription) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.channels[m.Channel]
	switch m.Kind {
	case "subscribe", "ssubscribe":
		if c != nil && c.state == sent {
			c.state = confirmed
			l.announceLocked()
		}
	default:
		// One that was not asked for: the channel has moved to another node.
		if c != nil && c.state == confirmed {
			return errMoved
		}
	}
	return nil
}

// dispatch gives a message to its channel.
func (l *link) dispatch(m *goredis.Message) {
	l.mu.Lock()
	c := l.channels[m.Channel]
	l.mu.Unlock()
	if c != nil {
		c.handle(m.Payload)
	}
}
