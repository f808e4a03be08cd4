package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/hub/view"
)

// script writes a model's script to a file.
func script(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "model.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return "scripted:" + file
}

// bashScript is a model that calls bash once, with a command, and then says that
// it is done; after that it greets.
func bashScript(t *testing.T, command string) string {
	t.Helper()
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	return script(t, `{"responses":[{"steps":[{"text":"I run it."},{"call":{"name":"bash","arguments":`+string(args)+`}}]},
		{"steps":[{"text":"done"}]},{"steps":[{"text":"hello"}]}]}`)
}

// startWork starts hub work with a standard input that stays open until the
// returned writer is closed.
func startWork(t *testing.T, args ...string) (*process, *io.PipeWriter) {
	t.Helper()
	in, feed := io.Pipe()
	p := start(t, in, append([]string{"work", "--run", "r"}, args...)...)
	t.Cleanup(func() { _ = feed.Close() }) // before the process is waited for
	return p, feed
}

// folded is a run as the hub's API shows it.
func folded(t *testing.T, hub string) *view.View {
	t.Helper()
	body, status := get(t, hub+"/api/runs/r")
	if status != http.StatusOK {
		return view.New()
	}
	var s struct {
		View jsontext.Value `json:"view"`
	}
	if err := json.Unmarshal(body, &s); err != nil {
		t.Fatal(err)
	}
	v, err := view.Decode(s.View)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// until waits until the run looks as want says.
func until(t *testing.T, hub, what string, want func(*view.View) bool) *view.View {
	t.Helper()
	var v *view.View
	eventually(t, what, func() bool { v = folded(t, hub); return want(v) })
	return v
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never: %s", what)
		}
	}
}

func running(key string) func(*view.View) bool {
	return func(v *view.View) bool { return v.Tools[key] != nil && v.Tools[key].Status == view.CardRunning }
}

func statusOf(v *view.View, key string) string {
	if v.Tools[key] == nil {
		return "absent"
	}
	return v.Tools[key].Status
}

