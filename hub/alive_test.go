package hub_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringside-hub/ringside/hub"
	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/hub/wire"
)

func TestHelloTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startPiped(t, hub.Config{})
		x := s.rawConnect(t)
		began := time.Now()
		if code := x.closeCode(t); code != int(wire.CloseNoHello) {
			t.Fatalf("closed with %d", code)
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Fatalf("after %s", took)
		}
		_ = x.Close()
		must(t, s.stop())
	})
}

// The first message has to be hello.
func TestNothingBeforeHello(t *testing.T) {
	s := start(t, hub.Config{})
	for _, text := range []string{`{"type":"watch_runs"}`, `{"type":"nonsense"}`} {
		x := s.rawConnect(t)
		x.frame(t, 0x81, text)
		if code := x.closeCode(t); code != int(wire.CloseBadMessage) {
			t.Errorf("%s: closed with %d", text, code)
		}
	}
}

// A heartbeat message comes every five seconds, and one who answers no ping is
// gone after 30 s.
func TestHeartbeatAndPingTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startPiped(t, hub.Config{})
		x := s.rawConnect(t)
		began := time.Now()
		x.frame(t, 0x81, hello)
		beats, pings := 0, 0
		for {
			op, payload, err := x.read()
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
				break
			}
			must(t, err)
			switch {
			case op == 9:
				pings++
			case op == 1 && strings.HasPrefix(string(payload), `{"type":"heartbeat","t":`):
				beats++
				if want := time.Duration(beats) * 5 * time.Second; time.Since(began) != want {
					t.Errorf("heartbeat %d after %s", beats, time.Since(began))
				}
			}
		}
		if took := time.Since(began); beats != 5 || pings != 1 || took != 30*time.Second {
			t.Fatalf("%d heartbeats, %d pings, gone after %s", beats, pings, took)
		}
		if n := s.Stats().Silent.Load(); n != 1 {
			t.Fatalf("%d counted as silent", n)
		}
		must(t, s.stop())
	})
}

// One who answers stays.
func TestAnsweredPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startPiped(t, hub.Config{})
		x := s.rawConnect(t)
		began := time.Now()
		x.frame(t, 0x81, hello)
		for time.Since(began) < 10*time.Minute {
			op, payload, err := x.read()
			must(t, err)
			if op == 9 {
				x.frame(t, 0x8a, string(payload))
			}
		}
		_ = x.Close()
		must(t, s.stop())
	})
}

// A worker that is not heard is stale after eight seconds, and that is said once.
func TestStaleWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startPiped(t, hub.Config{Timing: hub.Timing{Heartbeat: time.Hour}})
		a := s.author(t, "r1", 33)
		p := s.connect(t, "")
		got := p.watch(t, "r1", nil)
		p.until(t, func() bool { return got.status.Worker != nil })
		if got.status.Worker.Stale || got.status.Store != "up" {
			t.Fatalf("status %+v %+v", got.status, got.status.Worker)
		}
		began := time.Now()
		p.until(t, func() bool { return got.status.Worker.Stale })
		if took := time.Since(began); took < 7*time.Second || took > 9*time.Second {
			t.Errorf("stale after %s", took)
		}
		must(t, a.Writer.Heartbeat(t.Context(), view.Summary{}))
		p.until(t, func() bool { return !got.status.Worker.Stale })
		must(t, a.Writer.Close(t.Context()))
		p.until(t, func() bool { return got.status.Worker.HeardMs == -1 })
		_ = p.ws.CloseNow()
		must(t, s.stop())
	})
}
