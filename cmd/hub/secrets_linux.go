package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// hideSecrets keeps other processes of the same user, as the commands that a
// model runs, from reading this one's environment, memory and files by way of
// /proc or as a debugger. It also keeps it from leaving a core dump. Root still can.
func hideSecrets() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("hide this process from its tools: %w", err)
	}
	return nil
}
