//go:build linux

package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ringside-hub/ringside/tools"
)

// What leads out of the workspace, or is no file of its own, is refused by every
// tool that takes a path, and nothing about the place outside is told.
func TestPathsAreConfined(t *testing.T) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret.txt")
	if err := os.WriteFile(secret, []byte("the secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, nil, map[string]string{"ok.txt": "fine\n", "sub/deep/a.txt": "x\n"})
	for name, target := range map[string]string{
		"link": secret, "linkdir": outside, "relative": "../" + filepath.Base(outside) + "/secret.txt", "sub/up": "../../..",
		"loop": "loop", "etc": "/etc", "new": filepath.Join(outside, "made.txt"), "inside": "sub/deep/a.txt",
	} {
		if err := os.Symlink(target, b.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(secret, b.path("hard")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(b.path("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	escapes := map[string]string{
		"../x": "out of the workspace", "../../etc/passwd": "out of the workspace", "/etc/passwd": "out of the workspace",
		"sub/../../x": "out of the workspace", secret: "out of the workspace", "link": "out of the workspace",
		"linkdir/secret.txt": "out of the workspace", "relative": "out of the workspace", "sub/up/etc/passwd": "out of the workspace",
		"etc/passwd": "out of the workspace", "new": "out of the workspace", "loop": "symbolic links",
		"hard": "hard links", "fifo": "not a regular file", "sub": "folder", "a\x00b": "NUL", strings.Repeat("a/", 3000): "too long",
		strings.Repeat("n", 300): "name too long", "ok.txt/x": "not a folder",
	}
	for path, want := range escapes {
		b.fails("read", object{"path": path}, want)
		b.fails("edit", object{"path": path, "edits": []object{{"oldText": "secret", "newText": "gone"}}}, want)
		b.fails("write", object{"path": path, "content": "overwritten"}, want)
	}
	for _, path := range []string{"..", "/", "/etc", "linkdir", "sub/up", "etc"} {
		b.fails("ls", object{"path": path}, "out of the workspace")
		b.fails("scan", object{"path": path}, "out of the workspace")
		b.fails("grep", object{"path": path, "pattern": "secret"}, "out of the workspace")
	}
	for _, name := range []string{"grep", "scan"} {
		args := object{}
		if name == "grep" {
			args["pattern"] = "secret"
		}
		if a := b.good(name, args); strings.Contains(a.text, "secret") {
			t.Errorf("%s followed a link: %q", name, a.text)
		}
	}
	if data, _ := os.ReadFile(secret); string(data) != "the secret" {
		t.Errorf("the file outside is %q", data)
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 1 {
		t.Errorf("outside there is now %v", entries)
	}
	// What stays inside is fine, also by its whole path.
	for _, path := range []string{"inside", "./sub/deep/../deep/a.txt", b.path("sub/deep/a.txt")} {
		if a := b.good("read", object{"path": path}); a.text != "x\n" {
			t.Errorf("%s: %q", path, a.text)
		}
	}
}

// The workspace may itself be reached through a link.
func TestWorkspaceIsALink(t *testing.T) {
	physical, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(physical, link); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, func(w *tools.Workspace) { w.Dir = link }, nil)
	b.good("write", object{"path": filepath.Join(link, "a"), "content": "x\n"})
	if a := b.good("read", object{"path": filepath.Join(physical, "a")}); a.text != "x\n" {
		t.Errorf("%q", a.text)
	}
	if a := b.good("bash", object{"command": "pwd; cat a"}); a.text != physical+"\nx\n" {
		t.Errorf("%q", a.text)
	}
	b.fails("read", object{"path": filepath.Dir(physical)}, "out of the workspace")
}

func TestHardLinksMayBeAllowed(t *testing.T) {
	b := newBench(t, func(w *tools.Workspace) { w.AllowHardLinks = true }, map[string]string{"a": "one\n"})
	if err := os.Link(b.path("a"), b.path("b")); err != nil {
		t.Fatal(err)
	}
	b.good("read", object{"path": "b"})
	b.good("write", object{"path": "b", "content": "two\n"})
	if b.get("a") != "one\n" || b.get("b") != "two\n" {
		t.Error("the other name's file has been changed")
	}
}

// A workspace that contains the system's own files does not give them away.
func TestKernelFilesAreRefused(t *testing.T) {
	root, err := tools.NewForTest(tools.Workspace{Dir: "/"}, "read", "ls")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, nil, nil)
	b.tools["read"], b.tools["ls"] = root[0], root[1]
	b.fails("read", object{"path": "proc/self/environ"}, "operating system")
	b.fails("read", object{"path": "/proc/1/status"}, "operating system")
	b.fails("read", object{"path": "dev/zero"}, "not a regular file")
	b.fails("ls", object{"path": "proc"}, "operating system")
}

// While a folder and a link that leads out change places, nothing from outside is
// ever read or written.
func TestSymlinkRace(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "f"), []byte("outside"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, nil, map[string]string{"d/f": "inside"})
	if err := os.Symlink(outside, b.path("l")); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				_ = exchange(b.path("d"), b.path("l"))
			}
		}
	}()
	for range 300 {
		for _, a := range []answer{
			b.call("read", object{"path": "d/f"}), b.call("grep", object{"pattern": "side", "path": "d"}), b.call("ls", object{"path": "d"}),
			b.call("edit", object{"path": "d/f", "edits": []object{{"oldText": "outside", "newText": "changed"}}}),
		} {
			if strings.Contains(a.text, "outside") {
				t.Fatalf("read from outside: %q", a.text)
			}
		}
		b.call("write", object{"path": "d/g", "content": "x"})
	}
	close(stop)
	<-stopped
	entries, err := os.ReadDir(outside)
	if data, _ := os.ReadFile(filepath.Join(outside, "f")); err != nil || len(entries) != 1 || string(data) != "outside" {
		t.Errorf("outside there is now %v %q", entries, data)
	}
}

