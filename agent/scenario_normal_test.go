package agent_test

import (
	"encoding/json"
	"strings"

	"github.com/ringside-hub/ringside/agent"
)

// What follows writes events, messages and states as section 6 of the
// scenarios' format says. Absent keys are left out by set.

func set(m map[string]any, key string, v any) {
	if v != nil {
		m[key] = v
	}
}

func typeOf(ev agent.Event) string {
	switch ev.(type) {
	case agent.AgentStart:
		return "agent_start"
	case agent.AgentEnd:
		return "agent_end"
	case agent.TurnStart:
		return "turn_start"
	case agent.TurnEnd:
		return "turn_end"
	case agent.MessageStart:
		return "message_start"
	case agent.MessageUpdate:
		return "message_update"
	case agent.MessageEnd:
		return "message_end"
	case agent.ToolExecutionStart:
		return "tool_execution_start"
	case agent.ToolExecutionUpdate:
		return "tool_execution_update"
	case agent.ToolExecutionEnd:
		return "tool_execution_end"
	}
	panic("no event of the loop")
}

func (p *player) event(ev agent.Event) any {
	m := map[string]any{"type": typeOf(ev)}
	call := func(id, name string) { m["toolCallId"], m["toolName"] = id, name }
	switch ev := ev.(type) {
	case agent.AgentEnd:
		m["messages"] = p.messages(ev.Messages)
	case agent.TurnEnd:
		m["message"], m["toolResults"] = p.message(ev.Message), p.messages(ev.ToolResults)
	case agent.MessageStart:
		m["message"] = p.message(ev.Message)
	case agent.MessageEnd:
		m["message"] = p.message(ev.Message)
	case agent.MessageUpdate:
		m["assistantMessageEvent"] = update(ev.Update)
	case agent.ToolExecutionStart:
		call(ev.ToolCallID, ev.ToolName)
		m["args"] = parsed(ev.Args)
	case agent.ToolExecutionUpdate:
		call(ev.ToolCallID, ev.ToolName)
		m["args"], m["partialResult"] = parsed(ev.Args), p.result(ev.Partial)
	case agent.ToolExecutionEnd:
		call(ev.ToolCallID, ev.ToolName)
		m["result"], m["isError"] = p.result(ev.Result), ev.IsError
	}
	return m
}

func update(u agent.AssistantUpdate) any {
	m := map[string]any{"type": string(u.Type), "contentIndex": u.ContentIndex}
	switch u.Type {
	case agent.UpdateTextDelta, agent.UpdateThinkingDelta, agent.UpdateToolCallDelta:
		m["delta"] = u.Delta
	case agent.UpdateTextEnd, agent.UpdateThinkingEnd:
		m["content"] = u.Content
	case agent.UpdateToolCallEnd:
		m["toolCall"] = block(agent.Block{Type: agent.BlockToolCall, ToolCall: u.ToolCall})
	}
	return m
}

func (p *player) messages(list []agent.Message) any {
	out := []any{}
	for _, m := range list {
		out = append(out, p.message(m))
	}
	return out
}

func (p *player) message(msg agent.Message) any {
	m := map[string]any{"role": string(msg.Role), "content": blocks(msg.Content)}
	switch msg.Role {
	case agent.RoleAssistant:
		set(m, "stopReason", orNull(string(msg.StopReason)))
		set(m, "errorMessage", orNull(msg.ErrorMessage))
	case agent.RoleToolResult:
		m["toolCallId"], m["toolName"], m["isError"] = msg.ToolCallID, msg.ToolName, msg.IsError
		m["content"] = resultBlocks(msg.Content)
		set(m, "details", parsed(msg.Details))
		set(m, "usage", p.usageJSON(msg.Usage))
	}
	return m
}

func (p *player) result(r agent.ToolResult) any {
	m := map[string]any{"content": resultBlocks(r.Content)}
	set(m, "details", parsed(r.Details))
	set(m, "usage", p.usageJSON(r.Usage))
	if r.Terminate {
		m["terminate"] = true
	}
	return m
}

func (p *player) usageJSON(u *agent.Usage) any {
	if u == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.usages[u]
}

func blocks(list []agent.Block) any {
	out := []any{}
	for _, b := range list {
		out = append(out, block(b))
	}
	return out
}

const (
	validationPrefix = `Validation failed for tool "`
	validationText   = "<validation error>"
)

func resultBlocks(list []agent.Block) any {
	out := []any{}
	for _, b := range list {
		if b.Type == agent.BlockText && strings.HasPrefix(b.Text, validationPrefix) {
			b.Text = validationText
		}
		out = append(out, block(b))
	}
	return out
}

func block(b agent.Block) any {
	m := map[string]any{"type": string(b.Type)}
	switch b.Type {
	case agent.BlockText:
		m["text"] = b.Text
	case agent.BlockThinking:
		m["thinking"] = b.Text
	case agent.BlockImage:
		m["data"], m["mimeType"] = b.Data, b.MimeType
	case agent.BlockToolCall:
		m["id"], m["name"], m["arguments"] = b.ToolCall.ID, b.ToolCall.Name, parsed(b.ToolCall.Arguments)
	}
	return m
}

func tags(list []agent.Message) any {
	out := []any{}
	for _, m := range list {
		out = append(out, tag(m))
	}
	return out
}

func tag(m agent.Message) string {
	if m.Role == agent.RoleToolResult {
		return "toolResult:" + m.ToolCallID
	}
	return string(m.Role)
}

func streamingTag(s agent.State) any {
	if s.Streaming == nil {
		return nil
	}
	return tag(*s.Streaming)
}

func requestJSON(req agent.Request) any {
	names := []any{}
	for _, t := range req.Tools {
		names = append(names, t.Name)
	}
	m := map[string]any{"tools": names, "messages": tags(req.Messages)}
	set(m, "system", orNull(req.System))
	return m
}

// outcome is what the scenario has come to, apart from its events and probes.
func (p *player) outcome(run []any) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := map[string]any{
		"run": run, "requests": p.requests, "calls": p.calls,
		"unusedResponses": max(0, len(p.sc.Responses)-p.responses),
	}
	if p.agent != nil {
		s := p.agent.State()
		m["state"] = map[string]any{
			"isStreaming": s.IsStreaming, "pending": listOf(s.PendingToolCalls), "streaming": streamingTag(s),
			"errorMessage": orNull(s.ErrorMessage), "messages": tags(s.Messages),
			"queued": len(s.Steering)+len(s.FollowUp) > 0,
		}
	}
	return m
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func listOf(list []string) any {
	out := []any{}
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

func parsed(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	var v any
	must(json.Unmarshal(raw, &v))
	return v
}

// comparable makes v what JSON makes of it.
func comparable(v any) any {
	data, err := json.Marshal(v)
	must(err)
	return parsed(data)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
