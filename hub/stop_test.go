package hub_test

import (
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/ringside-hub/ringside/hub"
	"github.com/ringside-hub/ringside/hub/wire"
)

// A hub that stops tells everybody to come back, and does not wait for those who
// do not go: everything is out in bounded time.
func TestGracefulStop(t *testing.T) {
	s := start(t, hub.Config{Timing: hub.Timing{Drain: time.Second}})
	a := s.author(t, "r1", 40)
	must(t, a.Append(t.Context(), 10))
	var peers []*peer
	for range 30 {
		p := s.connect(t, "")
		p.watch(t, "r1", nil)
		p.same(t, a)
		peers = append(peers, p)
	}
	for range 20 { // zombies: they neither read nor answer
		x := s.rawConnect(t)
		x.frame(t, 0x81, hello)
		x.await(t, wire.TypeWelcome)
		x.frame(t, 0x81, `{"type":"watch","run":"r1"}`)
	}
	var wg sync.WaitGroup
	for _, p := range peers {
		wg.Go(func() {
			var bye wire.Bye
			for {
				m, err := p.next(t.Context())
				if b, ok := m.(wire.Bye); ok {
					bye = b
				}
				if err == nil {
					continue
				}
				if code := websocket.CloseStatus(err); code != websocket.StatusServiceRestart {
					t.Errorf("closed with %v", err)
				}
				if bye.Code != int(wire.CloseDraining) || bye.RetryAfterMs <= 0 {
					t.Errorf("bye %+v", bye)
				}
				return
			}
		})
	}
	began := time.Now()
	must(t, s.stop())
	if took := time.Since(began); took > 6*time.Second {
		t.Errorf("stopping took %s", took)
	}
	wg.Wait()
	if n := s.Stats().Closed.Load(); n != 50 {
		t.Errorf("%d of 50 closed", n)
	}
}

// While a hub stops, a request is told to come back.
func TestRefusesWhileStopping(t *testing.T) {
	s := start(t, hub.Config{Timing: hub.Timing{Drain: time.Second}})
	x := s.rawConnect(t) // keeps the hub stopping for a moment
	x.frame(t, 0x81, hello)
	x.await(t, wire.TypeWelcome)
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop() }()
	for {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/readyz", nil)
		must(t, err)
		res, err := s.http.Do(req)
		if err != nil {
			break // it was quicker than we
		}
		_ = res.Body.Close()
		if res.StatusCode == http.StatusServiceUnavailable {
			if res.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
			break
		}
	}
	must(t, <-stopped)
}

// Without keys a hub serves nobody but this machine.
func TestServesOnlyLoopback(t *testing.T) {
	l, err := net.Listen("tcp", "0.0.0.0:0")
	must(t, err)
	store := newStore(t)
	h, err := hub.New(hub.Config{Store: store})
	must(t, err)
	err = h.Serve(t.Context(), l)
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "\n") {
		t.Fatalf("served on %s: %v", l.Addr(), err)
	}
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("the listener is still open")
	}
}

func TestConfigIsChecked(t *testing.T) {
	store := newStore(t)
	for name, cfg := range map[string]hub.Config{
		"no store":     {},
		"host w. port": {Store: store, AllowedHosts: []string{"example.com:80"}},
		"bare origin":  {Store: store, AllowedOrigins: []string{"example.com"}},
		"origin+path":  {Store: store, AllowedOrigins: []string{"https://example.com/x"}},
	} {
		if h, err := hub.New(cfg); err == nil {
			h.Close()
			t.Errorf("%s: accepted", name)
		}
	}
}

// Close ends a hub that was never served, twice.
func TestCloseTwice(t *testing.T) {
	h, err := hub.New(hub.Config{Store: newStore(t)})
	must(t, err)
	h.Close()
	h.Close()
}