func TestWorkspaceVanishes(t *testing.T) {
	b := newBench(t, nil, map[string]string{"a": "x\n"})
	if err := os.RemoveAll(b.dir); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string]object{
		"scan": {}, "ls": {}, "read": {"path": "a"}, "grep": {"pattern": "x"}, "write": {"path": "a", "content": ""},
		"edit": {"path": "a", "edits": []object{{"oldText": "x", "newText": "y"}}}, "bash": {"command": "true"},
	} {
		b.fails(name, args, "the workspace does not exist any more")
	}
	// It may come back.
	b.put("a", "again\n")
	if a := b.good("read", object{"path": "a"}); a.text != "again\n" {
		t.Errorf("%q", a.text)
	}
	if err := os.RemoveAll(b.dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.dir, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	b.fails("ls", object{}, "cannot be opened: not a directory")
}

func TestNewRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		w     tools.Workspace
		names []string
		want  string
	}{
		{tools.Workspace{}, nil, "Dir is empty"},
		{tools.Workspace{Dir: filepath.Join(dir, "none")}, nil, "no such file"},
		{tools.Workspace{Dir: file}, nil, "not a folder"},
		{tools.Workspace{Dir: dir}, []string{"read", "shell"}, `no tool "shell": there are scan, ls, read, grep, write, edit, bash, fetch`},
		{tools.Workspace{Dir: dir}, []string{"read", "read"}, "named twice"},
		{tools.Workspace{Dir: dir, Limits: tools.Limits{Entries: -1}}, nil, "Limits.Entries is -1"},
		{tools.Workspace{Dir: dir, Limits: tools.Limits{Grace: -1}}, nil, "Limits.Grace"},
		{tools.Workspace{Dir: dir, Limits: tools.Limits{ResultBytes: 1}}, nil, "at least 4096"},
	} {
		if _, err := tools.New(c.w, c.names...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.names, err, c.want)
		}
	}
}

// Arguments that nobody has checked against the schema do no harm.
func TestOddArguments(t *testing.T) {
	b := newBench(t, nil, map[string]string{"a": "x\n"})
	for args, want := range map[string]string{
		`{"path":1}`:              "path: it is of another type",
		`{"path":"a","more":1}`:   "more: there is no such parameter",
		`{"path":"a","path":"a"}`: "duplicate",
		"{\"path\":\"\xff\"}":     "UTF-8",
		`[]`:                      "root: it is of another type",
		`{`:                       "EOF",
	} {
		b.fails("read", args, want)
	}
	b.fails("edit", object{"path": "a"}, "0 edits")
	b.good("read", `{"path":"a","offset":1.0,"limit":1e2}`)
	b.good("read", `{"path":"a","offset":-1e300,"limit":1e300}`)
	b.good("grep", `{"pattern":"x","context":1e300,"limit":-5}`)
	b.good("ls", `{}`)
	b.good("ls", `null`)
}

func TestLs(t *testing.T) {
	b := newBench(t, func(w *tools.Workspace) { w.Limits.Entries = 5000 }, map[string]string{"b": "", ".hidden": "", "dir/x": "", "odd\nname\x1b": ""})
	if err := os.Symlink("b", b.path("link")); err != nil {
		t.Fatal(err)
	}
	a := b.good("ls", object{})
	if want := ".hidden\nb\ndir/\nlink@\n\"odd\\nname\\x1b\"\n"; a.text != want {
		t.Errorf("%q, want %q", a.text, want)
	}
	if a.details["done"] != 5.0 || a.details["total"] != 5.0 {
		t.Errorf("details %v", a.details)
	}
	if a = b.good("ls", object{"path": "dir/../dir"}); a.text != "x\n" {
		t.Errorf("%q", a.text)
	}
	b.fails("ls", object{"path": "b"}, "not a folder")
	b.fails("ls", object{"path": "none"}, "none: no such file or folder")
	for i := range 6000 {
		b.put(fmt.Sprintf("huge/%05d", i), "")
	}
	if a = b.good("ls", object{"path": "huge"}); !strings.HasSuffix(a.text, "[1000 of more than 5000 entries]\n") {
		t.Errorf("ends in %q", a.text[len(a.text)-60:])
	}
	if a = b.good("scan", object{}); a.details["partial"] != true {
		t.Errorf("details %v", a.details)
	}
}

// exchange lets two names change places in one step.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
