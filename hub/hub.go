package hub

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/hub/cluster"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

// Hub follows the logs of runs and serves observers. Make one with New; Serve
// or Close end it.
type Hub struct {
	// static after construction
	cfg     Config
	log     zerolog.Logger
	policy  policy
	handler http.Handler
	started time.Time
	life    context.Context // ends when everything has to be out
	kill    context.CancelFunc
	writers writers
	index   index
	reaper  reaper

	stats    Stats
	viewers  atomic.Int64
	draining atomic.Bool
	wg       sync.WaitGroup // everything that a hub has started

	mu        sync.Mutex // guards what follows
	runs      map[string]*run
	observers map[*observer]struct{}
	places    int // taken by observers, also those whose handshake is not done
	stopped   bool
	gone      sync.WaitGroup // places
}

// New makes a hub and starts to follow the list of runs. It fails only on a
// Config that cannot work.
func New(cfg Config) (*Hub, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if cfg.Presence == nil {
		cfg.Presence = cluster.NewMemory()
	}
	h := &Hub{
		cfg:       cfg,
		log:       cfg.Logger,
		policy:    policy{hosts: cfg.AllowedHosts, origins: cfg.AllowedOrigins},
		started:   time.Now(),
		runs:      map[string]*run{},
		observers: map[*observer]struct{}{},
	}
	h.life, h.kill = context.WithCancel(context.Background())
	h.writers.init(h)
	h.index.start(h)
	h.reaper.init(h)
	handler, err := h.routes()
	if err != nil {
		h.kill()
		return nil, fmt.Errorf("hub: %w", err)
	}
	h.handler = handler
	h.wg.Go(func() { h.index.follow(h.life) })
	h.wg.Go(h.clock)
	return h, nil
}

// Handler serves the page, the HTTP API and the WebSocket. Whoever serves it
// other than through Serve has to set the server's own timeouts.
func (h *Hub) Handler() http.Handler { return h.handler }

// Stats are the hub's counters.
func (h *Hub) Stats() *Stats { return &h.stats }

// acquire returns a run that is being followed, following it now if nobody
// else does. It blocks until the run can be watched. Every acquired run is to be
// released.
func (h *Hub) acquire(ctx context.Context, id string) (*run, error) {
	if err := runlog.CheckRunID(id); err != nil {
		return nil, err
	}
	h.mu.Lock()
	if h.stopped {
		h.mu.Unlock()
		return nil, runlog.ErrClosed
	}
	r := h.runs[id]
	if r == nil {
		r = h.followLocked(id)
	}
	r.refs++
	h.mu.Unlock()
	var err error
	select {
	case <-r.ready:
		err = r.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		h.release(r)
		return nil, err
	}
	return r, nil
}

func (h *Hub) followLocked(id string) *run {
	ctx, cancel := context.WithCancel(h.life)
	r := newRun(h, id, cancel)
	h.runs[id] = r
	h.stats.Follows.Add(1)
	h.wg.Go(func() {
		defer cancel()
		r.follow(ctx)
	})
	h.wg.Go(func() { r.followPresence(ctx) })
	return r
}

// release gives an acquired run back. It is let go of a little later, unless
// somebody comes.
func (h *Hub) release(r *run) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r.refs--
	r.idle = time.Now()
}

// forget takes a run that has ended out of the hub.
func (h *Hub) forget(r *run) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.runs[r.id] == r {
		delete(h.runs, r.id)
	}
}

// clock does what is due by time, for all runs.
func (h *Hub) clock() {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-h.life.Done():
			return
		case now := <-tick.C:
			for _, r := range h.due(now) {
				r.tick(now)
			}
			h.index.tick(now)
			h.reaper.tick(now)
			if n%4 == 0 {
				h.index.figures(now)
				h.writers.expire(now)
			}
		}
	}
}

// due lets go of runs that nobody has watched for a while, and returns the
// others.
func (h *Hub) due(now time.Time) []*run {
	h.mu.Lock()
	defer h.mu.Unlock()
	runs := make([]*run, 0, len(h.runs))
	for id, r := range h.runs {
		if r.refs == 0 && now.Sub(r.idle) >= h.cfg.Timing.Linger {
			r.cancel()
			delete(h.runs, id)
			continue
		}
		runs = append(runs, r)
	}
	return runs
}

func (h *Hub) figures(now time.Time) wire.Stats {
	h.mu.Lock()
	runs, observers := len(h.runs), len(h.observers)
	h.mu.Unlock()
	return wire.Stats{
		Node: h.cfg.Node, T: now.UnixMilli(), UptimeMs: now.Sub(h.started).Milliseconds(),
		Runs: int64(runs), Observers: int64(observers),
		EventsIn: h.stats.EventsIn.Load(), Sends: h.stats.Frames.Load(), MemoryBytes: memory(),
	}
}

// isLoopback says whether only this machine reaches an address.
func isLoopback(a net.Addr) bool {
	if n := a.Network(); n == "unix" || n == "pipe" {
		return true
	}
	host, _, err := net.SplitHostPort(a.String())
	return err == nil && isLoopbackHost(host)
}
