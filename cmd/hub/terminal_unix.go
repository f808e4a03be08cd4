//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// readInBackground lets a process in the background of a terminal read an error
// from it, instead of being stopped together with the agent in it.
func readInBackground() { signal.Ignore(syscall.SIGTTIN) }
