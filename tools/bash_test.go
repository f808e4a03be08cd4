//go:build linux

package tools_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/tools"
)

func TestBashGivesOutputAndExitCode(t *testing.T) {
	b := newBench(t, nil, map[string]string{"a.txt": "hello\n"})
	a := b.good("bash", object{"command": "pwd; cat a.txt; echo err >&2; read x || echo no input"})
	if want := b.dir + "\nhello\nerr\nno input\n"; a.text != want {
		t.Errorf("text %q, want %q", a.text, want)
	}
	if a.details["exitCode"] != 0.0 || a.details["bytes"] != float64(len(b.dir)+len("\nhello\nerr\nno input\n")) {
		t.Errorf("details %v", a.details)
	}
	if a = b.good("bash", object{"command": "true"}); a.text != "(no output)\n" {
		t.Errorf("text %q", a.text)
	}
	a = b.fails("bash", object{"command": "echo before; exit 7"}, "exit code 7")
	if a.details["exitCode"] != 7.0 || a.text != "[exit code 7]\nbefore\n" {
		t.Errorf("%q, details %v", a.text, a.details)
	}
	a = b.fails("bash", object{"command": "kill -SEGV $$"}, "SIGSEGV")
	if a.details["exitCode"] != 139.0 || a.details["signal"] != "SIGSEGV" {
		t.Errorf("details %v", a.details)
	}
	b.fails("bash", object{"command": " \n"}, "empty")
	b.fails("bash", object{"command": "a\x00b"}, "NUL")
	b.fails("bash", object{"command": strings.Repeat("#", 64<<10+1)}, "65537 bytes")
	b.good("bash", object{"command": ": " + strings.Repeat("x", 64<<10-2)})
}

func TestBashSeesOnlyTheListedEnvironment(t *testing.T) {
	b := newBench(t, func(w *tools.Workspace) {
		w.Environ = []string{"PATH=" + os.Getenv("PATH"), "HOME=/tmp", "LC_ALL=C", "OPENAI_API_KEY=sk-secret", "MINE=1",
			"BASH_ENV=/etc/profile", "LD_PRELOAD=x", "https_proxy=http://u:p@h", "GIT_PAGER=less", "odd"}
		w.PassEnviron = []string{"MINE"}
	}, nil)
	a := b.good("bash", object{"command": "env | cut -d= -f1 | sort; tr '\\0' '\\n' < /proc/$PPID/environ"})
	got := strings.Fields(a.text)
	want := "GIT_PAGER GIT_TERMINAL_PROMPT HOME LC_ALL MINE NO_COLOR PAGER PATH PWD RINGSIDE_CALL SHLVL TERM _"
	if strings.Join(got, " ") != want {
		t.Errorf("environment: %q, want %q", got, want)
	}
}

