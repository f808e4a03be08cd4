package redistest

import (
	"net"
	"sync"
	"testing"
	"time"
)

// Proxy stands between a client and a server and disturbs what passes. Safe for
// concurrent use.
type Proxy struct {
	// static after construction
	listener net.Listener
	wg       sync.WaitGroup

	// mu guards the rest.
	mu     sync.Mutex
	target string
	closed bool
	conns  map[net.Conn]struct{}
	// swallow counts connections whose next reply is thrown away.
	swallow int
	// stalled is not nil while nothing is forwarded; it is closed to go on.
	stalled chan struct{}
	// piece and pause slow replies down: so many bytes, then a pause.
	piece int
	pause time.Duration
}

// NewProxy starts a proxy in front of addr.
func NewProxy(t testing.TB, addr string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: l, target: addr, conns: map[net.Conn]struct{}{}}
	p.wg.Go(p.accept)
	t.Cleanup(p.Close)
	return p
}

// URL is the proxy's address as a redis:// URL.
func (p *Proxy) URL() string { return "redis://" + p.listener.Addr().String() }

// Close cuts everything and waits.
func (p *Proxy) Close() {
	p.Resume()
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.listener.Close()
	p.Cut()
	p.wg.Wait()
}

// Cut closes all connections. New ones are accepted.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.Close()
	}
}

// Retarget sends new connections to another server; the old ones stay.
func (p *Proxy) Retarget(addr string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = addr
}

// SwallowReplies lets the next n replies disappear, and cuts their connections:
// what was asked has been done, and nobody was told.
func (p *Proxy) SwallowReplies(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.swallow += n
}

// Swallowed says whether all those replies have disappeared.
func (p *Proxy) Swallowed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.swallow == 0
}

// Stall holds everything back, as a dead network does, until Resume.
func (p *Proxy) Stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stalled == nil {
		p.stalled = make(chan struct{})
	}
}

// Resume ends Stall.
func (p *Proxy) Resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stalled != nil {
		close(p.stalled)
		p.stalled = nil
	}
}

// Slow forwards replies in small pieces with pauses between them; 0 ends it.
func (p *Proxy) Slow(piece int, pause time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.piece, p.pause = piece, pause
}

func (p *Proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.wg.Go(func() { p.serve(c) })
	}
}

func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	p.mu.Lock()
	target := p.target
	p.mu.Unlock()
	server, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer server.Close()
	if !p.add(client, server) {
		return
	}
	defer p.remove(client, server)
	var wg sync.WaitGroup
	wg.Go(func() {
		p.copy(server, client, false)
		server.Close()
	})
	p.copy(client, server, true)
	client.Close()
	wg.Wait()
}

func (p *Proxy) add(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		p.conns[c] = struct{}{}
	}
	return !p.closed
}

func (p *Proxy) remove(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		delete(p.conns, c)
	}
}

func (p *Proxy) copy(to, from net.Conn, replies bool) {
	buf := make([]byte, 16<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		p.mu.Lock()
		stalled, piece, pause := p.stalled, p.piece, p.pause
		swallowed := replies && p.swallow > 0
		if swallowed {
			p.swallow--
		}
		p.mu.Unlock()
		if stalled != nil {
			<-stalled
		}
		if swallowed {
			return
		}
		if !replies || piece == 0 {
			piece, pause = n, 0
		}
		for data := buf[:n]; len(data) > 0; data = data[min(piece, len(data)):] {
			if _, err := to.Write(data[:min(piece, len(data))]); err != nil {
				return
			}
			if pause > 0 {
				time.Sleep(pause) // what a slow link is
			}
		}
	}
}
