package anthropic

import (
	"bytes"
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/ringside-hub/ringside/agent"
)

func (m *Model) messages(conversation []agent.Message) []sdk.MessageParam {
	var out []sdk.MessageParam
	var results []sdk.ContentBlockParamUnion // that the next message begins with
	flush := func() {
		if len(results) > 0 {
			out = append(out, sdk.NewUserMessage(results...))
			results = nil
		}
	}
	for _, msg := range agent.Replay(conversation) {
		switch msg.Role {
		case agent.RoleToolResult:
			results = append(results, result(msg))
		case agent.RoleUser:
			flush()
			out = append(out, sdk.NewUserMessage(user(msg.Content)...))
		case agent.RoleAssistant:
			flush()
			if blocks := m.assistant(msg); len(blocks) > 0 {
				out = append(out, sdk.NewAssistantMessage(blocks...))
			}
		}
	}
	flush()
	return out
}

// blank texts are refused by the API.
func blank(text string) bool { return strings.TrimSpace(text) == "" }

func user(content []agent.Block) []sdk.ContentBlockParamUnion {
	var blocks []sdk.ContentBlockParamUnion
	for _, b := range content {
		switch {
		case b.Type == agent.BlockText && !blank(b.Text):
			blocks = append(blocks, sdk.NewTextBlock(b.Text))
		case b.Type == agent.BlockImage && knownImage(b):
			blocks = append(blocks, sdk.NewImageBlockBase64(b.MimeType, b.Data))
		case b.Type == agent.BlockImage:
			blocks = append(blocks, sdk.NewTextBlock(unknownImage(b)))
		}
	}
	if len(blocks) == 0 {
		blocks = append(blocks, sdk.NewTextBlock("(empty)"))
	}
	return blocks
}

// knownImage says whether the API takes images of that type: one of another
// would spoil the whole conversation.
func knownImage(b agent.Block) bool {
	switch b.MimeType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return b.Data != ""
	}
	return false
}

func unknownImage(b agent.Block) string {
	return "(an image of the type " + b.MimeType + ", which cannot be shown)"
}

func result(msg agent.Message) sdk.ContentBlockParamUnion {
	r := sdk.ToolResultBlockParam{ToolUseID: msg.ToolCallID}
	add := func(text string) {
		r.Content = append(r.Content, sdk.ToolResultBlockParamContentUnion{OfText: &sdk.TextBlockParam{Text: text}})
	}
	for _, b := range msg.Content {
		switch {
		case b.Type == agent.BlockText && !blank(b.Text):
			add(b.Text)
		case b.Type == agent.BlockImage && knownImage(b):
			r.Content = append(r.Content, sdk.ToolResultBlockParamContentUnion{OfImage: sdk.NewImageBlockBase64(b.MimeType, b.Data).OfImage})
		case b.Type == agent.BlockImage:
			add(unknownImage(b))
		}
	}
	if msg.IsError {
		r.IsError = sdk.Bool(true)
		if len(r.Content) == 0 {
			add("(failed without a message)") // an error must say something
		}
	}
	return sdk.ContentBlockParamUnion{OfToolResult: &r}
}

func (m *Model) assistant(msg agent.Message) []sdk.ContentBlockParamUnion {
	own := msg.Provider == m.opts.Provider && msg.Model == m.opts.Model
	var blocks []sdk.ContentBlockParamUnion
	for _, b := range msg.Content {
		switch b.Type {
		case agent.BlockText:
			if !blank(b.Text) {
				blocks = append(blocks, sdk.NewTextBlock(b.Text))
			}
		case agent.BlockThinking:
			switch {
			case !own || b.Signature == "":
			case b.Redacted:
				blocks = append(blocks, sdk.NewRedactedThinkingBlock(b.Signature))
			default:
				blocks = append(blocks, sdk.NewThinkingBlock(b.Signature, b.Text))
			}
		case agent.BlockToolCall:
			blocks = append(blocks, sdk.NewToolUseBlock(b.ToolCall.ID, object(b.ToolCall.Arguments), b.ToolCall.Name))
		}
	}
	return blocks
}

// object returns arguments that are an object, for the API refuses all others;
// the result of such a call says what was wrong with it.
func object(args json.RawMessage) json.RawMessage {
	if args = bytes.TrimSpace(args); len(args) > 0 && args[0] == '{' && json.Valid(args) {
		return args
	}
	return json.RawMessage("{}")
}
