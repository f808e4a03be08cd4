package projector_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/projector"
)

var rewrite = flag.Bool("update", false, "rewrite the golden runs")

// The golden runs: whole runs as their readers get them, one event per line; a
// blank line ends what a flush gave.
func TestGoldenRuns(t *testing.T) {
	ada := projector.NewRedactor(projector.RedactConfig{
		Home: "/home/ada", Cwd: "/home/ada/demo", Environ: []string{"DEMO_API_KEY=correct-horse-9"},
	})
	for _, run := range []struct {
		name   string
		config projector.Config
		events []agent.Event
	}{
		{"parallel", projector.Config{Source: "pi"}, parallelRun()},
		{"reused-ids", projector.Config{}, append(reusedRun("first"), reusedRun("second")...)},
		{"changed-ids", projector.Config{}, changedRun()},
		{"growing", projector.Config{Limits: projector.Limits{Progress: 400, ProgressTail: 200, Result: 300}}, growingRun()},
		{"secrets", projector.Config{Redactor: ada}, secretRun()},
		{"aborted", projector.Config{}, abortedRun()},
	} {
		t.Run(run.name, func(t *testing.T) {
			got := goldenLines(t, run.config, run.events)
			path := filepath.Join("testdata", run.name+".golden")
			if *rewrite {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			wanted, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(wanted), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func goldenLines(t *testing.T, c projector.Config, events []agent.Event) string {
	d := newDrive(t, c)
	var b strings.Builder
	line := func(v any) {
		b.Write(marshal(t, v))
		b.WriteByte('\n')
	}
	for i, e := range events {
		r := d.p.Project(int64(i), e)
		for _, e := range d.fold(r.Events) {
			line(&e)
		}
		for _, blob := range r.Blobs {
			fmt.Fprintf(&b, "blob %s, %d bytes\n", blob.Key, len(blob.Text))
		}
		if i%3 == 2 {
			if more := d.fold(d.p.Flush(int64(i))); len(more) > 0 {
				for _, e := range more {
					line(&e)
				}
				b.WriteByte('\n')
			}
		}
	}
	for _, e := range d.close() {
		line(&e)
	}
	if d.v.Strays != 0 {
		t.Errorf("%d strays", d.v.Strays)
	}
	return b.String()
}

func prompt(s string) []agent.Event {
	return append([]agent.Event{agent.AgentStart{}, agent.TurnStart{}}, userSays(s)...)
}

func parallelRun() []agent.Event {
	calls := []agent.Block{callBlock("a", "bash", `{"command":"make"}`), callBlock("b", "read", `{"path":"x"}`)}
	events := append([]agent.Event{agent.SessionInfo{Cwd: "/srv/demo", Provider: "fake", Model: "one"}}, prompt("Look around")...)
	return append(events,
		assistantStart(), update(agent.UpdateThinkingDelta, 0, "Two "), update(agent.UpdateThinkingDelta, 0, "at once."),
		update(agent.UpdateTextDelta, 1, "Looking."), callStart(2, "a", "bash"), callPart(2, `{"command":`), callStart(3, "b", "read"),
		callPart(3, `{"path":"x"}`), callPart(2, `"make"}`),
		assistantEnd(agent.StopToolUse, append([]agent.Block{{Type: agent.BlockThinking, Text: "Two at once."}, {Type: agent.BlockText, Text: "Looking."}}, calls...)...),
		toolStart("a", `{"command":"make"}`), toolStart("b", `{"path":"x"}`), agent.ToolExecutionUpdate{ToolCallID: "a"},
		toolEnd("b", "content of x"), toolUpdate("a", "cc a.c\n", `{}`), toolUpdate("a", "cc a.c\ncc b.c\n", `{}`),
		agent.ToolExecutionEnd{ToolCallID: "a", IsError: true, Result: agent.ToolResult{Content: text("cc a.c\ncc b.c\nb.c:1: error")}, DurationMs: new(int64(1900))},
		toolResult("a"), toolResult("b"), agent.TurnEnd{Message: agent.Message{StopReason: agent.StopToolUse, Usage: &agent.Usage{Input: 900, Output: 120, Total: 1020}}},
		agent.AgentEnd{}, agent.Settled{})
}

func reusedRun(result string) []agent.Event {
	b := callBlock("call_1", "bash", `{}`)
	return append(prompt(result), assistantStart(), callStart(0, "call_1", "bash"), callPart(0, "{}"), assistantEnd(agent.StopToolUse, b, b),
		toolStart("call_1", `{}`), toolStart("call_1", `{}`), toolUpdate("call_1", "…", ""), toolEnd("call_1", result+" one"),
		toolUpdate("call_1", "……", ""), toolEnd("call_1", result+" two"), toolResult("call_1"), toolResult("call_1"), agent.TurnEnd{}, agent.AgentEnd{})
}

func changedRun() []agent.Event {
	return append(prompt("Go"), assistantStart(), callStart(0, "tmp0", "bash"), callStart(1, "tmp1", "bash"), callPart(1, `{"n":1}`), callPart(0, `{"n":0}`),
		assistantEnd(agent.StopToolUse, callBlock("real0", "bash", `{"n":0}`), callBlock("real1", "sh", `{"n":1}`), callBlock("real2", "bash", `{"n":2}`)),
		toolStart("real0", `{"n":0}`), toolStart("real1", `{"n":1}`), toolStart("real2", `{"n":2}`), toolEnd("real2", "2"), toolEnd("real0", "0"), toolEnd("real1", "1"),
		toolResult("real0"), toolResult("real1"), toolResult("real2"), agent.TurnEnd{}, agent.AgentEnd{WillRetry: true}, agent.AgentStart{}, agent.AgentEnd{})
}

func growingRun() []agent.Event {
	events := append(prompt("Count"), assistantStart(), assistantEnd(agent.StopToolUse, callBlock("a", "bash", `{}`)), toolStart("a", `{}`))
	var out strings.Builder
	for n := range 24 {
		fmt.Fprintf(&out, "package %d is fine, as all of them are\n", n)
		events = append(events, toolUpdate("a", out.String(), fmt.Sprintf(`{"phase":"check","done":%d,"total":24}`, n+1)))
	}
	return append(events, toolUpdate("a", "all fine\n", ""), toolEnd("a", out.String()), toolResult("a"), agent.TurnEnd{}, agent.AgentEnd{})
}

func secretRun() []agent.Event {
	args := `{"command":"curl -H \"Authorization: Bearer abcdef0123456789\" https://x", "cwd":"/home/ada/demo/sub", "n":1.0}`
	key := "ghp_1234567890abcdefghijABCDEFGHIJ123456"
	return append(prompt("Use "+key+" for /home/ada/demo"), assistantStart(), textDelta("token ghp_1234567890abc"), textDelta("defghijABCDEFGHIJ123456"), textDelta(", DEMO_API_KEY=correct-"),
		textDelta("horse-9 and "), textDelta("-----BEGIN RSA PRIVATE KEY-----"), textDelta("\nMIIE\n"), textDelta("-----END RSA PRIVATE KEY-----"), textDelta("\nok"),
		callStart(1, "a", "bash"), callPart(1, args[:50]), callPart(1, args[50:]),
		assistantEnd(agent.StopToolUse, agent.Block{Type: agent.BlockText, Text: "token " + key + ", DEMO_API_KEY=correct-horse-9"}, callBlock("a", "bash", args)),
		toolStart("a", args), toolUpdate("a", "in /home/ada/demo/sub\n", `{"env":{"DEMO_API_KEY":"correct-horse-9"},"dir":"/home/ada/x"}`),
		toolUpdate("a", "in /home/ada/demo/sub\ncorrect-horse-9", `{"env":{"DEMO_API_KEY":"correct-horse-9"},"dir":"/home/ada/x"}`),
		agent.ToolExecutionEnd{ToolCallID: "a", Result: agent.ToolResult{
			Content: text("in /home/ada/demo/sub\ncorrect-horse-9\npostgres://u:pw@db/"), Details: json.RawMessage(`{"k":"\u0063orrect-horse-9"}`),
			Output: "more of it: correct-horse-9\nin /home/ada/demo/sub\ncorrect-horse-9\npostgres://u:pw@db/",
		}},
		toolResult("a"), agent.TurnEnd{}, agent.Notice{Kind: "info", Text: "password=hunter2hunter"}, agent.AgentEnd{})
}

func abortedRun() []agent.Event {
	return append(prompt("Go"), assistantStart(), textDelta("I will"), callStart(1, "a", "bash"), callPart(1, `{"comm`),
		agent.MessageEnd{Message: agent.Message{
			Role: agent.RoleAssistant, StopReason: agent.StopAborted, ErrorMessage: "Request was aborted",
			Content: append(text("I will"), callBlock("a", "bash", `{}`), callBlock("b", "bash", `{}`)),
		}},
		agent.TurnEnd{Message: agent.Message{StopReason: agent.StopAborted, ErrorMessage: "Request was aborted"}}, agent.AgentEnd{})
}

func BenchmarkRun(b *testing.B) {
	events := parallelRun()
	b.ReportAllocs()
	for b.Loop() {
		p := projector.New(projector.Config{})
		for _, e := range events {
			p.Project(1, e)
		}
	}
}

func BenchmarkTextDelta(b *testing.B) {
	p := projector.New(projector.Config{})
	p.Project(1, assistantStart())
	e := textDelta("some words ")
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		p.Project(1, e)
		if n%8 == 0 {
			p.Flush(1)
		}
	}
}

// A tool that has printed a megabyte prints one more line.
func BenchmarkGrowingOutput(b *testing.B) {
	p := projector.New(projector.Config{})
	p.Project(1, toolStart("a", `{}`))
	out := strings.Repeat("checked another package and found nothing wrong\n", 22000)
	b.SetBytes(int64(len(out)))
	b.ReportAllocs()
	for b.Loop() {
		out += "one more\n"
		p.Project(1, toolUpdate("a", out, ""))
	}
}
