package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/go-json-experiment/json"

	"github.com/ringside-hub/ringside/cmd/hub/internal/term"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/hub/wire"
)

func publish(t *testing.T, hub, run, session string) {
	t.Helper()
	p := start(t, nil, "publish", "--run", run, "--to", hub, "../../agent/pijson/testdata/"+session+".jsonl")
	if code := p.wait(); code != 0 {
		t.Fatalf("publish %s: exit code %d", session, code)
	}
}

// harmless fails where a terminal would do anything but show what was printed.
func harmless(t *testing.T, what, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && r != ' ' && (!unicode.IsPrint(r) || unicode.Is(unicode.Cf, r)) {
			t.Errorf("%s printed %U", what, r)
			return
		}
	}
}

// foldJSON folds what --json printed, as a script would that knows the wire.
func foldJSON(t *testing.T, out string) (*view.View, runlog.Position) {
	t.Helper()
	v, at := view.New(), runlog.Position{}
	for line := range strings.Lines(out) {
		m, err := wire.DecodeHub([]byte(line))
		if err != nil {
			t.Fatalf("%v in %.200s", err, line)
		}
		switch m := m.(type) {
		case wire.Snapshot:
			if v, err = view.Decode(m.View); err != nil {
				t.Fatal(err)
			}
			at = m.Position
		case wire.Events:
			if m.Seq != at.Seq+1 {
				t.Fatalf("seq %d after %d", m.Seq, at.Seq)
			}
			for _, raw := range m.Events {
				e, err := view.DecodeEvent(raw)
				if err != nil {
					t.Fatal(err)
				}
				v.Apply(&e)
				at.Seq++
			}
		}
	}
	return v, at
}

// Recorded sessions, watched as JSON and in lines until they are over: exit
// codes tell how they ended, and what was printed folds to the hub's view.
func TestWatchUntilIdle(t *testing.T) {
	t.Parallel()
	_, hub := serveHub(t)
	for _, c := range []struct {
		session string
		code    int
		says    string
	}{
		{"parallel", term.ExitFinished, "finished"},
		{"nested", term.ExitFinished, "finished"},
		{"error", term.ExitRunFailed, "failed"},
		{"aborted", term.ExitRunAborted, "aborted"},
	} {
		t.Run(c.session, func(t *testing.T) {
			publish(t, hub, c.session, c.session)
			asJSON := start(t, nil, "watch", c.session, "--hub", hub, "--json", "--until-idle")
			if code := asJSON.wait(); code != c.code {
				t.Errorf("--json: exit code %d, want %d", code, c.code)
			}
			harmless(t, "--json", asJSON.stdout.String())
			v, at := foldJSON(t, asJSON.stdout.String())
			if s := getRun(t, hub, c.session); v.Hash() != s.Hash || at.Seq != s.Seq {
				t.Errorf("what was printed folds to %s at %d, the hub has %s at %d", v.Hash(), at.Seq, s.Hash, s.Seq)
			}
			asLines := start(t, nil, "watch", c.session, "--hub", hub, "--until-idle") // no terminal
			if code := asLines.wait(); code != c.code {
				t.Errorf("lines: exit code %d, want %d", code, c.code)
			}
			harmless(t, "lines", asLines.stdout.String())
			if out := asLines.stdout.String(); !strings.Contains(out, "(join): "+c.says) {
				t.Errorf("does not say %q: %s", c.says, out)
			}
		})
	}
}

