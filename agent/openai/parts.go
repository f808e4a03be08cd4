package openai

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/openai/openai-go/v3"

	"github.com/ringside-hub/ringside/agent"
)

// reasoningFields are the names that servers have for the model's thinking. The
// first that says something counts: some send the same text under two names.
var reasoningFields = []string{"reasoning_content", "reasoning", "reasoning_text"}

func reasoning(d sdk.ChatCompletionChunkChoiceDelta) (name, raw string) {
	for _, name := range reasoningFields {
		if raw := d.JSON.ExtraFields[name].Raw(); len(raw) > len(`""`) && raw[0] == '"' {
			return name, raw
		}
	}
	return "", ""
}

// part is a JSON string of one kind of content.
type part struct {
	kind agent.BlockType
	raw  string
}

// contentParts reads content: a string, or a list of text and thinking.
func contentParts(raw string) []part {
	if raw == "" || raw[0] != '[' {
		return []part{{agent.BlockText, raw}}
	}
	var parts []part
	for _, p := range listed(raw) {
		switch {
		case p.Thinking.Kind() == '"':
			parts = append(parts, part{agent.BlockThinking, string(p.Thinking)})
		case p.Thinking.Kind() == '[':
			for _, inner := range listed(string(p.Thinking)) {
				parts = append(parts, part{agent.BlockThinking, string(inner.Text)})
			}
		default:
			parts = append(parts, part{agent.BlockText, string(p.Text)})
		}
	}
	return parts
}

type listedPart struct {
	Text     jsontext.Value `json:"text"`
	Thinking jsontext.Value `json:"thinking"`
}

func listed(raw string) []listedPart {
	var parts []listedPart
	// What is of another shape has no text.
	_ = json.Unmarshal([]byte(raw), &parts, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return parts
}

func startOf(kind agent.BlockType) agent.UpdateType {
	return steps[kind].start
}

func deltaOf(kind agent.BlockType) agent.UpdateType { return steps[kind].delta }

func endOf(kind agent.BlockType) agent.UpdateType { return steps[kind].end }

var steps = map[agent.BlockType]struct{ start, delta, end agent.UpdateType }{
	agent.BlockText:     {agent.UpdateTextStart, agent.UpdateTextDelta, agent.UpdateTextEnd},
	agent.BlockThinking: {agent.UpdateThinkingStart, agent.UpdateThinkingDelta, agent.UpdateThinkingEnd},
	agent.BlockToolCall: {agent.UpdateToolCallStart, agent.UpdateToolCallDelta, agent.UpdateToolCallEnd},
}
