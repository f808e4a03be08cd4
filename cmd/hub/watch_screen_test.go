//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// terminal is the real program on a terminal of its own.
type terminal struct {
	t      *testing.T
	pty    *os.File
	screen *vt.SafeEmulator
	raw    *syncBuffer // all that was written to it
	exited chan struct{}
	cmd    *exec.Cmd
}

func onTerminal(t *testing.T, w, h int, env []string, args ...string) *terminal {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(append(asHub(), "TERM=xterm-256color", "NO_COLOR="), env...)
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)})
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, pty: file, screen: vt.NewSafeEmulator(w, h), raw: &syncBuffer{}, exited: make(chan struct{}), cmd: cmd}
	answers := make(chan struct{})
	go func() { // what the terminal answers to questions
		defer close(answers)
		buf := make([]byte, 256)
		for {
			n, err := x.screen.Read(buf)
			if err != nil {
				return
			}
			if _, err := file.Write(buf[:n]); err != nil {
				return
			}
		}
	}()
	go func() {
		defer close(x.exited)
		buf := make([]byte, 4096)
		for {
			n, err := file.Read(buf)
			if n > 0 {
				_, _ = x.screen.Write(buf[:n])
				_, _ = x.raw.Write(buf[:n])
			}
			if err != nil {
				break
			}
		}
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-x.exited
		// The emulator's own Close is not made to run beside a Read.
		_ = x.screen.InputPipe().(io.Closer).Close()
		_ = file.Close()
		<-answers
	})
	return x
}

func (x *terminal) text() string { return ansi.Strip(x.screen.Render()) }

// shows waits until the screen has all of words, and lacks those after a "-".
func (x *terminal) shows(words ...string) {
	x.t.Helper()
	deadline := time.After(patience)
	for {
		changed := x.raw.changed()
		now, ok := x.text(), true
		for _, w := range words {
			missing, not := strings.CutPrefix(w, "-")
			ok = ok && strings.Contains(now, missing) != not
		}
		if ok {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			x.t.Fatalf("the screen never shows %q:\n%s", words, now)
		}
	}
}

func (x *terminal) press(keys string) {
	x.t.Helper()
	if _, err := x.pty.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

func (x *terminal) ends(code int) {
	x.t.Helper()
	select {
	case <-x.exited:
	case <-time.After(patience):
		x.t.Fatalf("does not end:\n%s", x.text())
	}
	if got := x.cmd.ProcessState.ExitCode(); got != code {
		x.t.Errorf("exit code %d, want %d", got, code)
	}
	if x.screen.IsAltScreen() || x.screen.CursorHidden() {
		x.t.Error("the terminal is left as no shell wants it")
	}
}

// The list, a run, its cards, help, a smaller terminal, back to the list, and out.
func TestWatchOnATerminal(t *testing.T) {
	t.Parallel()
	_, hub := serveHub(t)
	publish(t, hub, "alpha", "parallel")
	publish(t, hub, "beta", "error")
	x := onTerminal(t, 100, 30, nil, "watch", "--hub", hub)
	x.shows("2 runs", "alpha", "beta", "● Live", "Enter watch")
	if list := x.text(); strings.Index(list, "alpha") < strings.Index(list, "beta") {
		x.press("j")
		x.shows("> ✗ beta")
		x.press("k")
	} else {
		x.press("j")
	}
	x.shows("> ✓ alpha")
	x.press("\r")
	x.shows("alpha", "● Live", "Turn 3", "✓ read", "following", "The worker has left. The last prompt finished.")
	x.press("k")
	x.shows("following is off", "> ✓")
	x.press("\r")
	x.shows("| Arguments (raw, not validated)")
	x.press("?")
	x.shows("Keys", "-| Arguments")
	x.press("?")
	x.shows("-Keys")
	if err := pty.Setsize(x.pty, &pty.Winsize{Cols: 40, Rows: 12}); err != nil {
		t.Fatal(err)
	}
	x.screen.Resize(40, 12)
	x.shows("? help", "-j/k card")
	x.press("f")
	x.shows("-following is off")
	x.press("\x1b\x1b") // closes the card, and selects nothing
	x.shows("following is off")
	x.press("\x1b") // back
	x.shows("2 runs")
	x.press("q")
	x.ends(0)
}

// A run that is not there yet, a hub that goes and comes back: the last state
// stays and says so.
func TestWatchReconnects(t *testing.T) {
	t.Parallel()
	old, hub := serveHub(t)
	x := onTerminal(t, 100, 24, nil, "watch", "run", "--hub", hub)
	x.shows("○ Waiting for the run", "No run with this id")
	publish(t, hub, "run", "parallel")
	x.shows("● Live", "✓ write", "-No run with")
	_ = old.Process.Kill()
	<-old.exited
	x.shows("! Reconnecting in", "Showing what was known at", "✓ write")
	again := start(t, nil, "serve", "--addr", strings.TrimPrefix(hub, "http://"))
	again.address()
	x.shows("No run with this id", "✓ write") // its memory is gone
	publish(t, hub, "run", "error")
	x.shows("● Live", "✗ Idle, failed")
	x.press("q")
	x.ends(0)
}

// Nothing of a hostile run reaches the terminal as an escape; without colour
// there is no colour.
func TestWatchHostileRunOnATerminal(t *testing.T) {
	t.Parallel()
	_, hub := serveHub(t)
	p := start(t, nil, "publish", "--run", "hostile", "--to", hub, "--title", "\x1b]0;OWNED\x07title", hostileSession(t))
	if code := p.wait(); code != 0 {
		t.Fatalf("publish: exit code %d", code)
	}
	for _, c := range []struct {
		name string
		env  []string
		args []string
	}{{"colour", nil, nil}, {"NO_COLOR", []string{"NO_COLOR=1"}, nil}, {"--no-color", nil, []string{"--no-color"}}} {
		t.Run(c.name, func(t *testing.T) {
			x := onTerminal(t, 100, 40, c.env, append([]string{"watch", "hostile", "--hub", hub, "--until-idle"}, c.args...)...)
			x.ends(5) // the worker left in the middle
			x = onTerminal(t, 100, 40, c.env, append([]string{"watch", "hostile", "--hub", hub}, c.args...)...)
			x.shows("visible", "EVIL", "title")
			x.press("e\r")
			x.shows("| Error")
			x.press("q")
			x.ends(0)
			raw := x.raw.String()
			for _, bad := range []string{"\x1b]0;OWNED", "\x1b]52;", "\x1bP1;1|", "\u202e", "\u009b", "\u2028", "\x1b[31mEVIL"} {
				if strings.Contains(raw, bad) {
					t.Errorf("%q reached the terminal", bad)
				}
			}
			coloured := strings.Contains(raw, "\x1b[38;") || strings.Contains(raw, ";38;")
			if want := c.name == "colour"; coloured != want {
				t.Errorf("coloured: %v, want %v", coloured, want)
			}
		})
	}
}

// --until-idle ends the screen, and the exit code says how the run ended.
func TestWatchUntilIdleOnATerminal(t *testing.T) {
	t.Parallel()
	_, hub := serveHub(t)
	publish(t, hub, "bad", "error")
	onTerminal(t, 80, 24, nil, "watch", "bad", "--hub", hub, "--until-idle").ends(3)
	publish(t, hub, "good", "parallel")
	onTerminal(t, 80, 24, nil, "watch", "good", "--hub", hub, "--until-idle").ends(0)
	x := onTerminal(t, 80, 24, nil, "watch", "none", "--hub", hub, "--until-idle")
	x.shows("Waiting for the run")
	x.press("\x03")
	x.ends(130) // left before it was over
}
