package agent_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ringside-hub/ringside/agent"
)

func TestDraft(t *testing.T) {
	var d agent.Draft
	for _, u := range []agent.AssistantUpdate{
		{Type: agent.UpdateStart},
		{Type: agent.UpdateToolCallStart, ContentIndex: 2, ToolCall: &agent.ToolCall{ID: "c1", Name: "a"}},
		{Type: agent.UpdateThinkingStart, ContentIndex: 0},
		{Type: agent.UpdateToolCallDelta, ContentIndex: 2, Delta: `{"x":`},
		{Type: agent.UpdateThinkingDelta, ContentIndex: 0, Delta: "h"},
		{Type: agent.UpdateTextDelta, ContentIndex: 1, Delta: "no start"},
		{Type: agent.UpdateToolCallDelta, ContentIndex: 3, Delta: `{`},
		{Type: agent.UpdateToolCallDelta, ContentIndex: 2, Delta: `1}`},
		{Type: agent.UpdateThinkingEnd, ContentIndex: 0, Content: "hm"},
		{Type: agent.UpdateTextEnd, ContentIndex: 1},
		{Type: agent.UpdateToolCallEnd, ContentIndex: 2},
		{Type: agent.UpdateToolCallStart, ContentIndex: 4},
		{Type: agent.UpdateToolCallEnd, ContentIndex: 4, ToolCall: &agent.ToolCall{ID: "c2", Name: "b", Arguments: json.RawMessage(`{ }`)}},
		{Type: agent.UpdateToolCallEnd, ContentIndex: 5},
		{Type: agent.UpdateToolCallDelta, ContentIndex: 6, Delta: "not \xff JSON"},
		{Type: agent.UpdateToolCallEnd, ContentIndex: 6},
	} {
		d.Apply(u)
	}
	call := func(id, name, args string) agent.Block {
		return agent.Block{Type: agent.BlockToolCall, ToolCall: &agent.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(args)}}
	}
	want := []agent.Block{
		{Type: agent.BlockThinking, Text: "hm"}, {Type: agent.BlockText, Text: "no start"},
		call("c1", "a", `{"x":1}`), call("", "", `{}`), call("c2", "b", `{ }`), call("", "", `{}`),
		call("", "", "\"not \uFFFD JSON\""),
	}
	if diff := cmp.Diff(want, d.Content()); diff != "" || d.Len() != len(want) {
		t.Errorf("%d blocks (-want +got):\n%s", d.Len(), diff)
	}
}
