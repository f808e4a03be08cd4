package redis

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/redis/go-redis/v9/maintnotifications"
)

// dialer connects so that a dead peer is noticed in seconds.
func dialer(secure *tls.Config, t Timeouts) func(ctx context.Context, network, addr string) (net.Conn, error) {
	d := &net.Dialer{
		Timeout:         t.Dial,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: time.Second, Count: 3},
		Control:         userTimeout(t.Link),
	}
	if secure == nil {
		return d.DialContext
	}
	return (&tls.Dialer{NetDialer: d, Config: secure}).DialContext
}

// noMaintenance turns off a handshake for hosted Redis that is not used here.
func noMaintenance() *maintnotifications.Config {
	return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}
