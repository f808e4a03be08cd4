package agent

import "encoding/json"

// Role says who a message is from.
type Role string

// The roles of the runtime. A host may add messages of other roles; they take
// part in the conversation only if the host converts them.
const (
	RoleSystem     Role = "system"
	RoleUser       Role = "user"
	RoleAssistant  Role = "assistant"
	RoleToolResult Role = "toolResult"
)

// StopReason says why an assistant message ended.
type StopReason string

// The stop reasons. A message that is still streaming has none.
const (
	StopStop    StopReason = "stop"
	StopToolUse StopReason = "toolUse"
	StopLength  StopReason = "length"
	StopError   StopReason = "error"
	StopAborted StopReason = "aborted"
)

// Message is one message of the conversation. Which fields mean something
// depends on Role.
type Message struct {
	Role    Role
	Content []Block
	// Timestamp is Unix milliseconds; 0 if not known.
	Timestamp int64

	// Assistant messages.
	StopReason   StopReason
	ErrorMessage string
	// Failure tells more of a StopError that came from the provider, for whoever
	// may try again; nil if there is nothing to tell. It stays in the process.
	Failure  *Failure
	Provider string
	Model    string
	Usage    *Usage
	// DurationMs is how long the model took; nil if not known.
	DurationMs *int64

	// Tool-result messages.
	ToolCallID string
	ToolName   string
	Details    json.RawMessage
	IsError    bool
}

// BlockType says what a Block holds.
type BlockType string

// The block types.
const (
	BlockText     BlockType = "text"
	BlockThinking BlockType = "thinking"
	BlockImage    BlockType = "image"
	BlockToolCall BlockType = "toolCall"
)

// Block is one piece of a message's or a result's content.
type Block struct {
	Type BlockType
	// Text is the text of a text block, or the thinking of a thinking block.
	Text string
	// Data (base64) and MimeType belong to an image block.
	Data     string
	MimeType string
	// ToolCall belongs to a toolCall block.
	ToolCall *ToolCall
	// Signature belongs to a thinking block: what its provider wants back
	// together with it, and nobody else can read.
	Signature string
	// Redacted says that a thinking block is readable by its provider only: the
	// Signature is all there is.
	Redacted bool
}

// ToolCall is a call as the model wrote it. Arguments are raw JSON text: key
// order and numbers as the model gave them.
type ToolCall struct {
	ID        string
	Name      string
	Arguments json.RawMessage
}

// ToolResult is a tool's result, or the state of a partial one.
type ToolResult struct {
	Content []Block
	// Details is JSON for people and programs beside the model; its shape is
	// the tool's own. Ringside reads phase, done and total from it.
	Details json.RawMessage
	Usage   *Usage
	// Terminate asks the loop to end after this batch.
	Terminate bool
	// Output is the tool's whole output where the result shows only a part of
	// it; empty otherwise.
	Output string
}

// Usage counts tokens; costs are micro-dollars (1e-6 USD).
type Usage struct {
	Input, Output, CacheRead, CacheWrite, Total int64
	Cost                                        int64
}

// UpdateType is the kind of an AssistantUpdate.
type UpdateType string

// The streaming steps of an assistant message. UpdateStart opens the message; it
// goes from a Model to the loop, which makes a MessageStart of it, never a
// MessageUpdate.
const (
	UpdateStart         UpdateType = "start"
	UpdateTextStart     UpdateType = "text_start"
	UpdateTextDelta     UpdateType = "text_delta"
	UpdateTextEnd       UpdateType = "text_end"
	UpdateThinkingStart UpdateType = "thinking_start"
	UpdateThinkingDelta UpdateType = "thinking_delta"
	UpdateThinkingEnd   UpdateType = "thinking_end"
	UpdateToolCallStart UpdateType = "toolcall_start"
	UpdateToolCallDelta UpdateType = "toolcall_delta"
	UpdateToolCallEnd   UpdateType = "toolcall_end"
)

// AssistantUpdate is one streaming step. ContentIndex routes it: two calls of
// one message stream side by side, so "the last one" is never a safe address.
type AssistantUpdate struct {
	Type         UpdateType
	ContentIndex int
	// Delta belongs to the delta steps.
	Delta string
	// Content is the block's whole text at text_end and thinking_end.
	Content string
	// ToolCall is the whole call at toolcall_end, and what is known of it (id,
	// name) at toolcall_start; nil elsewhere.
	ToolCall *ToolCall
}
