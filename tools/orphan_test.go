//go:build linux

package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/tools"
)

// spawn starts four processes that are hard to find: one of its own session, one
// whose parent is gone, one that ignores signals, and one stopped. Each has the
// FIFO "alive" open for writing, and says in "pids" that it is there.
const spawn = `exec 9>alive
start() { echo $BASHPID >> pids; exec sleep 1000 >/dev/null 2>&1; }
export -f start
setsid bash -c start &
( ( ( start ) & ) & )
( trap '' TERM HUP INT QUIT; start ) &
( echo $BASHPID >> pids; kill -STOP $BASHPID; sleep 1000 ) >/dev/null 2>&1 &
while [ $(wc -l < pids) -lt 4 ]; do :; done; exec 9>&-`

// watched waits for processes to end: as long as one has the FIFO open, reading
// it does not come to its end.
type watched struct {
	t    *testing.T
	dir  string
	fifo *os.File
}

func watchProcesses(t *testing.T, dir string) *watched {
	t.Helper()
	path := filepath.Join(dir, "alive")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pids"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return &watched{t, dir, f}
}

// gone waits until none of the processes lives; there must have been n.
func (w *watched) gone(n int) {
	w.t.Helper()
	if _, err := io.Copy(io.Discard, w.fifo); err != nil {
		w.t.Fatal(err)
	}
	pids, err := os.ReadFile(filepath.Join(w.dir, "pids"))
	if err != nil {
		w.t.Fatal(err)
	}
	list := strings.Fields(string(pids))
	if len(list) != n {
		w.t.Errorf("%d processes were there, want %d", len(list), n)
	}
	for _, pid := range list {
		state, err := os.ReadFile("/proc/" + pid + "/stat")
		if err == nil && bytes.Contains(state, []byte("(sleep) S")) {
			w.t.Errorf("process %s lives: %s", pid, state)
		}
	}
}

// workerDir makes the test binary a worker that runs a command in that folder.
const workerDir = "RINGSIDE_TEST_WORKER_DIR"

// beWorker runs a command that does not end; its output goes to standard output.
func beWorker(dir string) {
	list, err := tools.New(tools.Workspace{Dir: dir, Environ: os.Environ(), Supervisor: supervisor}, "bash")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	args, _ := json.Marshal(object{"command": spawn + "; exec 9>alive; echo up $PPID; sleep 1000"})
	_, err = list[0].Execute(context.Background(), "1", args, func(u agent.ToolResult) { fmt.Println(u.Content[0].Text) })
	fmt.Println("ended:", err)
	os.Exit(1)
}

// A worker that is killed with SIGKILL leaves no process behind, whatever its
// command has started.
func TestNothingOutlivesAKilledWorker(t *testing.T) {
	dir := t.TempDir()
	w := watchProcesses(t, dir)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workerDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	buffer := make([]byte, 4096)
	for !strings.Contains(said.String(), "up ") || !strings.HasSuffix(said.String(), "\n") {
		n, err := out.Read(buffer)
		said.Write(buffer[:n])
		if err != nil {
			t.Fatalf("the worker said only %q: %v", said.String(), err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	w.gone(4)
	_, pid, _ := strings.Cut(said.String(), "up ")
	ended(t, strings.TrimSpace(pid))
}

// ended waits until a process, which is nobody's child here, has ended.
func ended(t *testing.T, text string) {
	t.Helper()
	pid, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil { // it has ended, and somebody has taken note
		return
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 60_000)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n != 1 {
			t.Fatalf("the supervisor lives: %d %v", n, err)
		}
		return
	}
}
