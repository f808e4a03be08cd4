package hub_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/ringside-hub/ringside/hub"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
)

// server is a hub that serves on a listener of its own until the test ends.
type server struct {
	*hub.Hub
	Store runlog.Store
	URL   string // http://…
	http  *http.Client
	dial  func(ctx context.Context) (net.Conn, error)
	// receive, where set, is the receive buffer of connections made from now on.
	receive int
	stop    func() error // stops gracefully, once
}

// start starts a hub over TCP.
func start(t testing.TB, cfg hub.Config) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var s *server
	s = startOn(t, cfg, l, func(ctx context.Context) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
		if err == nil && s.receive > 0 {
			err = c.(*net.TCPConn).SetReadBuffer(s.receive)
		}
		return c, err
	}, l.Addr().String())
	return s
}

func startOn(t testing.TB, cfg hub.Config, l net.Listener, dial func(context.Context) (net.Conn, error), host string) *server {
	t.Helper()
	if cfg.Store == nil {
		cfg.Store = newStore(t)
	}
	h, err := hub.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- h.Serve(ctx, l) }()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }}
	s := &server{
		Hub: h, Store: cfg.Store, URL: "http://" + host, dial: dial, http: &http.Client{Transport: transport},
		stop: sync.OnceValue(func() error {
			cancel()
			return <-served
		}),
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := s.stop(); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return s
}

func newStore(t testing.TB) runlog.Store {
	store := runlog.NewMemory(runlog.MemoryConfig{})
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// pipes is a listener without a network, for tests in a bubble of fake time.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.once.Do(func() { close(p.done) }); return nil }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }
func (p *pipes) Addr() net.Addr  { return pipeAddr{} }
func (p *pipes) dial(context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// startPiped starts a hub over net.Pipe.
func startPiped(t testing.TB, cfg hub.Config) *server {
	p := newPipes()
	return startOn(t, cfg, p, p.dial, "localhost")
}

// author starts a run in the hub's store.
func (s *server) author(t testing.TB, run string, seed uint64) *runlogtest.Author {
	t.Helper()
	a := runlogtest.NewAuthor(run, seed)
	if err := a.Claim(t.Context(), s.Store, runlog.ClaimOptions{Owner: "author"}); err != nil {
		t.Fatal(err)
	}
	return a
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// get makes an HTTP request and returns status, header and body.
func (s *server) get(t testing.TB, path string) (int, http.Header, string) {
	t.Helper()
	return s.request(t, http.MethodGet, path, nil, nil)
}

func (s *server) request(t testing.TB, method, path string, header http.Header, body io.Reader) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, body)
	must(t, err)
	for k, v := range header {
		if k == "Host" {
			req.Host = v[0]
			continue
		}
		req.Header[k] = v
	}
	res, err := s.http.Do(req)
	must(t, err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	must(t, err)
	return res.StatusCode, res.Header, string(data)
}
