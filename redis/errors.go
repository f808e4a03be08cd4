package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"

	goredis "github.com/redis/go-redis/v9"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// away are the replies by which a Redis says that it cannot serve now, though
// nothing is wrong with the call.
var away = []string{
	"LOADING", "MISCONF", "OOM", "READONLY", "CLUSTERDOWN", "MASTERDOWN", "TRYAGAIN", "NOREPLICAS", "BUSY", "MOVED", "ASK",
	"NOAUTH", "WRONGPASS", "NOPERM", "UNKILLABLE", "max number of clients",
}

// storeError turns what the client returned into the contract's errors.
func (s *Store) storeError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if s.ctx.Err() != nil {
		return runlog.ErrClosed
	}
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	if _, reply := errors.AsType[goredis.Error](err); reply {
		for _, prefix := range away {
			if goredis.HasErrorPrefix(err, prefix) {
				return fmt.Errorf("%w: redis: %w", runlog.ErrUnavailable, err)
			}
		}
		return fmt.Errorf("redis: %w", err)
	}
	// Everything else is the way to it: refused, cut, timed out.
	return fmt.Errorf("%w: redis: %w", runlog.ErrUnavailable, err)
}

// cut says whether a connection broke under a call. Every script gives the same
// answer when it is called again, so such a call may be repeated at once. Not
// after a timeout: that has waited long enough.
func cut(err error) bool {
	if _, reply := errors.AsType[goredis.Error](err); reply {
		return false
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// withoutURL keeps a URL, and the password in it, out of an error.
func withoutURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return errors.New(strings.TrimPrefix(err.Error(), "redis: "))
}
