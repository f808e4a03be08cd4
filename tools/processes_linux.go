package tools

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// passes bounds how often processes are looked for anew: one that starts others
// faster than they are stopped is met again soon.
const passes = 100

// process is what /proc says about one.
type process struct {
	pid, parent int
	dead        bool // it waits for its parent to take note
}

// processes lists all that this process may see.
func processes() []process {
	names, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	var list []process
	for _, name := range names {
		text, err := os.ReadFile(name + "/stat")
		if err != nil { // it has gone
			continue
		}
		// PID (NAME) STATE PARENT …; the name may contain anything.
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(fields) < 2 {
			continue
		}
		pid, err1 := strconv.Atoi(filepath.Base(name))
		parent, err2 := strconv.Atoi(string(fields[1]))
		if err1 == nil && err2 == nil {
			list = append(list, process{pid, parent, fields[0][0] == 'Z' || fields[0][0] == 'X'})
		}
	}
	return list
}

// descendants lists the living processes below this one.
func descendants() []int {
	children := map[int][]process{}
	for _, p := range processes() {
		children[p.parent] = append(children[p.parent], p)
	}
	var list []int
	next := children[os.Getpid()]
	for len(next) > 0 {
		p := next[0]
		next = append(next[1:], children[p.pid]...)
		if !p.dead {
			list = append(list, p.pid)
		}
	}
	return list
}

func signalAll(pids []int, signal unix.Signal) {
	for _, pid := range pids {
		_ = unix.Kill(pid, signal)
	}
}

// killTree kills all descendants. They are stopped before, so that none starts
// another one that nobody knows yet.
func killTree() {
	stopped := map[int]bool{}
	for range passes {
		fresh := 0
		for _, pid := range descendants() {
			if !stopped[pid] && unix.Kill(pid, unix.SIGSTOP) == nil {
				fresh++
			}
			stopped[pid] = true
		}
		if fresh == 0 {
			break
		}
	}
	for pid := range stopped {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// sweep kills the processes that carry a mark in their environment: those of a
// command whose supervisor is dead.
func sweep(mark string) {
	entry := []byte(markName + "=" + mark)
	for range passes {
		found := false
		for _, p := range processes() {
			text, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/environ")
			if err == nil && !p.dead && bytes.Contains(text, entry) {
				found = unix.Kill(p.pid, unix.SIGKILL) == nil || found
			}
		}
		if !found {
			return
		}
	}
}
