package anthropic

import (
	"bytes"
	"encoding/json"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/ringside-hub/ringside/agent"
)

func (m *Model) params(req agent.Request) sdk.MessageNewParams {
	p := sdk.MessageNewParams{
		Model:     m.opts.Model,
		MaxTokens: m.opts.MaxTokens,
		Messages:  m.messages(req.Messages),
	}
	if req.System != "" {
		p.System = append(p.System, sdk.TextBlockParam{Text: req.System})
	}
	for _, msg := range req.Messages {
		if msg.Role == agent.RoleSystem && msg.Text() != "" {
			p.System = append(p.System, sdk.TextBlockParam{Text: msg.Text()})
		}
	}
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, tool(t))
	}
	switch {
	case m.opts.Effort != "":
		p.OutputConfig.Effort = sdk.OutputConfigEffort(m.opts.Effort)
		p.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{Display: sdk.ThinkingConfigAdaptiveDisplaySummarized}
	case m.opts.ThinkingBudget != 0:
		p.Thinking.OfEnabled = &sdk.ThinkingConfigEnabledParam{BudgetTokens: m.opts.ThinkingBudget}
	}
	if !m.opts.NoCache {
		p.CacheControl = sdk.NewCacheControlEphemeralParam()
	}
	return p
}

// tool passes the schema on as it is, which the SDK's own type would not do.
func tool(t agent.Tool) sdk.ToolUnionParam {
	return param.Override[sdk.ToolUnionParam](struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"input_schema"`
	}{t.Name, t.Description, inputSchema(t.Parameters)})
}

// inputSchema adds the type that the API insists on, where a schema leaves it out.
func inputSchema(schema json.RawMessage) json.RawMessage {
	schema = bytes.TrimSpace(schema)
	var has struct {
		Type json.RawMessage `json:"type"`
	}
	switch {
	case len(schema) == 0 || string(schema) == "true":
		return json.RawMessage(`{"type":"object","properties":{}}`)
	case schema[0] != '{' || json.Unmarshal(schema, &has) != nil || has.Type != nil:
		return schema
	}
	rest := bytes.TrimSpace(schema[1:])
	if rest[0] != '}' {
		rest = append([]byte(","), rest...)
	}
	return append(json.RawMessage(`{"type":"object"`), rest...)
}
