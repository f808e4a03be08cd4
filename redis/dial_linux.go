package redis

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// userTimeout lets the kernel give a connection up when what was sent is not
// acknowledged for d. Keep-alive alone does not: it waits while data is unsent.
func userTimeout(d time.Duration) func(network, address string, c syscall.RawConn) error {
	return func(network, _ string, c syscall.RawConn) (err error) {
		if network == "unix" {
			return nil
		}
		controlErr := c.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(d.Milliseconds()))
		})
		if controlErr != nil {
			return controlErr
		}
		return err
	}
}
