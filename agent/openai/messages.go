package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/ringside-hub/ringside/agent"
)

func (m *Model) messages(req agent.Request) []sdk.ChatCompletionMessageParamUnion {
	var out []sdk.ChatCompletionMessageParamUnion
	if req.System != "" {
		out = append(out, sdk.SystemMessage(req.System))
	}
	var pictures []agent.Block // of the results that were just added
	for _, msg := range agent.Replay(req.Messages) {
		if msg.Role != agent.RoleToolResult && len(pictures) > 0 {
			out = append(out, shown(pictures))
			pictures = nil
		}
		switch msg.Role {
		case agent.RoleSystem:
			out = append(out, sdk.SystemMessage(msg.Text()))
		case agent.RoleUser:
			out = append(out, user(msg.Content))
		case agent.RoleAssistant:
			out = append(out, m.assistant(msg))
		case agent.RoleToolResult:
			out = append(out, result(msg))
			pictures = append(pictures, images(msg.Content)...)
		}
	}
	if len(pictures) > 0 {
		out = append(out, shown(pictures))
	}
	return out
}

func user(content []agent.Block) sdk.ChatCompletionMessageParamUnion {
	if len(images(content)) == 0 {
		return sdk.UserMessage(agent.Message{Content: content}.Text())
	}
	var parts []sdk.ChatCompletionContentPartUnionParam
	for _, b := range content {
		switch b.Type {
		case agent.BlockText:
			parts = append(parts, sdk.TextContentPart(b.Text))
		case agent.BlockImage:
			url := "data:" + b.MimeType + ";base64," + b.Data
			parts = append(parts, sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: url}))
		}
	}
	return sdk.UserMessage(parts)
}

// shown is the message for images of results: a tool message cannot hold them.
func shown(pictures []agent.Block) sdk.ChatCompletionMessageParamUnion {
	return user(append([]agent.Block{{Type: agent.BlockText, Text: "Images of the tool results above:"}}, pictures...))
}

func result(msg agent.Message) sdk.ChatCompletionMessageParamUnion {
	text := msg.Text()
	switch {
	case text != "":
	case len(images(msg.Content)) > 0:
		text = "(the image follows)"
	case msg.IsError:
		text = "(failed without a message)"
	default:
		text = "(no output)"
	}
	return sdk.ToolMessage(text, msg.ToolCallID)
}

func (m *Model) assistant(msg agent.Message) sdk.ChatCompletionMessageParamUnion {
	var p sdk.ChatCompletionAssistantMessageParam
	var text strings.Builder
	thinking := map[string]any{} // by the name of its field
	for _, b := range msg.Content {
		switch b.Type {
		case agent.BlockText:
			text.WriteString(b.Text)
		case agent.BlockThinking:
			if m.own(msg) && slices.Contains(reasoningFields, b.Signature) {
				before, _ := thinking[b.Signature].(string)
				thinking[b.Signature] = before + b.Text
			}
		case agent.BlockToolCall:
			p.ToolCalls = append(p.ToolCalls, toolCall(b.ToolCall))
		}
	}
	if text.Len() > 0 || len(p.ToolCalls) == 0 {
		p.Content.OfString = param.NewOpt(text.String())
	}
	if len(thinking) > 0 {
		p.SetExtraFields(thinking)
	}
	return sdk.ChatCompletionMessageParamUnion{OfAssistant: &p}
}

// own says whether the message comes from this model: only then its thinking
// means something to it.
func (m *Model) own(msg agent.Message) bool {
	return msg.Provider == m.opts.Provider && msg.Model == m.opts.Model
}

func toolCall(c *agent.ToolCall) sdk.ChatCompletionMessageToolCallUnionParam {
	p := sdk.ChatCompletionMessageFunctionToolCallParam{ID: c.ID}
	p.Function.Name = c.Name
	p.Function.Arguments = object(c.Arguments)
	return sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: &p}
}

// object returns arguments that are an object. Servers that turn arguments into
// their model's prompt refuse all others; the result of such a call says what was
// wrong with it.
func object(args json.RawMessage) string {
	if args = bytes.TrimSpace(args); len(args) > 0 && args[0] == '{' && json.Valid(args) {
		return string(args)
	}
	return "{}"
}

func images(content []agent.Block) []agent.Block {
	var out []agent.Block
	for _, b := range content {
		if b.Type == agent.BlockImage {
			out = append(out, b)
		}
	}
	return out
}
