package openai

import (
	"encoding/json"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/ringside-hub/ringside/agent"
)

func (m *Model) params(req agent.Request) sdk.ChatCompletionNewParams {
	p := sdk.ChatCompletionNewParams{
		Model:           m.opts.Model,
		Messages:        m.messages(req),
		ReasoningEffort: shared.ReasoningEffort(m.opts.ReasoningEffort),
	}
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, tool(t))
	}
	switch n := m.opts.MaxTokens; {
	case n == 0:
	case m.isOpenAI():
		p.MaxCompletionTokens = param.NewOpt(n)
	default:
		p.MaxTokens = param.NewOpt(n)
	}
	if t := m.opts.Temperature; t != nil {
		p.Temperature = param.NewOpt(*t)
	}
	if !m.opts.NoStreamUsage {
		p.StreamOptions.IncludeUsage = param.NewOpt(true)
	}
	return p
}

// tool passes the schema on as it is, which the SDK's own type would not do.
func tool(t agent.Tool) sdk.ChatCompletionToolUnionParam {
	type function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	f := function{t.Name, t.Description, t.Parameters}
	if len(f.Parameters) == 0 {
		f.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return param.Override[sdk.ChatCompletionToolUnionParam](struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}{"function", f})
}
