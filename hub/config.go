package hub

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/hub/cluster"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

// Config says what a hub serves and how. Only Store is needed; the zero value
// of everything else works.
type Config struct {
	// Store has the runs. The hub does not close it.
	Store runlog.Store
	// Presence knows who watches what. Absent: this hub's own observers.
	Presence cluster.Presence
	// Page is the page's files, index.html at its root. Absent: no page.
	Page fs.FS
	// Node names this hub to observers and in figures. Absent: "hub".
	Node string
	// Logger takes the hub's log. Its zero value writes nothing.
	Logger zerolog.Logger
	// AllowedHosts are host names (no port) that the hub is reached by, beside
	// the loopback names and the address it listens on. "*" allows every name.
	AllowedHosts []string
	// AllowedOrigins are origins (scheme://host[:port]) of pages that may use the
	// hub, beside the hub's own.
	AllowedOrigins []string
	Limits         Limits
	Timing         Timing
}

// Limits bound what a hub holds and what one client may do. Zero means the
// default.
type Limits struct {
	LogBytes  int   // frames kept per watched run, in bytes: 2 MiB
	LogFrames int64 // … and in number: 8192

	Observers    int // connections at a time: 50 000
	Watches      int // runs watched by one connection: 64
	MessageBytes int // one message from a client: 16 KiB
	OutboxBytes  int // private answers waiting for one observer: 16 KiB
	SendBuffer   int // the kernel's send buffer per observer, in bytes: 64 KiB

	MessageRate  float64 // messages a second from one observer: 100, in bursts of MessageBurst
	MessageBurst int     // 1000
	InboundRate  float64 // bytes a second from one observer, control frames included: 32 KiB
	InboundBurst int     // 128 KiB

	People  int // names in a presence message; a count stands for the rest: 50
	Writers int // remote writers at a time: 4096
}

// Timing is everything that takes time. Zero means the default.
type Timing struct {
	Hello     time.Duration // from the handshake to hello: 5 s
	Message   time.Duration // from the first byte of a message to its last: 10 s
	Heartbeat time.Duration // between heartbeat messages: 5 s
	Ping      time.Duration // between pings: 15 s
	Pong      time.Duration // from a ping to its answer: 15 s
	Stall     time.Duration // a write that moves no byte for so long ends the connection: 20 s
	Slow      time.Duration // an observer that has not been current for so long is sent away: 60 s
	Linger    time.Duration // a run is followed on after its last observer left: 30 s
	Stale     time.Duration // a writer that was not heard for so long is stale: 8 s
	Lost      time.Duration // … and its run is given up: 30 s; negative: never
	Check     time.Duration // between checks of a run that changes: 30 s
	Writer    time.Duration // a remote writer that is silent for so long loses its session: 60 s
	Drain     time.Duration // from the farewell to cutting connections off: 2 s
}

func orElse[T int | int64 | float64 | time.Duration](v *T, fallback T) {
	if *v == 0 {
		*v = fallback
	}
}

// validate fills in the defaults and refuses what cannot work.
func (c *Config) validate() error {
	if c.Store == nil {
		return errors.New("hub: Config.Store is missing")
	}
	if c.Node == "" {
		c.Node = "hub"
	}
	c.AllowedHosts = slices.Clone(c.AllowedHosts)
	for i, h := range c.AllowedHosts {
		if h == "" || h != "*" && strings.ContainsAny(h, "/:*") && !strings.Contains(h, "::") {
			return fmt.Errorf("hub: allowed host %q: a host name without port", h)
		}
		c.AllowedHosts[i] = strings.ToLower(h)
	}
	c.AllowedOrigins = slices.Clone(c.AllowedOrigins)
	for i, o := range c.AllowedOrigins {
		scheme, rest, ok := strings.Cut(o, "://")
		if !ok || scheme == "" || rest == "" || strings.ContainsAny(rest, "/?#@") {
			return fmt.Errorf("hub: allowed origin %q: scheme://host[:port]", o)
		}
		c.AllowedOrigins[i] = strings.ToLower(o)
	}
	c.Limits.fill()
	if c.Limits.MessageBytes > wire.MaxClientMessage {
		return fmt.Errorf("hub: messages of %d bytes: at most %d", c.Limits.MessageBytes, wire.MaxClientMessage)
	}
	c.Timing.fill()
	return nil
}

func (l *Limits) fill() {
	orElse(&l.LogBytes, 2<<20)
	orElse(&l.LogFrames, 8192)
	orElse(&l.Observers, 50_000)
	orElse(&l.Watches, 64)
	orElse(&l.MessageBytes, 16<<10)
	orElse(&l.OutboxBytes, 16<<10)
	orElse(&l.SendBuffer, 64<<10)
	orElse(&l.MessageRate, 100)
	orElse(&l.MessageBurst, 1000)
	orElse(&l.InboundRate, 32<<10)
	orElse(&l.InboundBurst, 128<<10)
	orElse(&l.People, 50)
	orElse(&l.Writers, 4096)
}

func (t *Timing) fill() {
	orElse(&t.Hello, 5*time.Second)
	orElse(&t.Message, 10*time.Second)
	orElse(&t.Heartbeat, 5*time.Second)
	orElse(&t.Ping, 15*time.Second)
	orElse(&t.Pong, 15*time.Second)
	orElse(&t.Stall, 20*time.Second)
	orElse(&t.Slow, 60*time.Second)
	orElse(&t.Linger, 30*time.Second)
	orElse(&t.Stale, 8*time.Second)
	orElse(&t.Lost, 30*time.Second)
	orElse(&t.Check, 30*time.Second)
	orElse(&t.Writer, 60*time.Second)
	orElse(&t.Drain, 2*time.Second)
}
