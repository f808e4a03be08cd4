package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ringside-hub/ringside/agent"
)

// A tool that fails may still say what it had; content and details that it
// leaves open are those of any error.
func TestToolErrorGivesTheErrorResult(t *testing.T) {
	text := func(s string) []agent.Block { return []agent.Block{{Type: agent.BlockText, Text: s}} }
	for name, c := range map[string]struct {
		err  error
		want agent.ToolResult
	}{
		"plain": {errors.New("no"), agent.ToolResult{Content: text("no"), Details: json.RawMessage(`{}`)}},
		"whole": {
			&agent.ToolError{Err: errors.New("exit 1"), Result: agent.ToolResult{Content: text("out"), Details: json.RawMessage(`{"exitCode":1}`), Output: "whole"}},
			agent.ToolResult{Content: text("out"), Details: json.RawMessage(`{"exitCode":1}`), Output: "whole"},
		},
		"wrapped, details only": {
			fmt.Errorf("tool: %w", &agent.ToolError{Err: errors.New("exit 1"), Result: agent.ToolResult{Details: json.RawMessage(`{"exitCode":1}`)}}),
			agent.ToolResult{Content: text("tool: exit 1"), Details: json.RawMessage(`{"exitCode":1}`)},
		},
		"empty": {&agent.ToolError{}, agent.ToolResult{Content: text("the tool failed"), Details: json.RawMessage(`{}`)}},
	} {
		t.Run(name, func(t *testing.T) {
			tool := agent.Tool{Name: "fails", Execute: func(context.Context, string, json.RawMessage, func(agent.ToolResult)) (agent.ToolResult, error) {
				return agent.ToolResult{}, c.err
			}}
			model := agent.ModelFunc(func(_ context.Context, r agent.Request, _ func(agent.AssistantUpdate) error) (agent.Message, error) {
				if r.Messages[len(r.Messages)-1].Role == agent.RoleToolResult {
					return agent.Message{Role: agent.RoleAssistant, StopReason: agent.StopStop}, nil
				}
				call := &agent.ToolCall{ID: "1", Name: "fails", Arguments: json.RawMessage(`{}`)}
				return agent.Message{Role: agent.RoleAssistant, StopReason: agent.StopToolUse, Content: []agent.Block{{Type: agent.BlockToolCall, ToolCall: call}}}, nil
			})
			for ev, err := range agent.Loop(t.Context(), agent.Options{Model: model, Tools: []agent.Tool{tool}}, agent.UserMessage("go")) {
				if err != nil {
					t.Fatal(err)
				}
				end, ok := ev.(agent.ToolExecutionEnd)
				if !ok {
					continue
				}
				if diff := cmp.Diff(c.want, end.Result); diff != "" || !end.IsError {
					t.Errorf("isError %v, result (-want +got):\n%s", end.IsError, diff)
				}
			}
		})
	}
}
