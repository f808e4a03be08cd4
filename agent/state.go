package agent

import (
	"slices"
	"strings"
)

// State is what an agent is and does at one moment. It is a snapshot and must
// not be changed.
type State struct {
	System string
	Model  Model
	Tools  []Tool
	// Messages is the whole conversation.
	Messages []Message
	// IsStreaming is true from Prompt until the listeners of AgentEnd are done.
	IsStreaming bool
	// Streaming is the message between MessageStart and MessageEnd; nil
	// otherwise. An assistant message is as far as it has come.
	Streaming *Message
	// PendingToolCalls are the ids of calls between start and end, sorted.
	PendingToolCalls []string
	// ErrorMessage is that of the last error or aborted turn of this run, or
	// of the last one; empty if there was none.
	ErrorMessage string
	// Steering and FollowUp are the queued messages.
	Steering, FollowUp []Message
}

// State returns a snapshot. It does not block on anything that listeners,
// tools or hooks do.
func (a *Agent) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := State{
		System: a.system, Model: a.model, Tools: a.tools.Tools(),
		Messages: slices.Clip(a.messages), IsStreaming: a.run != nil,
		ErrorMessage: a.errorMessage,
		Steering:     slices.Clone(a.steering.messages), FollowUp: slices.Clone(a.followUps.messages),
	}
	if a.streaming != nil {
		m := *a.streaming
		if m.Role == RoleAssistant {
			m.Content = a.draft.Content()
		}
		s.Streaming = &m
	}
	for _, c := range a.pending {
		s.PendingToolCalls = append(s.PendingToolCalls, c.id)
	}
	slices.SortFunc(s.PendingToolCalls, strings.Compare)
	return s
}

// pendingCall is a call between start and end.
type pendingCall struct{ id, name string }

// reduceLocked lets the state follow an event.
func (a *Agent) reduceLocked(ev Event) {
	switch ev := ev.(type) {
	case MessageStart:
		a.streaming, a.draft = &ev.Message, Draft{}
		if ev.Message.Role == RoleAssistant {
			a.draft = draftOf(ev.Message.Content)
		}
	case MessageUpdate:
		a.draft.Apply(ev.Update)
	case MessageEnd:
		a.streaming, a.draft = nil, Draft{}
		a.messages = append(a.messages, ev.Message)
	case ToolExecutionStart:
		a.settleLocked(ev.ToolCallID)
		a.pending = append(a.pending, pendingCall{ev.ToolCallID, ev.ToolName})
	case ToolExecutionEnd:
		a.settleLocked(ev.ToolCallID)
	case TurnEnd:
		if ev.Message.ErrorMessage != "" {
			a.errorMessage = ev.Message.ErrorMessage
		}
	case AgentEnd:
		a.streaming, a.draft = nil, Draft{}
	}
}

func (a *Agent) settleLocked(id string) {
	a.pending = slices.DeleteFunc(a.pending, func(c pendingCall) bool { return c.id == id })
}
