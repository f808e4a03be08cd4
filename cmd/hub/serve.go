package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/hub"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/web"
)

const (
	defaultAddr = "127.0.0.1:8737"
	defaultHub  = "http://" + defaultAddr
)

// serveFlags say where and as what a hub serves.
type serveFlags struct {
	Addr string `help:"Address to listen on; port 0 picks a free one." default:"${addr}" env:"RINGSIDE_ADDR"`
	Node string `help:"Name of this hub; its host's unless given." placeholder:"NAME" env:"RINGSIDE_NODE"`

	LostAfter time.Duration `help:"A worker that was not heard for so long is lost: this hub, or another, says so in its run and ends its cards. 0: never." default:"30s" env:"RINGSIDE_LOST_AFTER"`
}

// minLost leaves room for one sign of life that is late: workers give one every
// two seconds.
const minLost = 3 * time.Second

// timing is the hub's, of which only this is for everybody to choose.
func (f serveFlags) timing() (hub.Timing, error) {
	switch {
	case f.LostAfter == 0:
		return hub.Timing{Lost: -1}, nil
	case f.LostAfter < minLost:
		return hub.Timing{}, fmt.Errorf("--lost-after %s: at least %s, or 0 for never", f.LostAfter, minLost)
	}
	return hub.Timing{Lost: f.LostAfter}, nil
}

type serveCmd struct {
	serveFlags
	storeFlags
}

// Run serves until it is told to stop.
func (c *serveCmd) Run(ctx context.Context, e env, logger zerolog.Logger) error {
	store, err := c.open(ctx, logger)
	if err != nil {
		return err
	}
	defer store.Close()
	return c.serve(ctx, e, logger, store, nil)
}

// serve runs a hub over store, prints its address, calls started with it (if not
// nil), and blocks until ctx ends and the hub has drained.
func (f serveFlags) serve(ctx context.Context, e env, logger zerolog.Logger, store runlog.Store, started func(url string)) error {
	node := f.Node
	if node == "" {
		node = hostName()
	}
	timing, err := f.timing()
	if err != nil {
		return err
	}
	h, err := hub.New(hub.Config{Store: store, Page: web.FS, Node: node, Logger: logger, Timing: timing})
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", f.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", f.Addr, err)
	}
	if err := hub.CheckAddr(ln.Addr()); err != nil {
		return errors.Join(err, ln.Close())
	}
	url := "http://" + ln.Addr().String()
	fmt.Fprintf(e.stdout, "hub listening on %s\n", url)
	if started != nil {
		started(url)
	}
	return h.Serve(ctx, ln)
}

// hostName names this machine to people, as far as it is known.
func hostName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		name = "hub"
	}
	return name
}
