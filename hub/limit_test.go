package hub_test

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringside-hub/ringside/hub"
	"github.com/ringside-hub/ringside/hub/wire"
)

func TestWatchesAreLimited(t *testing.T) {
	s := start(t, hub.Config{Limits: hub.Limits{Watches: 2}})
	p := s.connect(t, "")
	if p.welcome.Limits.Watches != 2 {
		t.Errorf("welcome %+v", p.welcome)
	}
	for _, run := range []string{"a", "b"} {
		a := s.author(t, run, 90)
		p.watch(t, run, nil)
		p.same(t, a)
	}
	s.author(t, "c", 91)
	must(t, p.say(t.Context(), wire.Watch{Run: "c"}))
	if e := await[wire.Error](t, p); e.Code != string(wire.CodeLimit) || e.Run != "c" {
		t.Fatalf("third watch: %+v", e)
	}
	must(t, p.say(t.Context(), wire.Unwatch{Run: "a"}))
	c := p.watch(t, "c", nil)
	p.until(t, func() bool { return len(c.snapshots) == 1 })
}

func TestConnectionsAreLimited(t *testing.T) {
	s := start(t, hub.Config{Limits: hub.Limits{Observers: 1}})
	first := s.connect(t, "")
	if _, err := s.tryConnect(t.Context(), ""); err == nil {
		t.Fatal("a second one came in")
	}
	_ = first.ws.CloseNow()
	for { // the place is free as soon as the hub has noticed
		if p, err := s.tryConnect(t.Context(), ""); err == nil {
			_ = p.ws.CloseNow()
			return
		}
	}
}

// Answers that are not read do not pile up.
func TestOutboxIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startPiped(t, hub.Config{Limits: hub.Limits{OutboxBytes: 1 << 10}})
		x := s.rawConnect(t)
		x.frame(t, 0x81, hello)
		for range 20 { // nobody reads: a pipe keeps nothing
			x.frame(t, 0x81, `{"type":"check","run":"nothing-like-that"}`)
		}
		synctest.Wait()
		if code := x.closeCode(t); code != int(wire.CloseTooSlow) {
			t.Fatalf("closed with %d", code)
		}
		_ = x.Close()
		must(t, s.stop())
	})
}

// A message that comes in drips is not waited for.
func TestMessageHasToEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startPiped(t, hub.Config{})
		x := s.rawConnect(t)
		x.frame(t, 0x81, hello)
		x.await(t, wire.TypeWelcome)
		var drip sync.WaitGroup
		drip.Go(func() {
			for _, b := range clientFrame(0x81, `{"type":"watch_runs"}`) {
				if _, err := x.Write([]byte{b}); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		})
		began := time.Now()
		if code := x.closeCode(t); code != int(wire.CloseBadMessage) {
			t.Fatalf("closed with %d", code)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("after %s", took)
		}
		_ = x.Close()
		drip.Wait()
		must(t, s.stop())
	})
}

// Half a request is cut off after five seconds.
func TestHeaderHasToEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startPiped(t, hub.Config{})
		c, err := s.dial(t.Context())
		must(t, err)
		_, err = c.Write([]byte("GET /ws HTTP/1.1\r\nHost: localhost\r\nUpg"))
		must(t, err)
		began := time.Now()
		if res, err := http.ReadResponse(newReader(c), nil); err == nil {
			_ = res.Body.Close()
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("after %s", took)
		}
		_ = c.Close()
		must(t, s.stop())
	})
}
