package redis

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/redis/redistest"
)

func slotOf(c *redistest.Cluster, s *stage) int {
	return c.SlotOf(s.writer.store.names.run(s.writer.run).meta())
}

func TestFault12ClusterMasterKilled(t *testing.T) {
	redistest.Slow(t)
	t.Parallel()
	c := redistest.StartCluster(t)
	s := newStageAt(t, c.URL(), false, moderate)
	slot := slotOf(c, s)
	s.busy(t, func() {
		s.run(t, 500*time.Millisecond)
		old := c.MasterOf(slot)
		old.Kill()
		c.AwaitFailover(slot, old)
		s.run(t, 3*time.Second)
	})
	s.noReset(t)
	s.noticed(t, s.hubs...)
}

// TestFault12ClusterMasterPaused: as a zombie; then it comes back as a replica.
func TestFault12ClusterMasterPaused(t *testing.T) {
	redistest.Slow(t)
	t.Parallel()
	c := redistest.StartCluster(t)
	s := newStageAt(t, c.URL(), false, moderate)
	slot := slotOf(c, s)
	s.busy(t, func() {
		s.run(t, 500*time.Millisecond)
		old := c.MasterOf(slot)
		old.Stop()
		c.AwaitFailover(slot, old)
		s.run(t, 3*time.Second)
		old.Cont()
		s.run(t, 3*time.Second)
	})
	s.noReset(t)
}

// TestFault13SlotMigrated: Redis ends the subscriptions and says so.
func TestFault13SlotMigrated(t *testing.T) {
	redistest.Slow(t)
	t.Parallel()
	c := redistest.StartCluster(t)
	s := newStageAt(t, c.URL(), false, moderate)
	slot := slotOf(c, s)
	s.busy(t, func() {
		for range 3 {
			s.run(t, 500*time.Millisecond)
			c.Migrate(slot)
		}
		s.run(t, time.Second)
	})
	s.noReset(t)
	for _, h := range s.hubs {
		if h.Stats().Moved == 0 {
			t.Error("no subscription was ended by redis")
		}
	}
}

// TestFault14ManyChannels: all of a partition's channels are subscribed again
// after their connection was killed.
func TestFault14ManyChannels(t *testing.T) {
	redistest.Slow(t)
	t.Parallel()
	c := redistest.StartCluster(t)
	s := newStageAt(t, c.URL(), false, moderate)
	hub, p := s.hubs[0], partitionOf(s.writer.run)
	var writers []*stubborn
	var watchers []*watcher
	for i := 0; len(writers) < 100; i++ {
		run := fmt.Sprintf("run-%d", i)
		if partitionOf(run) != p {
			continue
		}
		w := newStubborn(t, s.writer.store, run, runlogtest.NewLedger())
		must(t, w.claim(s.ctx))
		writers = append(writers, w)
		watchers = append(watchers, watch(s.ctx, t, hub, run, w.ledger, false))
	}
	master := c.MasterOf(slotOf(c, s))
	for range 5 {
		master.Do("CLIENT", "KILL", "TYPE", "pubsub")
		for _, w := range writers {
			must(t, w.append(s.ctx, 1))
		}
	}
	for _, w := range writers {
		must(t, w.end(s.ctx))
	}
	for i, w := range watchers {
		w.wait(t, writers[i])
		if w.Resets[runlog.ReasonJoin] != 1 || len(w.Resets) != 1 {
			t.Errorf("%s: resets %v", writers[i].run, w.Resets)
		}
	}
	must(t, hub.linkOf(p).await(s.ctx, hub.names.run(writers[99].run).channel))
	s.end(t)
}

// TestUnneededLinksAreLetGo: a cluster's partition that nobody follows costs no
// connection.
func TestUnneededLinksAreLetGo(t *testing.T) {
	redistest.Slow(t)
	t.Parallel()
	c := redistest.StartCluster(t)
	s := newStageAt(t, c.URL(), false, moderate)
	s.end(t)
	hub := s.hubs[0]
	l := hub.linkOf(partitionOf(s.writer.run))
	for l.isUp() {
		s.run(t, 50*time.Millisecond)
	}
	must(t, hub.Ready(s.ctx))
	if got := c.MasterOf(slotOf(c, s)).Do("CLIENT", "LIST", "TYPE", "pubsub"); strings.Contains(got, "name=ringside") {
		t.Errorf("connections are left:\n%s", got)
	}
	late := watch(s.ctx, t, hub, "run", s.ledger, false)
	late.wait(t, s.writer)
	if n := hub.Stats().Links; n != 0 {
		t.Errorf("letting go was counted as %d losses", n)
	}
}
