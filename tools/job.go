package tools

import (
	"runtime"
	"time"
)

// Supervisor is the program that supervises commands. Only Supervise gives a
// usable one, so that no program is started as a supervisor that does not know
// how to be one.
type Supervisor struct{ path string }

// self is the running program, even if its file has been replaced.
const self = "/proc/self/exe"

// supervisorName is the name under which this program is started to supervise a
// command.
const supervisorName = "ringside-command-supervisor"

// Descriptors of the supervisor, beside the standard ones.
const (
	controlFD = 3 + iota // reads: a job, then orders; its end means that the worker is gone
	statusFD             // writes: an ending
	outputFD             // what the command prints into
	dirFD                // the workspace
)

// orderStop asks the supervisor to end the command with some patience.
const orderStop = 's'

// job is what a supervisor is to do. It travels as gob: byte by byte, also where
// the environment is no UTF-8.
type job struct {
	Shell     string
	Command   string
	Environ   []string
	Grace     time.Duration
	Processes int
	CPU       uint64 // seconds, of each process
}

// cpuSeconds is more than a process can use within limit.
func cpuSeconds(limit time.Duration) uint64 {
	return uint64(limit/time.Second+60) * uint64(runtime.NumCPU())
}
