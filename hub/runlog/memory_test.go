package runlog_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemory(t *testing.T) {
	runlogtest.Run(t, func(t testing.TB) runlog.Store {
		s := runlog.NewMemory(runlog.MemoryConfig{RunEvents: runlogtest.KeepEvents})
		t.Cleanup(func() { s.Close() })
		return s
	})
}