// said is the conversation, a line a message.
func said(v *view.View) string {
	var b strings.Builder
	for _, m := range v.Msgs {
		fmt.Fprintf(&b, "%s: %s", m.Role, m.Text)
		if m.StopReason != "" {
			fmt.Fprintf(&b, " (%s)", m.StopReason)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestWorkScripted(t *testing.T) {
	_, hub := serveHub(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("alpha\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	model := script(t, `{"responses":[
		{"steps":[{"thinking":"hm"},{"text":"Looking."},
			{"call":{"name":"read","arguments":{"path":"a.txt"}}},
			{"call":{"name":"bash","arguments":{"command":"echo out; exit 3"}}},
			{"call":{"name":"fly","arguments":{}}},
			{"call":{"name":"read","arguments":{"file":"a.txt"}}}]},
		{"steps":[{"text":"It says alpha."}]},
		{"steps":[{"text":"Second answer, \u001b[31mred."}]}]}`)
	in := strings.NewReader("\n  and more \n")
	p := start(t, in, "work", "--run", "r", "--to", hub, "--model", model, "--workspace", dir, "--tools", "read,bash", "--prompt", "What is in it?")
	if code := p.wait(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	for _, want := range []string{"watch at " + hub + "/r/r", "It says alpha.", "Second answer, [31mred.", " 0 lost; 2 prompts, 0 failed"} {
		if !strings.Contains(p.stdout.String(), want) {
			t.Errorf("standard output lacks %q", want)
		}
	}
	v := folded(t, hub)
	if got, want := said(v), "user: What is in it?\nassistant: Looking. (toolUse)\nassistant: It says alpha. (stop)\nuser: and more\nassistant: Second answer, \u001b[31mred. (stop)\n"; got != want {
		t.Errorf("conversation:\n%s", got)
	}
	for key, want := range map[string]string{"c1": view.Done, "c2": view.Failed, "c3": view.Failed, "c4": view.Failed} {
		if got := statusOf(v, key); got != want {
			t.Errorf("card %s is %s, want %s", key, got, want)
		}
	}
	if text := v.Tools["c1"].ResultText; text != "alpha\n" {
		t.Errorf("c1 gave %q", text)
	}
	if v.RunStatus != view.Idle || v.Worker != view.WorkerGone || v.Outcome != view.OutcomeOK || v.Run.Title != "What is in it?" {
		t.Errorf("ended as %s, worker %s, outcome %s, run %+v", v.RunStatus, v.Worker, v.Outcome, v.Run)
	}
	if got := foldHistory(t, hub, "r"); got != getRun(t, hub, "r").Hash {
		t.Error("the history folds to something else than the hub shows")
	}
}

// SIGINT aborts the turn; the next prompt is worked off as if nothing had been.
// When idle it ends the process.
func TestWorkInterrupt(t *testing.T) {
	_, hub := serveHub(t)
	model := script(t, `{"responses":[{"steps":[{"call":{"name":"bash","arguments":{"command":"echo begun; sleep 600"}}}]},
		{"steps":[{"text":"not reached"}]},{"steps":[{"text":"hello"}]}]}`)
	p, feed := startWork(t, "--to", hub, "--model", model, "--workspace", t.TempDir(), "--tools", "bash", "--prompt", "wait")
	until(t, hub, "the command runs", running("c1"))
	signalTo(t, p, syscall.SIGINT)
	p.waitFor("hub work: aborted")
	v := until(t, hub, "the run is idle", func(v *view.View) bool { return v.RunStatus == view.Idle })
	if statusOf(v, "c1") != view.Failed || v.Outcome != view.OutcomeAborted || v.Worker != view.WorkerLive {
		t.Errorf("card %s, outcome %s, worker %s", statusOf(v, "c1"), v.Outcome, v.Worker)
	}
	if _, err := io.WriteString(feed, "go on\n"); err != nil {
		t.Fatal(err)
	}
	until(t, hub, "the next prompt is answered", func(v *view.View) bool { return v.Outcome == view.OutcomeOK && v.RunStatus == view.Idle })
	signalTo(t, p, syscall.SIGINT)
	_ = feed.Close()
	if code := p.wait(); code != 1 { // the first prompt counts as failed
		t.Errorf("exit code %d, want 1", code)
	}
	if v := folded(t, hub); v.Worker != view.WorkerGone {
		t.Errorf("worker %s", v.Worker)
	}
}

func signalTo(t *testing.T, p *process, sig os.Signal) {
	t.Helper()
	if err := p.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

// SIGTERM settles the run, also when a command does not care for being asked.
// The process says so itself when it had to be quicker than that.
func TestWorkTerminate(t *testing.T) {
	for name, again := range map[string]os.Signal{"SIGTERM": nil, "SIGINT twice": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			_, hub := serveHub(t)
			mark := markFile(t)
			p, feed := startWork(t, "--to", hub, "--model", bashScript(t, "trap '' TERM INT; echo begun; while true; do sleep 0.1; : "+mark+"; done"),
				"--workspace", t.TempDir(), "--tools", "bash", "--prompt", "wait")
			until(t, hub, "the command runs", running("c1"))
			if again == nil {
				signalTo(t, p, syscall.SIGTERM)
			} else {
				signalTo(t, p, again)
				p.waitFor("once more ends the process")
				signalTo(t, p, again)
			}
			_ = feed.Close()
			if code := p.wait(); code != 1 {
				t.Errorf("exit code %d, want 1: the turn was cut", code)
			}
			if strings.Contains(p.stderr.String(), "did not stop in time") {
				t.Error("it had to be killed")
			}
			v := folded(t, hub)
			if statusOf(v, "c1") != view.Failed || v.RunStatus != view.Idle || v.Outcome != view.OutcomeAborted || v.Worker != view.WorkerGone {
				t.Errorf("card %s, %s, outcome %s, worker %s", statusOf(v, "c1"), v.RunStatus, v.Outcome, v.Worker)
			}
			noProcess(t, mark)
		})
	}
}

// markFile is a text that no other process has in its command line.
func markFile(t *testing.T) string { return filepath.Join(t.TempDir(), "mark") }

// noProcess waits until no process has mark in its command line.
func noProcess(t *testing.T, mark string) {
	t.Helper()
	eventually(t, "no process is left", func() bool { return !marked(mark) })
}

func marked(mark string) bool {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err == nil && bytes.Contains(line, []byte(mark)) {
			return true
		}
	}
	return false
}

// A worker that is killed leaves nothing running, whatever its commands do.
func TestWorkKilled(t *testing.T) {
	_, hub := serveHub(t)
	mark := markFile(t)
	command := fmt.Sprintf("trap '' TERM; (setsid sh -c 'while sleep 0.1; do : %s; done' &); echo begun; while sleep 0.1; do : %s; done", mark, mark)
	p, feed := startWork(t, "--to", hub, "--model", bashScript(t, command), "--workspace", t.TempDir(), "--tools", "bash", "--prompt", "wait")
	until(t, hub, "the command runs", running("c1"))
	eventually(t, "the command is there", func() bool { return marked(mark) })
	_ = p.Process.Kill()
	_ = feed.Close()
	p.wait()
	noProcess(t, mark)
}

// A worker whose run is taken stops its agent and its commands, and says why.
func TestWorkTakenOver(t *testing.T) {
	_, hub := serveHub(t)
	mark := markFile(t)
	first, feed := startWork(t, "--to", hub, "--model", bashScript(t, "echo begun; while sleep 0.1; do : "+mark+"; done"),
		"--workspace", t.TempDir(), "--tools", "bash", "--prompt", "wait")
	until(t, hub, "the command runs", running("c1"))

	model := script(t, `{"responses":[{"steps":[{"text":"mine"}]}]}`)
	refused := start(t, nil, "work", "--run", "r", "--to", hub, "--model", model, "--prompt", "no")
	if code := refused.wait(); code != 1 || !strings.Contains(refused.stderr.String(), "--takeover takes it") || strings.Contains(refused.stdout.String(), "mine") {
		t.Errorf("the second worker: exit code %d", code)
	}
	second := start(t, nil, "work", "--run", "r", "--to", hub, "--model", model, "--prompt", "yes", "--takeover")
	if code := second.wait(); code != 0 {
		t.Errorf("takeover: exit code %d", code)
	}
	_ = feed.Close()
	if code := first.wait(); code != 1 {
		t.Errorf("the first worker: exit code %d, want 1", code)
	}
	noProcess(t, mark)
	v := folded(t, hub)
	if statusOf(v, "c1") != view.Lost || !strings.HasSuffix(said(v), "user: yes\nassistant: mine (stop)\n") {
		t.Errorf("card %s, conversation\n%s", statusOf(v, "c1"), said(v))
	}
}

// The agent works on while the hub is away, from the beginning or in between,
// and what it did is shown when the hub is back.
func TestWorkHubAway(t *testing.T) {
	old, hub := serveHub(t)
	_ = old.Process.Kill()
	<-old.exited
	dir := t.TempDir()
	mark := filepath.Join(dir, "done")
	p, feed := startWork(t, "--to", hub, "--model", bashScript(t, "seq 1 20000; touch done"), "--workspace", dir, "--tools", "bash", "--prompt", "work")
	p.waitFor("is away")
	eventually(t, "the command is done", func() bool { _, err := os.Stat(mark); return err == nil })
	eventually(t, "the answer is given", func() bool { return strings.Contains(p.stdout.String(), "done\n") })
	if _, err := io.WriteString(feed, "and a greeting\n"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the second answer is given", func() bool { return strings.Contains(p.stdout.String(), "hello\n") })
	again := start(t, nil, "serve", "--addr", strings.TrimPrefix(hub, "http://"))
	again.address()
	_ = feed.Close()
	if code := p.wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	v := folded(t, hub)
	if want := "user: work\nassistant: I run it. (toolUse)\nassistant: done (stop)\nuser: and a greeting\nassistant: hello (stop)\n"; said(v) != want {
		t.Errorf("conversation:\n%s", said(v))
	}
	if statusOf(v, "c1") != view.Done || !v.Tools["c1"].Output {
		t.Errorf("card: %+v", v.Tools["c1"])
	}
}

// A hub that never comes back is no reason to hang: a signal ends the wait, and
// the exit code says that events were lost.
func TestWorkSignalWhileDraining(t *testing.T) {
	model := script(t, `{"responses":[{"steps":[{"text":"hello"}]}]}`)
	p := start(t, nil, "work", "--run", "r", "--to", "http://127.0.0.1:9", "--model", model, "--prompt", "x")
	p.waitFor("is away")
	signalTo(t, p, syscall.SIGTERM)
	if code := p.wait(); code != 1 || !strings.Contains(p.stderr.String(), "lost") {
		t.Errorf("exit code %d", code)
	}
}

func TestWorkBadCommandLines(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	model := script(t, `{"responses":[{"steps":[]}]}`)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--prompt", "x"}, 2, "--model"},
		{[]string{"--model", "gpt"}, 1, "want openai:NAME"},
		{[]string{"--model", "magic:x"}, 1, `there is no kind "magic"`},
		{[]string{"--model", "openai:x"}, 1, "OPENAI_API_KEY is not set"},
		{[]string{"--model", "openai:x", "--base-url", "nowhere"}, 1, "BaseURL"},
		{[]string{"--model", "scripted:no-such-file"}, 1, "no-such-file"},
		{[]string{"--model", script(t, `{"responses":[]}`)}, 1, "responses: there are none"},
		{[]string{"--model", model, "--tools", "read,fly"}, 1, `there is no tool "fly"`},
		{[]string{"--model", model, "--workspace", "/no/such/folder"}, 2, "/no/such/folder"},
		{[]string{"--model", model, "--run", "bad id"}, 1, `--run "bad id"`},
		{[]string{"--model", model, "--to", "ftp://x"}, 1, "--to"},
		{[]string{"--model", model, "--to", "http://127.0.0.1:9", "--drain", "10ms"}, 1, "no prompt"},
	} {
		p := start(t, nil, append([]string{"work"}, c.args...)...)
		if code := p.wait(); code != c.code || !strings.Contains(p.stderr.String(), c.want) {
			t.Errorf("%v: exit code %d, %s; want %d and %q", c.args, code, p.stderr, c.code, c.want)
		}
	}
}
