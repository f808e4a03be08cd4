package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/ringside-hub/ringside/agent"
)

// options makes an agent's options of a scenario: its tools, hooks and model.
func (p *player) options() agent.Options {
	o := agent.Options{
		Model: agent.ModelFunc(p.respond), System: p.sc.System,
		Execution:    agent.ExecutionMode(p.sc.ToolExecution),
		SteeringMode: agent.QueueMode(p.sc.SteeringMode), FollowUpMode: agent.QueueMode(p.sc.FollowUpMode),
	}
	for i := range p.sc.Tools {
		o.Tools = append(o.Tools, p.tool(&p.sc.Tools[i]))
	}
	if p.sc.Before != nil {
		o.Hooks.BeforeToolCall = p.before
	}
	if p.sc.After != nil {
		o.Hooks.AfterToolCall = p.after
	}
	if p.sc.ShouldStopAfterTurn != nil {
		o.Hooks.ShouldStopAfterTurn = p.shouldStop
	}
	return o
}

func (p *player) tool(t *scriptedTool) agent.Tool {
	out := agent.Tool{
		Name: t.Name, Label: t.Label, Description: t.Description, Parameters: t.Parameters,
		ExecutionMode: agent.ExecutionMode(t.ExecutionMode), Execute: p.execute,
	}
	if t.Prepare != nil {
		out.PrepareArguments = func(args json.RawMessage) (json.RawMessage, error) { return prepare(t.Prepare, args) }
	}
	return out
}

func prepare(steps []prepareStep, raw json.RawMessage) (json.RawMessage, error) {
	var args map[string]json.RawMessage
	must(json.Unmarshal(raw, &args))
	for _, s := range steps {
		_, has := args[s.Key]
		switch {
		case s.Op == "rename":
			if v, ok := args[s.From]; ok {
				delete(args, s.From)
				args[s.To] = v
			}
		case s.Op == "set", s.Op == "default" && !has:
			args[s.Key] = s.Value
		case s.Op == "throw":
			return nil, errors.New(s.Message)
		}
	}
	return json.Marshal(args)
}

func (p *player) execute(ctx context.Context, id string, args json.RawMessage, onUpdate func(agent.ToolResult)) (agent.ToolResult, error) {
	p.happened(id, map[string]any{"at": "execute", "args": parsed(args)})
	script := p.nth("execute", id, p.sc.Calls[id])
	if script == nil {
		return agent.ToolResult{}, errors.New("unscripted execution of " + id)
	}
	for i := range script {
		s := &script[i]
		switch s.Do {
		case "update":
			onUpdate(agent.ToolResult{Content: s.content(), Details: given(s.Details)})
		case "keep":
			p.mu.Lock()
			p.kept[s.Name] = onUpdate
			p.mu.Unlock()
		case "return":
			r := agent.ToolResult{Content: s.content(), Details: given(s.Details), Usage: p.usage(s.Usage)}
			r.Terminate = s.Terminate != nil && *s.Terminate
			return r, nil
		default:
			if err := p.perform(ctx, "execute:"+id, s); err != nil {
				return agent.ToolResult{}, err
			}
		}
	}
	return agent.ToolResult{}, nil
}

func (p *player) before(ctx context.Context, c agent.Call) (agent.Verdict, error) {
	id := c.ToolCall.ID
	p.happened(id, map[string]any{"at": "before", "args": parsed(c.Args)})
	script := p.nth("before", id, p.sc.Before[id])
	for i := range script {
		s := &script[i]
		if s.Do == "block" {
			return agent.Verdict{Block: true, Reason: s.Reason, Terminate: s.Terminate != nil && *s.Terminate}, nil
		}
		if err := p.perform(ctx, "before:"+id, s); err != nil {
			return agent.Verdict{}, err
		}
	}
	return agent.Verdict{}, nil
}

func (p *player) after(ctx context.Context, c agent.Call) (agent.Override, error) {
	id := c.ToolCall.ID
	p.happened(id, map[string]any{"at": "after", "isError": c.IsError, "result": p.result(c.Result)})
	script := p.nth("after", id, p.sc.After[id])
	for i := range script {
		s := &script[i]
		if s.Do == "override" {
			return agent.Override{
				Content: s.content(), Details: given(s.Details), Usage: p.usage(s.Usage),
				IsError: s.IsError, Terminate: s.Terminate,
			}, nil
		}
		if err := p.perform(ctx, "after:"+id, s); err != nil {
			return agent.Override{}, err
		}
	}
	return agent.Override{}, nil
}

