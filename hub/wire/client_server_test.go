package wire

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// pipes is a listener without a network, so that time may be a bubble's.
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
func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.done:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// script is one connection of a hub that says what a test tells it to.
type script struct {
	t       *testing.T
	conn    *websocket.Conn
	request *http.Request
	// in is what the client sends. A pipe holds nothing: somebody always reads.
	in chan ClientMessage
}

// scripted starts a hub whose n-th connection is played by plays[n]; the last
// one plays all further ones. It gives the configuration to reach it.
func scripted(t *testing.T, plays ...func(*script)) (address string, c ClientConfig) {
	t.Helper()
	return handler(t, playing(t, plays...))
}

func playing(t *testing.T, plays ...func(*script)) http.Handler {
	var mu sync.Mutex
	n := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		play := plays[min(n, len(plays)-1)]
		n++
		mu.Unlock()
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{Subprotocol}})
		if err != nil {
			t.Errorf("accept: %v", err)
			return
		}
		s := &script{t, conn, r, make(chan ClientMessage, 64)}
		var wg sync.WaitGroup
		wg.Go(s.read)
		defer wg.Wait()
		defer conn.CloseNow()
		play(s)
	})
}

func handler(t *testing.T, h http.Handler) (address string, c ClientConfig) {
	t.Helper()
	p := newPipes()
	server := &http.Server{Handler: h}
	var wg sync.WaitGroup
	wg.Go(func() { _ = server.Serve(p) })
	transport := &http.Transport{
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return p.dial(ctx) },
		DisableKeepAlives: true,
	}
	t.Cleanup(func() {
		_ = server.Close()
		wg.Wait()
		transport.CloseIdleConnections()
	})
	return "http://hub.test", ClientConfig{HTTPClient: &http.Client{Transport: transport}}
}

func (s *script) read() {
	defer close(s.in)
	for {
		_, data, err := s.conn.Read(context.Background())
		if err != nil {
			return
		}
		m, err := Decode(data)
		if err != nil {
			s.t.Errorf("the client sent %s: %v", data, err)
		}
		s.in <- m
	}
}

// receive returns the next message of the client, nil when it is gone.
func (s *script) receive() ClientMessage { return <-s.in }

func (s *script) send(m HubMessage) {
	data, err := Marshal(m)
	if err != nil {
		s.t.Error(err)
	}
	s.raw(data)
}

func (s *script) raw(data []byte) {
	_ = s.conn.Write(context.Background(), websocket.MessageText, data) // the client may be gone
}

const beatMs = 1000

// welcome takes the hello and answers it.
func (s *script) welcome() Hello {
	hello, ok := s.receive().(Hello)
	if !ok {
		s.t.Error("the first message is not hello")
	}
	s.send(Welcome{Observer: "o1", Role: "viewer", Node: "test", HeartbeatMs: beatMs, Limits: Limits{16384, 64}})
	return hello
}

// watch takes a watch.
func (s *script) watch() Watch {
	w, ok := s.receive().(Watch)
	if !ok {
		s.t.Error("the client did not watch")
	}
	return w
}

// snapshot sends the view v as the fold up to seq.
func (s *script) snapshot(epoch string, seq int64, reason runlog.Reason, v *view.View) {
	data, err := v.Encode()
	if err != nil {
		s.t.Error(err)
	}
	s.raw(AppendSnapshot(nil, "run", runlog.Position{Epoch: epoch, Seq: seq}, reason, data))
}

// gone waits until the client is gone.
func (s *script) gone() {
	for s.receive() != nil {
	}
}

// folded is the view after some events.
func folded(t *testing.T, events ...string) *view.View {
	t.Helper()
	v := view.New()
	for _, raw := range events {
		e, err := view.DecodeEvent([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		v.Apply(&e)
	}
	return v
}

func raws(events ...string) [][]byte {
	all := make([][]byte, len(events))
	for i, e := range events {
		all[i] = []byte(e)
	}
	return all
}