// Who waits for a run that nobody has published yet sees all of it, line by line,
// and a hub that dies in between is no end: only an event is.
func TestWatchFromBeforeTheBeginning(t *testing.T) {
	t.Parallel()
	old, hub := serveHub(t)
	lines := start(t, nil, "watch", "later", "--hub", hub, "--plain", "--wait", "--until-idle")
	none := start(t, nil, "watch", "later", "--hub", hub, "--plain", "--until-idle")
	if code := none.wait(); code != 1 || !strings.Contains(none.stderr.String(), "No run with this id") {
		t.Errorf("an unknown run: exit code %d, %s", code, none.stderr)
	}
	lines.waitForLine("No run with this id")

	in, feed := io.Pipe()
	p := start(t, in, "publish", "--run", "later", "--to", hub)
	say := func(lines ...string) {
		if _, err := io.WriteString(feed, strings.Join(lines, "\n")+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	say(`{"type":"agent_start"}`, `{"type":"turn_start"}`, `{"type":"tool_execution_start","toolCallId":"a","toolName":"bash","args":{"command":"make"}}`)
	lines.waitForLine("snapshot at event")
	_ = old.Process.Kill()
	<-old.exited
	lines.waitForLine("no connection")
	again := start(t, nil, "serve", "--addr", strings.TrimPrefix(hub, "http://"))
	again.address()
	lines.waitForLine("snapshot at event") // the hub's memory is gone: a new epoch
	say(`{"type":"tool_execution_end","toolCallId":"a","toolName":"bash","result":{"content":[{"type":"text","text":"boom"}]},"isError":true}`)
	lines.waitForLine("bash (c1) failed")
	if strings.Contains(lines.stdout.String(), "settled") {
		t.Error("settled before the run was")
	}
	left := start(t, nil, "watch", "later", "--hub", hub, "--json", "--until-idle")
	left.waitForLine(`"type":"snapshot"`)
	_ = left.Process.Signal(os.Interrupt)
	if code := left.wait(); code != term.ExitLeft {
		t.Errorf("left before the end: exit code %d", code)
	}
	say(`{"type":"turn_end","message":{"role":"assistant","content":[],"stopReason":"stop"},"toolResults":[]}`, `{"type":"agent_end","messages":[]}`)
	_ = feed.Close()
	if code := p.wait(); code != 0 {
		t.Errorf("publish: exit code %d", code)
	}
	if code := lines.wait(); code != 0 && code != term.ExitWorkerLost {
		t.Errorf("exit code %d", code)
	}
}

// waitForLine waits for a line of standard output.
func (p *process) waitForLine(text string) {
	p.t.Helper()
	for {
		select {
		case line := <-p.lines:
			if strings.Contains(line, text) {
				return
			}
		case <-p.exited:
			p.t.Fatalf("%v ended before it said %q", p.Args[1:], text)
		case <-p.t.Context().Done():
			p.t.Fatalf("%v never said %q", p.Args[1:], text)
		}
	}
}

// hostileSession is a session whose every text would do something to a terminal.
func hostileSession(t *testing.T) string {
	t.Helper()
	evil := "\x1b]0;OWNED\x07\x1b[31mEVIL\u202e\u009b2J\x1b]52;c;T1dORUQ=\x07\u2028\x1bP1;1|x\x1b\\"
	text, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	session := strings.NewReplacer("EVIL", string(text)).Replace(strings.Join([]string{
		`{"type":"agent_start"}`,
		`{"type":"turn_start"}`,
		`{"type":"message_end","message":{"role":"user","content":EVIL,"timestamp":1796131858337}}`,
		`{"type":"tool_execution_start","toolCallId":EVIL,"toolName":EVIL,"args":{"command":EVIL}}`,
		`{"type":"tool_execution_update","toolCallId":EVIL,"toolName":EVIL,"args":{},"partialResult":{"content":[{"type":"text","text":EVIL}]}}`,
		`{"type":"tool_execution_end","toolCallId":EVIL,"toolName":EVIL,"result":{"content":[{"type":"text","text":EVIL}]},"isError":true}`,
		`{"type":"tool_execution_start","toolCallId":"b","toolName":"visible","args":{}}`,
	}, "\n")) + "\n"
	file := filepath.Join(t.TempDir(), "hostile.jsonl")
	if err := os.WriteFile(file, []byte(session), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Escapes in a run's texts are harmless wherever they are printed.
func TestWatchHostileRun(t *testing.T) {
	t.Parallel()
	_, hub := serveHub(t)
	title := "\x1b]0;OWNED\x07\u202etitle"
	p := start(t, nil, "publish", "--run", "hostile", "--to", hub, "--title", title, hostileSession(t))
	if code := p.wait(); code != 0 {
		t.Fatalf("publish: exit code %d", code)
	}
	for _, args := range [][]string{
		{"watch", "hostile", "--json", "--until-idle"}, {"watch", "hostile", "--plain", "--until-idle"}, {"runs"}, {"runs", "--json"},
	} {
		w := start(t, nil, append(args, "--hub", hub)...)
		w.wait()
		out := w.stdout.String()
		if out == "" || args[0] == "watch" && len(args) == 4 && w.ProcessState.ExitCode() != term.ExitWorkerLost {
			t.Errorf("%v: exit code %d, %q", args, w.ProcessState.ExitCode(), out)
		}
		harmless(t, fmt.Sprint(args), out)
	}
}

func TestRuns(t *testing.T) {
	t.Parallel()
	_, hub := serveHub(t)
	empty := start(t, nil, "runs", "--hub", hub)
	if code := empty.wait(); code != 0 || !strings.HasPrefix(empty.stdout.String(), "RUN") {
		t.Errorf("no runs: exit code %d, %q", code, empty.stdout)
	}
	publish(t, hub, "first", "parallel")
	publish(t, hub, "second", "error")
	table := start(t, nil, "runs", "--hub", hub)
	table.wait()
	for _, want := range []string{"first", "Finished, worker left", "second", "Failed, worker left"} {
		if !strings.Contains(table.stdout.String(), want) {
			t.Errorf("%q is missing:\n%s", want, table.stdout)
		}
	}
	asJSON := start(t, nil, "runs", "--hub", hub, "--json")
	asJSON.wait()
	found := map[string]string{}
	for line := range strings.Lines(asJSON.stdout.String()) {
		var r runlog.RunSummary
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		found[r.Run] = r.Outcome
	}
	if found["first"] != view.OutcomeOK || found["second"] != view.OutcomeError {
		t.Errorf("runs: %v", found)
	}
}

func TestWatchBadCommandLines(t *testing.T) {
	_, hub := serveHub(t)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"watch", "--hub", hub}, 1, "which run?"},
		{[]string{"watch", "bad id", "--hub", hub}, 1, "bad run id"},
		{[]string{"watch", "r", "--hub", "ftp://x"}, 1, "--hub"},
		{[]string{"watch", "r", "--json", "--plain"}, 2, "--json"},
		{[]string{"watch", "r", "--hub", hub, "--token-file", "no-such-file"}, 1, "--token-file"},
		{[]string{"runs", "--hub", "http://127.0.0.1:9"}, 1, "does not answer"},
	} {
		p := start(t, nil, c.args...)
		if code := p.wait(); code != c.code || !strings.Contains(p.stderr.String(), c.want) {
			t.Errorf("%v: exit code %d, %s; want %d and %q", c.args, code, p.stderr, c.code, c.want)
		}
	}
}
