package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ringside-hub/ringside/agent"
)

// outline writes a conversation as one word per message: u(text), a(text,call
// id…), r(id:text) and ! for an error.
func outline(messages []agent.Message) string {
	var words []string
	for _, m := range messages {
		var parts []string
		for _, b := range m.Content {
			if b.ToolCall != nil {
				parts = append(parts, "#"+b.ToolCall.ID)
			} else {
				parts = append(parts, b.Text)
			}
		}
		word := fmt.Sprintf("%.1s(%s)", m.Role, strings.Join(parts, ","))
		if m.Role == agent.RoleToolResult {
			word = fmt.Sprintf("r(%s:%s)", m.ToolCallID, strings.Join(parts, ","))
		}
		if m.IsError {
			word += "!"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func assistant(stop agent.StopReason, parts ...string) agent.Message {
	m := agent.Message{Role: agent.RoleAssistant, StopReason: stop}
	for _, p := range parts {
		switch id, isCall := strings.CutPrefix(p, "#"); {
		case isCall:
			m.Content = append(m.Content, agent.Block{Type: agent.BlockToolCall, ToolCall: &agent.ToolCall{ID: id, Name: "t"}})
		case strings.HasPrefix(p, "?"):
			m.Content = append(m.Content, agent.Block{Type: agent.BlockThinking, Text: p})
		default:
			m.Content = append(m.Content, agent.Block{Type: agent.BlockText, Text: p})
		}
	}
	return m
}

func result(id, text string) agent.Message {
	return agent.Message{Role: agent.RoleToolResult, ToolCallID: id, ToolName: "t", Content: []agent.Block{{Type: agent.BlockText, Text: text}}}
}

func TestReplay(t *testing.T) {
	user := agent.UserMessage
	long := strings.Repeat("x", 41)
	for name, c := range map[string]struct {
		in   []agent.Message
		want string
	}{
		"nothing to do": {
			[]agent.Message{user("hi"), assistant(agent.StopToolUse, "?t", "x", "#1", "#2"), result("1", "a"), result("2", "b"), assistant(agent.StopStop, "done")},
			"u(hi) a(?t,x,#1,#2) r(1:a) r(2:b) a(done)",
		},
		"source order, before what came between": {
			[]agent.Message{assistant(agent.StopToolUse, "#1", "#2"), result("2", "b"), user("steer"), result("1", "a")},
			"a(#1,#2) r(1:a) r(2:b) u(steer)",
		},
		"no result": {
			[]agent.Message{assistant(agent.StopToolUse, "#1", "#2"), result("2", "b"), user("go on")},
			"a(#1,#2) r(1:The call was not carried out.)! r(2:b) u(go on)",
		},
		"one id twice in a message and again later": {
			[]agent.Message{assistant(agent.StopToolUse, "#1", "#1"), result("1", "a"), result("1", "b"), assistant(agent.StopToolUse, "#1"), result("1", "c")},
			"a(#1,#call-r1) r(1:a) r(call-r1:b) a(#call-r2) r(call-r2:c)",
		},
		"ids that providers refuse": {
			[]agent.Message{assistant(agent.StopToolUse, "#", "#a|b", "#"+long), result("a|b", "b"), result("", "a"), result(long, "c")},
			"a(#call-r1,#call-r2,#call-r3) r(call-r1:a) r(call-r2:b) r(call-r3:c)",
		},
		"a result without a call": {
			[]agent.Message{result("1", "a"), user("x")},
			"u(A result of the tool t, whose call is not part of this conversation any more:,a) u(x)",
		},
		"one result too many": {
			[]agent.Message{assistant(agent.StopToolUse, "#1"), result("1", "a"), result("1", "b")},
			"a(#1) r(1:a) u(A result of the tool t, whose call is not part of this conversation any more:,b)",
		},
		"failed and aborted messages": {
			[]agent.Message{user("x"), assistant(agent.StopError, "?t", "half", "#1"), user("y"), assistant(agent.StopAborted, "?t", "#1"), user("z")},
			"u(x) a(half) u(y) u(z)",
		},
		"nothing": {nil, ""},
	} {
		before := outline(c.in)
		if got := outline(agent.Replay(c.in)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
		if after := outline(c.in); after != before {
			t.Errorf("%s: the conversation was changed: %s", name, after)
		}
		// What has been sent stays as it is, so that a provider's cache holds.
		for n := range c.in {
			first, all := agent.Replay(c.in[:n]), agent.Replay(c.in)
			if len(c.in) > n && c.in[n].Role == agent.RoleAssistant && outline(first) != outline(all[:len(first)]) {
				t.Errorf("%s: the first %d messages changed: %s, then %s", name, n, outline(first), outline(all))
			}
		}
	}
}
