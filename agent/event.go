package agent

import "encoding/json"

// Event is what the agent runtime emits, and what a relayed Pi stream is
// decoded into. The concrete types below are the whole set; an Event lives in
// one process only and is never serialised: what leaves a worker is
// view.Event, made by the projector.
//
// The lifecycle events nest: agent > turn > message, and agent > turn > tool
// execution. The session events after them are said by the host of the agent
// (the coding agent around the loop), not by the loop itself.
type Event interface{ isEvent() }

// AgentStart opens the work on one prompt.
type AgentStart struct{}

// AgentEnd is the loop's last event. The agent is idle only after the
// listeners of this event are done (see Settled for relayed streams).
type AgentEnd struct {
	// Messages are those that this run added.
	Messages []Message
	// WillRetry says that the host is going to try again by itself.
	WillRetry bool
}

// TurnStart opens a turn: one model request and the tools it asks for.
type TurnStart struct{}

// TurnEnd closes a turn, after every tool-result message of it.
type TurnEnd struct {
	Message     Message
	ToolResults []Message
}

// MessageStart opens a message of any role. An assistant message is still
// empty then, unless the provider answered without streaming.
type MessageStart struct{ Message Message }

// MessageUpdate carries one streaming step of the assistant message.
type MessageUpdate struct{ Update AssistantUpdate }

// MessageEnd carries the final message, which is authoritative over whatever
// the updates built.
type MessageEnd struct{ Message Message }

// ToolExecutionStart comes before the tool is looked up and before its
// arguments are checked: Args are the model's raw, untrusted ones.
type ToolExecutionStart struct {
	ToolCallID string
	ToolName   string
	// ToolLabel is the tool's human name where the runtime knows it.
	ToolLabel string
	Args      json.RawMessage
	// ParentToolCallID is the call that this one runs inside of, if any.
	ParentToolCallID string
}

// ToolExecutionUpdate carries the whole partial result so far, not a delta.
type ToolExecutionUpdate struct {
	ToolCallID       string
	ToolName         string
	Args             json.RawMessage
	Partial          ToolResult
	ParentToolCallID string
}

// ToolExecutionEnd carries the final result, after the after-hook.
type ToolExecutionEnd struct {
	ToolCallID string
	ToolName   string
	Result     ToolResult
	IsError    bool
	// DurationMs is how long the tool ran, in milliseconds; nil if not known.
	DurationMs       *int64
	ParentToolCallID string
}

// SessionInfo describes the session; empty fields say nothing.
type SessionInfo struct {
	ID       string
	Title    string
	Cwd      string
	Provider string
	Model    string
	// At is the session's own start, Unix milliseconds; 0 if not known.
	At int64
}

// Settled says that the host is idle again after AgentEnd.
type Settled struct{ Aborted bool }

// QueueUpdate replaces the list of user messages that wait to be delivered.
type QueueUpdate struct {
	Steering []string
	FollowUp []string
}

// Notice is something the host tells the people who watch: a retry, a
// compaction, an extension's message. Kind is a short stable word.
type Notice struct {
	Kind string
	Text string
}

func (AgentStart) isEvent()          {}
func (AgentEnd) isEvent()            {}
func (TurnStart) isEvent()           {}
func (TurnEnd) isEvent()             {}
func (MessageStart) isEvent()        {}
func (MessageUpdate) isEvent()       {}
func (MessageEnd) isEvent()          {}
func (ToolExecutionStart) isEvent()  {}
func (ToolExecutionUpdate) isEvent() {}
func (ToolExecutionEnd) isEvent()    {}
func (SessionInfo) isEvent()         {}
func (Settled) isEvent()             {}
func (QueueUpdate) isEvent()         {}
func (Notice) isEvent()              {}
