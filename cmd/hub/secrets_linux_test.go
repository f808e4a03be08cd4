package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ringside-hub/ringside/hub/view"
)

// nobody owns nothing on this machine.
const nobody = 65534

// A command that the model runs is of the same user as the worker, whose
// environment has the model's key. As root, which may read everything, the worker
// is run as somebody else.
func TestToolsCannotReadSecrets(t *testing.T) {
	_, hub := serveHub(t)
	dir, err := os.MkdirTemp("", "ringside-secrets-") // the test's own folder is closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	text := `{"responses":[{"steps":[{"call":{"name":"bash","arguments":{"command":` +
		`"up() { sed -n 's/^PPid:[^0-9]*//p' /proc/$1/status; }; w=$(up $PPID); cat /proc/$w/comm; cat /proc/$w/environ /proc/$PPID/environ || echo refused"}}}]},{"steps":[{"text":"done"}]}]}`
	model, program := filepath.Join(dir, "model.json"), filepath.Join(dir, "hub.test")
	if err := os.WriteFile(model, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	copyProgram(t, program)
	p := startWith(t, nil, func(c *exec.Cmd) {
		c.Path, c.Dir = program, dir
		c.Env = append(c.Env, "RINGSIDE_TEST_SECRET=do-not-tell")
		if os.Getuid() == 0 {
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
	}, "work", "--run", "r", "--to", hub, "--model", "scripted:"+model, "--workspace", dir, "--tools", "bash", "--prompt", "look")
	if code := p.wait(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	v := folded(t, hub)
	if statusOf(v, "c1") != view.Done {
		t.Fatalf("card %+v", v.Tools["c1"])
	}
	out := v.Tools["c1"].ResultText
	if !strings.HasPrefix(out, "hub.test\n") || !strings.Contains(out, "refused") || strings.Contains(out, "do-not-tell") {
		t.Errorf("the command could read %d bytes: %.20q …", len(out), out)
	}
}

func copyProgram(t *testing.T, to string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
