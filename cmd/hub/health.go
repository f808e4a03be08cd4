package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

type healthCmd struct {
	Addr string `help:"Address of the hub." default:"${addr}" env:"RINGSIDE_ADDR"`
}

// Run asks the hub on this machine whether it is ready, for a container's health
// check: no other program is needed in the image.
func (c *healthCmd) Run(ctx context.Context, e env) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.Addr+"/readyz", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<10))
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s %s", res.Status, body)
	}
	_, err = fmt.Fprintln(e.stdout, "ready")
	return err
}
