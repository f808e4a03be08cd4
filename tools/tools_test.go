//go:build linux

package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/tools"
)

// Every tool has a description and a schema that compiles, and takes just the
// parameters that its schema names.
func TestToolsAreWhatTheySay(t *testing.T) {
	b := newBench(t, nil, nil)
	list, err := tools.New(tools.Workspace{Dir: b.dir, Supervisor: supervisor}, tools.Names()...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := agent.NewToolset(list...); err != nil {
		t.Fatal(err)
	}
	for i, tool := range list {
		if tool.Name != tools.Names()[i] || tool.Label == "" || len(tool.Description) < 50 {
			t.Errorf("tool %d: %q %q %q", i, tool.Name, tool.Label, tool.Description)
		}
		var schema struct {
			Properties           map[string]struct{ Type string }
			AdditionalProperties *bool
		}
		if err := json.Unmarshal(tool.Parameters, &schema); err != nil {
			t.Fatal(err)
		}
		if schema.AdditionalProperties == nil || *schema.AdditionalProperties {
			t.Errorf("%s: additionalProperties is not false", tool.Name)
		}
		sample := map[string]any{"string": "", "integer": 0, "boolean": false, "array": []any{}}
		args := object{}
		for name, p := range schema.Properties {
			args[name] = sample[p.Type]
		}
		if taken := b.parameters(tool.Name); !slices.Equal(taken, slices.Sorted(maps.Keys(args))) {
			t.Errorf("%s takes %v, its schema has %v", tool.Name, taken, slices.Sorted(maps.Keys(args)))
		}
		if a := b.call(tool.Name, args); a.err != nil && strings.Contains(a.err.Error(), "the arguments are not") {
			t.Errorf("%s: %v", tool.Name, a.err)
		}
	}
}

// parameters finds out which of all known parameters a tool takes.
func (b *bench) parameters(tool string) []string {
	var taken []string
	for _, name := range []string{"command", "content", "context", "edits", "glob", "ignoreCase", "ignored", "limit", "literal", "offset", "path", "pattern", "raw", "timeout", "url"} {
		a := b.call(tool, object{name: nil})
		if a.err == nil || !strings.Contains(a.err.Error(), "there is no such parameter") {
			taken = append(taken, name)
		}
	}
	return taken
}

// A whole agent works with the tools: what fails is an error result with
// details, and the run goes on.
func TestAgentWithTools(t *testing.T) {
	b := newBench(t, nil, map[string]string{"a.txt": "alpha\n"})
	list, err := tools.New(tools.Workspace{Dir: b.dir, Environ: os.Environ(), Supervisor: supervisor}, "read", "edit", "bash")
	if err != nil {
		t.Fatal(err)
	}
	model := agent.ModelFunc(func(_ context.Context, r agent.Request, _ func(agent.AssistantUpdate) error) (agent.Message, error) {
		if r.Messages[len(r.Messages)-1].Role == agent.RoleToolResult {
			return agent.Message{Role: agent.RoleAssistant, StopReason: agent.StopStop}, nil
		}
		m := agent.Message{Role: agent.RoleAssistant, StopReason: agent.StopToolUse}
		for i, c := range [][2]string{
			{"read", `{"path":"a.txt","limit":"5"}`}, {"bash", `{"command":"echo out; exit 3"}`}, {"read", `{"path":"../x"}`},
			{"edit", `{"path":"a.txt","edits":[]}`}, {"bash", `{"command":"cat a.txt","timeout":10.0}`},
		} {
			call := &agent.ToolCall{ID: fmt.Sprint(i), Name: c[0], Arguments: json.RawMessage(c[1])}
			m.Content = append(m.Content, agent.Block{Type: agent.BlockToolCall, ToolCall: call})
		}
		return m, nil
	})
	var got []string
	for ev, err := range agent.Loop(t.Context(), agent.Options{Model: model, Tools: list}, agent.UserMessage("go")) {
		if err != nil {
			t.Fatal(err)
		}
		if end, ok := ev.(agent.MessageEnd); ok && end.Message.Role == agent.RoleToolResult {
			text, _, _ := strings.Cut(end.Message.Text(), "\n")
			got = append(got, fmt.Sprint(end.Message.IsError, " ", text))
		}
	}
	want := []string{
		"false alpha", "true [exit code 3]", "true the path leads out of the workspace", `true Validation failed for tool "edit":`, "false alpha",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func ExampleNew() {
	dir, err := os.MkdirTemp("", "workspace")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("buy milk\ncall Ada\n"), 0o600); err != nil {
		panic(err)
	}
	list, err := tools.New(tools.Workspace{Dir: dir}, "grep")
	if err != nil {
		panic(err)
	}
	// An agent does this; tools can be called without one, too.
	result, err := list[0].Execute(context.Background(), "1", json.RawMessage(`{"pattern":"milk|Ada"}`), nil)
	fmt.Print(result.Content[0].Text, err)
	// Output:
	// notes.txt:1: buy milk
	// notes.txt:2: call Ada
	// <nil>
}
