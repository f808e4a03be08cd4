package redis

import (
	"testing"
	"time"

	"github.com/ringside-hub/ringside/redis/redistest"
)

// moderate are timeouts for failovers, which take seconds by themselves.
var moderate = Timeouts{Dial: time.Second, Call: time.Second, Link: 2 * time.Second, Check: 500 * time.Millisecond}

// TestFault09SentinelMasterKilled: what the new master has of the log goes on;
// what it lacks is refilled.
func TestFault09SentinelMasterKilled(t *testing.T) {
	redistest.Slow(t)
	t.Parallel()
	r := redistest.StartSentinels(t)
	s := newStageAt(t, r.URL(), false, moderate)
	s.busy(t, func() {
		s.run(t, 500*time.Millisecond)
		old := r.Master()
		old.Kill()
		r.AwaitFailover(old)
		s.run(t, 3*time.Second)
	})
	s.noReset(t)
	s.noticed(t, s.hubs...)
}

// TestFault10SentinelZombieMaster: the old master holds its connections and says
// nothing, and comes back while another is master.
func TestFault10SentinelZombieMaster(t *testing.T) {
	redistest.Slow(t)
	t.Parallel()
	r := redistest.StartSentinels(t)
	s := newStageAt(t, r.URL(), false, moderate)
	s.busy(t, func() {
		s.run(t, 500*time.Millisecond)
		old := r.Master()
		old.Stop()
		r.AwaitFailover(old)
		s.run(t, 4*time.Second)
		old.Cont()
		s.run(t, 4*time.Second)
	})
	s.noReset(t)
	s.noticed(t, s.hubs...)
}

// TestFault11LaggingReplicaPromoted: the new master lacks what was acknowledged.
// The writer brings it again: the same events at the same positions.
func TestFault11LaggingReplicaPromoted(t *testing.T) {
	redistest.Slow(t)
	t.Parallel()
	r := redistest.StartSentinels(t)
	s := newStageAt(t, r.URL(), false, moderate)
	s.busy(t, func() {
		s.run(t, 500*time.Millisecond)
		old := r.Master()
		r.ShutReplicasOut(old)
		s.run(t, 500*time.Millisecond) // acknowledged, and on the old master only
		old.Kill()
		r.AwaitFailover(old)
		s.run(t, 3*time.Second)
		old.Restart() // and what only it had is thrown away
		s.run(t, 3*time.Second)
	})
	s.noReset(t)
	if s.writer.gaps == 0 {
		t.Error("the new master lacked nothing: the fault was not made")
	}
}
