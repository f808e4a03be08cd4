package redis

import (
	"testing"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/redis/redistest"
)

// The contract is the same on every topology.

func TestContractSentinel(t *testing.T) {
	s := redistest.StartSentinels(t)
	runlogtest.Run(t, func(t testing.TB) runlog.Store {
		s.Master().FlushAll()
		return open(t, Config{URL: s.URL(), Limits: Limits{RunEvents: runlogtest.KeepEvents}})
	})
}

func TestContractCluster(t *testing.T) {
	c := redistest.StartCluster(t)
	runlogtest.Run(t, func(t testing.TB) runlog.Store {
		c.FlushAll()
		return open(t, Config{URL: c.URL(), Limits: Limits{RunEvents: runlogtest.KeepEvents}})
	})
}
