package view

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Type names the kind of an Event.
type Type string

// The projected events. Each constant's comment names the fields it uses
// beside Type and T.
const (
	RunInfo       Type = "run_info"       // Title, Source, Model, Cwd, Labels (absent = unchanged)
	AgentStart    Type = "agent_start"    // –
	AgentEnd      Type = "agent_end"      // WillRetry
	AgentIdle     Type = "agent_idle"     // Aborted
	TurnStart     Type = "turn_start"     // –
	TurnEnd       Type = "turn_end"       // StopReason, Error, Usage
	MessageStart  Type = "message_start"  // ID, Role
	TextDelta     Type = "text_delta"     // ID, Delta
	ThinkingDelta Type = "thinking_delta" // ID, Delta
	MessageEnd    Type = "message_end"    // ID, Role, Text, Thinking, StopReason, Error, Truncated, Redacted
	CallDelta     Type = "call_delta"     // Key, ID, Name, Delta
	ToolStart     Type = "tool_start"     // Key, ID, Name, Label, Args, Parent, Truncated, Redacted
	ToolUpdate    Type = "tool_update"    // Key, Text or Append, Phase, Done, Total, Details, Truncated, Redacted
	ToolEnd       Type = "tool_end"       // Key, IsError, Text, Details, DurationMs, Attachments, Output, Truncated, Redacted
	ToolResult    Type = "tool_result"    // Key, IsError
	Queue         Type = "queue"          // Steering, FollowUp
	NoticeEvent   Type = "notice"         // Kind, Text, Truncated, Redacted
	Worker        Type = "worker"         // State, By, At
	Trim          Type = "trim"           // BeforeTurn
)

// Event is one projected event: the small serialisable form of what the agent
// did, and the only thing that ever leaves a worker. It is a flat union over
// Type. An Event is immutable once made.
//
// Where absence and emptiness differ for the fold (tool_update's text, append,
// done and total) the field is a pointer.
type Event struct {
	Type Type `json:"type"`
	// T is Unix milliseconds. It orders nothing: positions do.
	T int64 `json:"t"`

	// ID is a message's id (m1, m2, …), or the model's own call id on tool
	// events. Key (c1, c2, …) names a call within its run.
	ID  string `json:"id,omitzero"`
	Key string `json:"key,omitzero"`

	Role     string  `json:"role,omitzero"`
	Delta    string  `json:"delta,omitzero"`
	Text     *string `json:"text,omitzero"`
	Thinking string  `json:"thinking,omitzero"`

	StopReason string `json:"stopReason,omitzero"`
	Error      string `json:"error,omitzero"`
	Usage      *Usage `json:"usage,omitzero"`
	WillRetry  bool   `json:"willRetry,omitzero"`
	Aborted    bool   `json:"aborted,omitzero"`

	Name   string `json:"name,omitzero"`
	Label  string `json:"label,omitzero"`
	Parent string `json:"parent,omitzero"`
	// Args and Details are JSON as text, never re-encoded; cut ones are plain
	// text (Truncated says so).
	Args        string       `json:"args,omitzero"`
	Append      *string      `json:"append,omitzero"`
	Phase       string       `json:"phase,omitzero"`
	Done        *int64       `json:"done,omitzero"`
	Total       *int64       `json:"total,omitzero"`
	Details     string       `json:"details,omitzero"`
	IsError     bool         `json:"isError,omitzero"`
	DurationMs  int64        `json:"durationMs,omitzero"`
	Attachments []Attachment `json:"attachments,omitempty"`
	// Output says that the whole output is kept as a blob.
	Output bool `json:"output,omitzero"`

	Truncated *Truncated `json:"truncated,omitzero"`
	// Redacted counts hidden values of the entity so far: it replaces, never
	// adds.
	Redacted int64 `json:"redacted,omitzero"`

	Steering []string `json:"steering,omitempty"`
	FollowUp []string `json:"followUp,omitempty"`
	Kind     string   `json:"kind,omitzero"`

	State string `json:"state,omitzero"`
	By    string `json:"by,omitzero"`
	At    int64  `json:"at,omitzero"`

	BeforeTurn int64 `json:"beforeTurn,omitzero"`

	Title  string            `json:"title,omitzero"`
	Source string            `json:"source,omitzero"`
	Model  string            `json:"model,omitzero"`
	Cwd    string            `json:"cwd,omitzero"`
	Labels map[string]string `json:"labels,omitempty"`
}

// Usage counts tokens; Cost is micro-dollars (1e-6 USD).
type Usage struct {
	Input      int64 `json:"input,omitzero"`
	Output     int64 `json:"output,omitzero"`
	CacheRead  int64 `json:"cacheRead,omitzero"`
	CacheWrite int64 `json:"cacheWrite,omitzero"`
	Total      int64 `json:"total,omitzero"`
	Cost       int64 `json:"cost,omitzero"`
}

// Attachment stands for an image or file that a result carried.
type Attachment struct {
	MimeType string `json:"mimeType,omitzero"`
	Bytes    int64  `json:"bytes,omitzero"`
}

// Truncated says, for each part that was cut, how many bytes it had (after
// redaction, before the cut).
type Truncated struct {
	Args     int64 `json:"args,omitzero"`
	Progress int64 `json:"progress,omitzero"`
	Result   int64 `json:"result,omitzero"`
	Details  int64 `json:"details,omitzero"`
	Text     int64 `json:"text,omitzero"`
}

// MaxEventBytes bounds one encoded event. The projector's limits keep honest
// events far below it (the largest is a message_end with 256 KiB of text).
const MaxEventBytes = 2 << 20

// strict options: duplicate names, invalid UTF-8 and unknown members are
// errors; names match case-sensitively.
var strict = json.JoinOptions(json.RejectUnknownMembers(true))

// Encode returns the event as JSON. A worker does this once per event; those
// bytes are what every observer gets.
func (e *Event) Encode() ([]byte, error) {
	b, err := json.Marshal(e, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", e.Type, err)
	}
	return b, nil
}

// DecodeEvent decodes one event strictly: it refuses duplicate or unknown
// members, null, invalid UTF-8, unknown types, missing keys and numbers that
// JavaScript does not hold exactly, and says which.
func DecodeEvent(data []byte) (Event, error) {
	var e Event
	if len(data) > MaxEventBytes {
		return e, fmt.Errorf("event of %d bytes: at most %d", len(data), MaxEventBytes)
	}
	if err := json.Unmarshal(data, &e, strict); err != nil {
		return e, fmt.Errorf("decode event: %w", err)
	}
	if err := e.validate(); err != nil {
		return e, err
	}
	if err := CheckJSON(data); err != nil {
		return e, fmt.Errorf("decode event: %w", err)
	}
	return e, nil
}