func (p *player) shouldStop(ctx context.Context, _ agent.Turn) (bool, error) {
	script := p.nth("shouldStopAfterTurn", "", p.sc.ShouldStopAfterTurn)
	for i := range script {
		if script[i].Do == "stop" {
			return true, nil
		}
		if err := p.perform(ctx, "shouldStopAfterTurn", &script[i]); err != nil {
			return false, err
		}
	}
	return false, nil
}

// streamed is one thing that a response's script produces.
type streamed struct {
	update agent.AssistantUpdate
	final  *agent.Message
}

// respond plays the next response. The script does not wait for whoever reads
// the stream, as a provider does not.
func (p *player) respond(ctx context.Context, req agent.Request, update func(agent.AssistantUpdate) error) (agent.Message, error) {
	p.mu.Lock()
	p.requests = append(p.requests, requestJSON(req))
	p.responses++
	script := []step{{Do: "error", Reason: "error", ErrorMessage: "No more scripted responses"}}
	if p.responses <= len(p.sc.Responses) {
		script = p.sc.Responses[p.responses-1]
	}
	p.mu.Unlock()
	if script[0].Do == "throw" {
		return agent.Message{}, errors.New(script[0].Message)
	}
	stream := make(chan streamed, 10_000)
	p.scripts.Go(func() {
		defer close(stream)
		p.play(ctx, script, stream)
	})
	for s := range stream {
		if s.final != nil {
			return *s.final, nil
		}
		if err := update(s.update); err != nil {
			return agent.Message{}, err
		}
	}
	return agent.Message{}, errScenarioOver
}

// play performs the steps of a response.
func (p *player) play(ctx context.Context, script []step, stream chan<- streamed) {
	var draft agent.Draft
	send := func(kind string, index int, u agent.AssistantUpdate) {
		u.Type, u.ContentIndex = agent.UpdateType(kind), index
		draft.Apply(u)
		if kind == "text_end" || kind == "thinking_end" {
			u.Content = draft.Content()[index].Text
		}
		stream <- streamed{update: u}
	}
	for i := range script {
		s := &script[i]
		switch s.Do {
		case "text", "thinking":
			n := draft.Len()
			send(s.Do+"_start", n, agent.AssistantUpdate{})
			for _, d := range s.Deltas {
				send(s.Do+"_delta", n, agent.AssistantUpdate{Delta: d})
			}
			send(s.Do+"_end", n, agent.AssistantUpdate{})
		case "toolCall":
			n := draft.Len()
			send("toolcall_start", n, agent.AssistantUpdate{ToolCall: &agent.ToolCall{ID: s.ID, Name: s.Name}})
			for _, d := range s.Deltas {
				send("toolcall_delta", n, agent.AssistantUpdate{Delta: d})
			}
			send("toolcall_end", n, agent.AssistantUpdate{ToolCall: &agent.ToolCall{ID: s.ID, Name: s.Name, Arguments: s.Arguments}})
		case "toolcall_start":
			send(s.Do, s.Index, agent.AssistantUpdate{ToolCall: &agent.ToolCall{ID: s.ID, Name: s.Name}})
		case "toolcall_end":
			call := *draft.Content()[s.Index].ToolCall
			call.Arguments = s.Arguments
			send(s.Do, s.Index, agent.AssistantUpdate{ToolCall: &call})
		case "done", "error":
			stream <- streamed{final: final(s, &draft)}
			return
		default:
			if s.Do == "start" || strings.Contains(s.Do, "_") {
				send(s.Do, s.Index, agent.AssistantUpdate{Delta: s.Delta})
			} else if p.perform(ctx, "response", s) != nil {
				return
			}
		}
	}
}

func final(s *step, draft *agent.Draft) *agent.Message {
	m := &agent.Message{Content: draft.Content(), StopReason: agent.StopReason(s.Reason), ErrorMessage: s.ErrorMessage}
	if s.Content != nil {
		m.Content = s.content()
	}
	return m
}
