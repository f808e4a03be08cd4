package agent

import (
	"encoding/json"
	"strings"
)

// UserMessage returns a user message of one text block and the given further
// blocks (images).
func UserMessage(text string, more ...Block) Message {
	return Message{Role: RoleUser, Content: append([]Block{{Type: BlockText, Text: text}}, more...)}
}

// TextResult returns a result whose content is one text block.
func TextResult(text string) ToolResult {
	return ToolResult{Content: []Block{{Type: BlockText, Text: text}}}
}

// Text returns the text blocks of a message, joined by line feeds.
func (m Message) Text() string {
	var parts []string
	for _, b := range m.Content {
		if b.Type == BlockText {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// ToolCalls returns the calls of a message in the order of its content.
func (m Message) ToolCalls() []ToolCall {
	var calls []ToolCall
	for _, b := range m.Content {
		if b.Type == BlockToolCall && b.ToolCall != nil {
			calls = append(calls, *b.ToolCall)
		}
	}
	return calls
}

// errorResult is what a failed call gives: the text for the model, and empty
// details.
func errorResult(text string) ToolResult {
	r := TextResult(strings.ToValidUTF8(text, "\uFFFD"))
	r.Details = json.RawMessage(`{}`)
	return r
}

// toolResultMessage is the form of a result that goes into the conversation.
func toolResultMessage(call ToolCall, r ToolResult, isError bool, at int64) Message {
	content := r.Content
	if content == nil {
		content = []Block{}
	}
	return Message{
		Role: RoleToolResult, Content: content, Timestamp: at,
		ToolCallID: call.ID, ToolName: call.Name,
		Details: r.Details, Usage: r.Usage, IsError: isError,
	}
}
