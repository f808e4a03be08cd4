package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/scripted"
)

func noop(context.Context, string, json.RawMessage, func(agent.ToolResult)) (agent.ToolResult, error) {
	return agent.TextResult("done"), nil
}

// tool is a tool without parameters that does f.
func tool(name string, f func(ctx context.Context, onUpdate func(agent.ToolResult)) (agent.ToolResult, error)) agent.Tool {
	return agent.Tool{Name: name, Label: strings.ToUpper(name), Execute: func(ctx context.Context, _ string, _ json.RawMessage, onUpdate func(agent.ToolResult)) (agent.ToolResult, error) {
		return f(ctx, onUpdate)
	}}
}

// script is a scripted model: each argument is the steps of one response.
func script(t testing.TB, responses ...string) agent.Model {
	t.Helper()
	for i, r := range responses {
		responses[i] = `{"steps":[` + r + `]}`
	}
	s, err := scripted.Parse([]byte(`{"responses":[` + strings.Join(responses, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return scripted.New(s)
}

const (
	callA = `{"call":{"name":"a","id":"c1"}}`
	callB = `{"call":{"name":"b","id":"c2"}}`
	bye   = `{"text":"Bye."}`
)

// newAgent returns an agent that is shut down at the end of the test.
func newAgent(t testing.TB, o agent.Options) *agent.Agent {
	t.Helper()
	a, err := agent.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return a
}

func prompt(t testing.TB, a *agent.Agent) {
	t.Helper()
	if err := a.Prompt(t.Context(), "Go."); err != nil {
		t.Fatal(err)
	}
}

// diary writes events down, one short line each.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) write(ev agent.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, short(ev))
}

func (d *diary) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.lines, "\n")
}

func (d *diary) expect(t testing.TB, want ...string) {
	t.Helper()
	if got := d.String(); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func short(ev agent.Event) string {
	switch ev := ev.(type) {
	case agent.QueueUpdate:
		return fmt.Sprint("queue ", ev.Steering, ev.FollowUp)
	case agent.Notice:
		return "notice " + ev.Text
	}
	text := typeOf(ev)
	switch ev := ev.(type) {
	case agent.MessageStart:
		text += " " + tag(ev.Message)
	case agent.MessageUpdate:
		text += " " + string(ev.Update.Type)
	case agent.MessageEnd:
		text += " " + tag(ev.Message)
		if ev.Message.StopReason != "" {
			text += fmt.Sprintf(" %s %q %s", ev.Message.StopReason, ev.Message.Text(), ev.Message.ErrorMessage)
		}
	case agent.ToolExecutionStart:
		text += " " + ev.ToolCallID
	case agent.ToolExecutionUpdate:
		text += " " + ev.ToolCallID
	case agent.ToolExecutionEnd:
		text += fmt.Sprintf(" %s %v %s", ev.ToolCallID, ev.IsError, ev.Result.Content[0].Text)
	}
	return strings.TrimSpace(text)
}
