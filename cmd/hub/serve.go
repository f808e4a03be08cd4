package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/hub"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/web"
)

const defaultAddr = "127.0.0.1:8737"

type serveCmd struct {
	Addr string `help:"Address to listen on; port 0 picks a free one." default:"${addr}" env:"RINGSIDE_ADDR"`
}

// Run serves until it is told to stop.
func (c *serveCmd) Run(ctx context.Context, e env, logger zerolog.Logger) error {
	store := runlog.NewMemory(runlog.MemoryConfig{})
	defer store.Close()
	return serve(ctx, e, logger, c.Addr, store, nil)
}

// serve runs a hub on addr over store, prints its address, calls started with
// it (if not nil), and blocks until ctx ends and the hub has drained.
func serve(ctx context.Context, e env, logger zerolog.Logger, addr string, store runlog.Store, started func(url string)) error {
	h, err := hub.New(hub.Config{Store: store, Page: web.FS, Node: nodeName(), Logger: logger})
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", addr, err)
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

// nodeName names this hub to people: the host, as far as it is known.
func nodeName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		name = "hub"
	}
	return name
}