func TestBashHasNoOpenFiles(t *testing.T) {
	b := newBench(t, nil, nil)
	// Somebody has left this process a file.
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	inherited, err := syscall.Dup(int(read.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(inherited)
	a := b.good("bash", object{"command": "for i in $(seq 3 300); do [ -e /proc/$$/fd/$i ] && echo open $i; done; ulimit -c"})
	if strings.ReplaceAll(a.text, "open 255\n", "") != "0\n" { // 255 is bash's own
		t.Errorf("open files, and core files: %q", a.text)
	}
}

func TestBashShowsTheEndAndKeepsTheWhole(t *testing.T) {
	b := newBench(t, func(w *tools.Workspace) {
		w.Limits.ResultBytes = 4 << 10
		w.Limits.OutputBytes = 1 << 20
	}, nil)
	a := b.good("bash", object{"command": "seq 1 100000"})
	if !strings.HasSuffix(a.text, "\n100000\n") || !strings.HasPrefix(a.text, "[the first ") || len(a.text) > 5<<10 {
		t.Errorf("text of %d bytes: %.60q … ", len(a.text), a.text)
	}
	if a.Output != sequence(100000) {
		t.Errorf("output has %d bytes, want all %d", len(a.Output), len(sequence(100000)))
	}
	// More than is kept: the first and the last half.
	a = b.good("bash", object{"command": "seq 1 500000"})
	all := sequence(500000)
	head, tail, ok := strings.Cut(a.Output, "\n[")
	_, tail, ok2 := strings.Cut(tail, "left out]\n")
	if !ok || !ok2 || !strings.HasPrefix(all, head) || !strings.HasSuffix(all, tail) || len(head)+len(tail) < 1<<20-2 {
		t.Errorf("output of %d bytes: head %d %v, tail %d %v", len(a.Output), len(head), strings.HasPrefix(all, head), len(tail), strings.HasSuffix(all, tail))
	}
	a = b.good("bash", object{"command": "head -c 300000 /dev/urandom; printf 'ok\\xff\\n'"})
	if !strings.HasSuffix(a.text, "ok\uFFFD\n") {
		t.Errorf("text ends in %q", a.text[len(a.text)-10:])
	}
	if a = b.good("bash", object{"command": "echo short"}); a.Output != "" {
		t.Errorf("output %q beside the same text", a.Output)
	}
}

func TestBashStreams(t *testing.T) {
	b := newBench(t, nil, nil)
	fifo := filepath.Join(b.dir, "go")
	// The command goes on when its first output has been seen.
	a := b.callContext(t.Context(), "bash", object{"command": "mkfifo go; printf 'one\\n\\303'; read x < go; printf '\\244 two\\n'"}, func(text string) {
		if text == "one\n" {
			if f, err := os.OpenFile(fifo, os.O_WRONLY, 0); err == nil {
				f.WriteString("x\n")
				f.Close()
			}
		}
	})
	if a.err != nil || a.text != "one\nä two\n" {
		t.Fatalf("%q, %v", a.text, a.err)
	}
	if a.updates[0]["phase"] != "starting" || a.updates[1]["phase"] != "running" {
		t.Errorf("updates %v", a.updates)
	}
}

// Progress grows and is then cut to its end, at a line; it never is large.
func TestBashProgressIsBounded(t *testing.T) {
	b := newBench(t, nil, nil)
	fifo := filepath.Join(b.dir, "go")
	all := sequence(20000)
	told := false
	a := b.callContext(t.Context(), "bash", object{"command": "mkfifo go; seq 20000; read x < go"}, func(text string) {
		if !told && strings.HasSuffix(text, "\n20000\n") {
			told = true
			if f, err := os.OpenFile(fifo, os.O_WRONLY, 0); err == nil { // waits for the reader
				f.WriteString("x\n")
				f.Close()
			}
		}
	})
	for _, text := range a.texts {
		if len(text) > 32<<10 || !strings.Contains(all, text) {
			t.Errorf("an update of %d bytes: %.20q", len(text), text)
		}
	}
	last := a.texts[len(a.texts)-1]
	if a.err != nil || !strings.Contains(all, "\n"+last) || len(last) < 8<<10 {
		t.Errorf("%v, the last update has %d bytes: %.20q", a.err, len(last), last)
	}
}

func TestBashStopsWhatItLeftRunning(t *testing.T) {
	b := newBench(t, nil, nil)
	w := watchProcesses(t, b.dir)
	a := b.good("bash", object{"command": spawn + "; echo done"})
	w.gone(4)
	if a.details["leftRunning"] == nil || !strings.Contains(a.text, "stopped]") {
		t.Errorf("%q, details %v", a.text, a.details)
	}
}

func TestBashEndsInTime(t *testing.T) {
	b := newBench(t, func(w *tools.Workspace) { w.Limits.Grace = 50 * time.Millisecond }, nil)
	w := watchProcesses(t, b.dir)
	a := b.fails("bash", object{"command": "trap 'echo asked' TERM; " + spawn + "; echo before; while :; do sleep 1000; done", "timeout": 1}, "stopped after 1s")
	w.gone(4)
	if a.details["timedOut"] != true || !strings.Contains(a.text, "before\n") || !strings.Contains(a.text, "asked\n") {
		t.Errorf("%q, details %v", a.text, a.details)
	}
}

func TestBashIsAborted(t *testing.T) {
	b := newBench(t, func(w *tools.Workspace) { w.Limits.Grace = 50 * time.Millisecond }, nil)
	w := watchProcesses(t, b.dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a := b.callContext(ctx, "bash", object{"command": spawn + "; while [ $(wc -l < pids) -lt 4 ]; do :; done; echo up; exec sleep 1000"}, func(text string) {
		if strings.Contains(text, "up\n") {
			cancel()
		}
	})
	w.gone(4)
	if a.err == nil || !strings.Contains(a.err.Error(), "aborted") || a.details["aborted"] != true || !strings.Contains(a.text, "up\n") {
		t.Errorf("%v, %q, details %v", a.err, a.text, a.details)
	}
	if a := b.callContext(ctx, "bash", object{"command": "echo no"}, nil); a.err == nil {
		t.Error("a command ran after the abort")
	}
}

// A command that kills its own supervisor is cleaned up after.
func TestBashKillsItsSupervisor(t *testing.T) {
	b := newBench(t, nil, nil)
	w := watchProcesses(t, b.dir)
	b.fails("bash", object{"command": spawn + "; while [ $(wc -l < pids) -lt 4 ]; do :; done; kill -9 $PPID; sleep 1000"}, "supervisor was killed")
	w.gone(4)
}

func TestBashBoundsProcesses(t *testing.T) {
	b := newBench(t, func(w *tools.Workspace) { w.Limits.Processes = 20 }, nil)
	a := b.fails("bash", object{"command": "for i in $(seq 30); do sleep 1000 & done; wait"}, "at most 20")
	if a.details["signal"] != "SIGKILL" {
		t.Errorf("details %v", a.details)
	}
}

func TestBashRunsConcurrently(t *testing.T) {
	b := newBench(t, nil, nil)
	b.put("x", "")
	done := make(chan answer)
	for range 4 {
		go func() {
			done <- b.call("bash", object{"command": "echo x >> x; until [ $(wc -l < x) = 4 ]; do :; done; echo ok"})
		}()
	}
	for range 4 {
		if a := <-done; a.err != nil || a.text != "ok\n" {
			t.Errorf("%q %v", a.text, a.err)
		}
	}
}

func TestBashNeedsASupervisor(t *testing.T) {
	dir := t.TempDir()
	for want, w := range map[string]tools.Workspace{
		"let main begin with Supervise": {Dir: dir},
		"Workspace.Shell":               {Dir: dir, Supervisor: supervisor, Shell: "/nowhere/sh"},
	} {
		if _, err := tools.New(w, "bash"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	b := newBench(t, func(w *tools.Workspace) { w.Supervisor = tools.SupervisorAt("/nowhere/supervisor") }, nil)
	b.fails("bash", object{"command": "true"}, "cannot be started: no such file")
	b = newBench(t, func(w *tools.Workspace) { w.Supervisor = tools.SupervisorAt("/bin/true") }, nil)
	b.fails("bash", object{"command": "true"}, "supervisor was killed")
}

// What reads the last output of the shell may end by itself.
func TestBashLetsAPipeDrain(t *testing.T) {
	b := newBench(t, nil, nil)
	a := b.good("bash", object{"command": "seq 1 2000 > >(cat > out; echo drained)"})
	if a.text != "drained\n" || b.get("out") != sequence(2000) {
		t.Errorf("%q, %d bytes", a.text, len(b.get("out")))
	}
}

// sequence is what seq 1 n prints.
func sequence(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, i+1)
	}
	return b.String()
}
