//go:build !linux

package redis

import (
	"syscall"
	"time"
)

// userTimeout does nothing where the kernel has no such option: the deadlines of
// calls and links notice the same, a little later.
func userTimeout(time.Duration) func(network, address string, c syscall.RawConn) error { return nil }
