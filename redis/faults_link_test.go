package redis

import (
	"testing"
	"time"

	"github.com/ringside-hub/ringside/redis/redistest"
)

// TestHalfOpen: the way to Redis of one hub swallows everything for a while.
func TestHalfOpen(t *testing.T) {
	s := newStage(t, false)
	proxy := redistest.NewProxy(t, s.server.Addr())
	hub := open(t, Config{URL: proxy.URL(), Timeouts: quick})
	f := watch(s.ctx, t, hub, "run", s.ledger, false)
	s.followers = append(s.followers, f)
	s.busy(t, func() {
		s.run(t, 200*time.Millisecond)
		proxy.Stall()
		s.run(t, 4*quick.Link)
		proxy.Resume()
		s.run(t, time.Second)
	})
	s.noReset(t)
	s.noticed(t, hub)
}

// TestSlowLink: slowness alone loses nothing and is no outage.
func TestSlowLink(t *testing.T) {
	s := newStage(t, false)
	proxy := redistest.NewProxy(t, s.server.Addr())
	proxy.Slow(300, time.Millisecond)
	f := watch(s.ctx, t, open(t, Config{URL: proxy.URL()}), "run", s.ledger, false)
	s.followers = append(s.followers, f)
	s.busy(t, func() { s.run(t, time.Second); proxy.Slow(0, 0) })
}

// TestOutputBufferLimit: Redis throws a subscriber out that does not take its
// messages.
func TestOutputBufferLimit(t *testing.T) {
	s := newStage(t, false)
	s.server.Do("CONFIG", "SET", "client-output-buffer-limit", "pubsub 1mb 256kb 1")
	proxy := redistest.NewProxy(t, s.server.Addr())
	hub := open(t, Config{URL: proxy.URL(), Timeouts: Timeouts{Link: 20 * time.Second, Call: 20 * time.Second}})
	f := watch(s.ctx, t, hub, "run", s.ledger, false)
	s.followers = append(s.followers, f)
	proxy.Stall()
	big := make([]byte, 100<<10)
	for i := range big {
		big[i] = 'x'
	}
	channel := s.writer.writer.(*writer).keys.channel
	for s.server.Do("PUBSUB", "NUMSUB", channel) != "["+channel+" 2]" {
		must(t, s.writer.append(s.ctx, 1))
		s.server.Do("PUBLISH", hub.linkOf(0).probe, big)
	}
	proxy.Resume()
	s.end(t)
	s.noticed(t, hub)
}

// TestWrongNode: a subscription stays on a node that nobody publishes to any
// more, healthy as a connection. The link's own probe shows it.
func TestWrongNode(t *testing.T) {
	s := newStage(t, true)
	old := redistest.Start(t)
	proxy := redistest.NewProxy(t, old.Addr())
	hub := open(t, Config{URL: proxy.URL(), Timeouts: quick})
	must(t, hub.linkOf(0).await(s.ctx))
	proxy.Retarget(s.server.Addr())
	old.Do("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
	for hub.Stats().Links == 0 {
		s.run(t, 10*time.Millisecond)
	}
	must(t, hub.linkOf(0).await(s.ctx))
	s.followers = append(s.followers, watch(s.ctx, t, hub, "run", s.ledger, false))
	must(t, s.writer.append(s.ctx, 5))
	s.end(t)
}
