package redis

import (
	"testing"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/redis/redistest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a store that the test closes.
func open(t testing.TB, cfg Config) *Store {
	t.Helper()
	if testing.Verbose() {
		cfg.Logger = zerolog.New(zerolog.NewTestWriter(t))
	}
	s, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestContract: each case has an empty Redis; one server serves all, as stores
// with different prefixes do not see each other.
func TestContract(t *testing.T) {
	server := redistest.Start(t)
	runlogtest.Run(t, func(t testing.TB) runlog.Store {
		server.FlushAll()
		return open(t, Config{URL: server.URL(), Limits: Limits{RunEvents: runlogtest.KeepEvents}})
	})
}
