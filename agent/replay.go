package agent

import (
	"fmt"
	"slices"
)

// Replay returns a conversation in the form that providers accept. Every
// assistant message is followed by exactly one result for each of its calls, in
// the order of the calls, and call ids are unique, at most 40 bytes long and
// made of A-Z, a-z, 0-9, _ and -. Other ids are replaced, always by the same as
// long as the conversation only grows.
//
// A call that was never answered gets an error result. A result without a call
// becomes a user message. Of a message that failed or was aborted only the text
// is kept, for its calls never ran and its thinking is a fragment. The messages
// themselves are not changed.
func Replay(messages []Message) []Message {
	r := &replay{seen: map[string]bool{}}
	for len(messages) > 0 {
		// A round is an assistant message and what follows up to the next one.
		next := slices.IndexFunc(messages[1:], func(m Message) bool { return m.Role == RoleAssistant }) + 1
		if next == 0 {
			next = len(messages)
		}
		r.round(messages[:next])
		messages = messages[next:]
	}
	return r.out
}

type replay struct {
	out     []Message
	seen    map[string]bool // ids that have been given out
	renamed int
}

// answered is a call as it was, and the id that it has now.
type answered struct {
	ToolCall
	id string
}

func (r *replay) round(messages []Message) {
	var calls []answered
	if first := messages[0]; first.Role == RoleAssistant {
		messages = messages[1:]
		first, calls = r.assistant(first)
		if len(first.Content) > 0 {
			r.out = append(r.out, first)
		}
	}
	results := map[string][]int{} // by call id, in their order
	for i, m := range messages {
		if m.Role == RoleToolResult {
			results[m.ToolCallID] = append(results[m.ToolCallID], i)
		}
	}
	for _, call := range calls {
		if left := results[call.ID]; len(left) > 0 {
			results[call.ID] = left[1:]
			m := messages[left[0]]
			m.ToolCallID = call.id
			r.out = append(r.out, m)
		} else {
			r.out = append(r.out, unanswered(call))
		}
	}
	for i, m := range messages {
		switch {
		case m.Role != RoleToolResult:
			r.out = append(r.out, m)
		case slices.Contains(results[m.ToolCallID], i):
			r.out = append(r.out, stray(m))
		}
	}
}

// assistant returns the message to send and its calls.
func (r *replay) assistant(m Message) (Message, []answered) {
	if m.StopReason == StopError || m.StopReason == StopAborted {
		m.Content = slices.DeleteFunc(slices.Clone(m.Content), func(b Block) bool {
			return b.Type != BlockText || b.Text == ""
		})
		return m, nil
	}
	var calls []answered
	m.Content = slices.Clone(m.Content)
	for i, b := range m.Content {
		if b.Type == BlockToolCall && b.ToolCall != nil {
			call := answered{*b.ToolCall, r.id(b.ToolCall.ID)}
			calls = append(calls, call)
			call.ID = call.id
			m.Content[i].ToolCall = &call.ToolCall
		}
	}
	return m, calls
}

func unanswered(call answered) Message {
	return Message{
		Role: RoleToolResult, ToolCallID: call.id, ToolName: call.Name, IsError: true,
		Content: []Block{{Type: BlockText, Text: "The call was not carried out."}},
	}
}

func (r *replay) id(id string) string {
	for !validID(id) || r.seen[id] {
		r.renamed++
		id = fmt.Sprintf("call-r%d", r.renamed)
	}
	r.seen[id] = true
	return id
}

func validID(id string) bool {
	const most = 40
	for _, c := range []byte(id) {
		ok := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
		if !ok {
			return false
		}
	}
	return id != "" && len(id) <= most
}

func stray(m Message) Message {
	text := fmt.Sprintf("A result of the tool %s, whose call is not part of this conversation any more:", m.ToolName)
	return Message{Role: RoleUser, Timestamp: m.Timestamp, Content: append([]Block{{Type: BlockText, Text: text}}, m.Content...)}
}
