package hub

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/hub/wire"
)

const (
	headerTimeout = 5 * time.Second
	idleTimeout   = 60 * time.Second
	maxHeader     = 16 << 10
	// finishWait is how long requests in progress may take once all observers
	// are gone.
	finishWait = 2 * time.Second
	// comeBack is around when observers of a hub that stops should come back.
	comeBack = time.Second
)

// Serve serves on l until ctx ends, then stops gracefully: new requests are
// refused with 503, every observer is told bye with a time to come back, and
// those who do not go by themselves are cut off (Timing.Drain). It closes l, and
// returns nil once everything is out, at most about six seconds after ctx ended.
//
// Without keys a hub serves only this machine: another listener is refused.
func (h *Hub) Serve(ctx context.Context, l net.Listener) error {
	if err := CheckAddr(l.Addr()); err != nil {
		_ = l.Close()
		h.Close()
		return err
	}
	srv := &http.Server{
		Handler:           h.handler,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          log.New(serverLog{h.log}, "", 0),
		BaseContext:       func(net.Listener) context.Context { return h.life },
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
		failed <- err
	}
	h.drain()
	stop, cancel := context.WithTimeout(context.Background(), finishWait)
	defer cancel()
	if srv.Shutdown(stop) != nil {
		_ = srv.Close()
	}
	if e := <-failed; err == nil {
		err = e
	}
	h.Close()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("hub: serve: %w", err)
}

// CheckAddr says why a hub does not serve on an address: without keys only this
// machine is served.
func CheckAddr(a net.Addr) error {
	if isLoopback(a) {
		return nil
	}
	return fmt.Errorf("not serving on %s: without keys anybody there could watch and publish; listen on 127.0.0.1", a)
}

// drain sends all observers away and waits until they are out.
func (h *Hub) drain() {
	h.draining.Store(true)
	h.mu.Lock()
	h.stopped = true
	all := make([]*observer, 0, len(h.observers))
	for o := range h.observers {
		all = append(all, o)
	}
	h.mu.Unlock()
	for _, o := range all {
		o.leave(goodbyeFor(wire.CloseDraining, "", comeBack))
	}
	out := make(chan struct{})
	go func() {
		defer close(out)
		h.gone.Wait()
	}()
	cut := time.NewTimer(h.cfg.Timing.Drain)
	defer cut.Stop()
	select {
	case <-out:
		return
	case <-cut.C:
	}
	for _, o := range all {
		_ = o.conn.Conn.Close()
	}
	<-out
}

// Close ends everything at once: observers are sent away as by Serve, runs are
// let go of, remote writers are closed. It blocks until all is out; a second
// call does so too.
func (h *Hub) Close() {
	h.drain()
	h.writers.close()
	h.kill()
	h.wg.Wait()
}

// reserve takes a place for an observer; false if the hub is full or stopping.
func (h *Hub) reserve() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped || h.places >= h.cfg.Limits.Observers {
		return false
	}
	h.places++
	h.gone.Add(1)
	return true
}

func (h *Hub) unreserve() {
	h.mu.Lock()
	h.places--
	h.mu.Unlock()
	h.gone.Done()
}

// enter registers an observer that has a place and a connection.
func (h *Hub) enter(o *observer) {
	h.mu.Lock()
	h.observers[o] = struct{}{}
	late := h.stopped
	h.mu.Unlock()
	if late {
		o.leave(goodbyeFor(wire.CloseDraining, "", comeBack))
	}
}

func (h *Hub) exit(o *observer) {
	h.mu.Lock()
	delete(h.observers, o)
	h.mu.Unlock()
	h.unreserve()
}

// serverLog takes what net/http has to say: mostly about clients, so it is no
// more than a detail.
type serverLog struct{ log zerolog.Logger }

func (l serverLog) Write(p []byte) (int, error) {
	l.log.Debug().Str("detail", strings.TrimSpace(string(p))).Msg("http server")
	return len(p), nil
}

// closed notes why an observer goes.
func (h *Hub) closed(o *observer, f *farewell) {
	h.stats.Closed.Add(1)
	h.log.Debug().Str("observer", o.id).Str("peer", o.peer).Int("code", int(f.code)).
		Str("reason", strings.ToValidUTF8(f.reason, "\uFFFD")).Msg("observer left")
}
