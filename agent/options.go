package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// ExecutionMode says how the calls of one assistant message are carried out.
type ExecutionMode string

// The execution modes. The empty mode of Options is Parallel; of a Tool it
// means that the tool does not mind.
const (
	// Parallel: preflight one after the other, then all at once.
	Parallel ExecutionMode = "parallel"
	// Sequential: each call is finished before the next one starts. One
	// sequential tool in a batch makes the whole batch sequential, and a
	// sequential agent has no parallel batch.
	Sequential ExecutionMode = "sequential"
)

// QueueMode says how many queued messages are taken at one time.
type QueueMode string

// The queue modes. The empty mode is OneAtATime.
const (
	OneAtATime QueueMode = "one-at-a-time"
	AllAtOnce  QueueMode = "all"
)

// Options is what an agent is made of. Only Model is required.
type Options struct {
	Model Model
	// System is the system prompt.
	System string
	Tools  []Tool
	// Messages is the conversation so far.
	Messages []Message
	Hooks    Hooks
	// Execution is Parallel by default.
	Execution ExecutionMode

	// SteeringMode and FollowUpMode are OneAtATime by default. Agent only.
	SteeringMode QueueMode
	FollowUpMode QueueMode

	// Observe sees every event in the one total order of the agent, together
	// with the change of state that the event makes, and before any listener
	// does. It is called under a lock: it must not block and must not call the
	// agent, except State and Abort. A projector belongs here. Besides the
	// loop's events it sees a QueueUpdate whenever a queue changes, and what
	// Notify is told. Agent only.
	Observe func(Event)
	// Report gets what a run survives and its owner wants to know, at present
	// *PanicError. It may be called concurrently, and must not call the agent.
	Report func(error)

	// MaxAnswer bounds the bytes of one streamed answer, so that a model that
	// never stops ends in an error: 32 MiB by default.
	MaxAnswer int
	// Clock gives the time of messages and durations: time.Now by default.
	Clock func() time.Time
	// NewID names a call whose id the model left empty: call-1, call-2, … by
	// default. It is called by one goroutine at a time.
	NewID func() string
}

const defaultMaxAnswer = 32 << 20

// withDefaults fills in defaults and refuses contradictions.
func (o Options) withDefaults() (Options, error) {
	if o.Model == nil {
		return o, errors.New("agent: Options.Model is nil")
	}
	if !o.Execution.known() {
		return o, fmt.Errorf("agent: Options.Execution is %q: want %q or %q", o.Execution, Parallel, Sequential)
	}
	for _, m := range []QueueMode{o.SteeringMode, o.FollowUpMode} {
		if m != "" && m != OneAtATime && m != AllAtOnce {
			return o, fmt.Errorf("agent: unknown queue mode %q: want %q or %q", m, OneAtATime, AllAtOnce)
		}
	}
	if o.MaxAnswer < 0 {
		return o, fmt.Errorf("agent: Options.MaxAnswer is %d: want bytes, or 0 for the default", o.MaxAnswer)
	}
	if o.MaxAnswer == 0 {
		o.MaxAnswer = defaultMaxAnswer
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.NewID == nil {
		n := 0
		o.NewID = func() string { n++; return fmt.Sprintf("call-%d", n) }
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	return o, nil
}

func (m ExecutionMode) known() bool { return m == "" || m == Parallel || m == Sequential }

// Context is what a run works with: the conversation and what the model may
// call. Who receives one must not change what it points to.
type Context struct {
	System   string
	Messages []Message
	Tools    *Toolset
}

// Hooks are the places where the host takes part in a run. Each may be nil.
// They get the run's context, which an abort cancels, and may block: the run
// waits for them. A panic counts as an error.
type Hooks struct {
	// BeforeToolCall is asked when the arguments of a call are valid. An error
	// is the call's error result. With parallel execution the calls of one
	// message are asked about one after the other, before any of them runs.
	BeforeToolCall func(context.Context, Call) (Verdict, error)
	// AfterToolCall may change the result of a call that was executed, also
	// of one that failed; for parallel calls it is called concurrently. Its
	// error replaces the whole result.
	AfterToolCall func(context.Context, Call) (Override, error)
	// ShouldStopAfterTurn is asked after TurnEnd and before the queues are
	// read, but not after an error or aborted turn. An error ends the run.
	ShouldStopAfterTurn func(context.Context, Turn) (bool, error)
	// PrepareNextTurn is called when the run goes on, just before the next
	// TurnStart. An error ends the run.
	PrepareNextTurn func(context.Context, Turn) (NextTurn, error)
	// TransformContext changes the messages of a request (pruning, adding),
	// and nothing of the conversation itself. An error ends the run.
	TransformContext func(context.Context, []Message) ([]Message, error)
	// ConvertToModel turns messages into such as the model understands. By
	// default those of roles other than user, assistant and tool result are
	// left out. An error ends the run.
	ConvertToModel func(context.Context, []Message) ([]Message, error)
}

// Call is one tool call, as the tool hooks see it.
type Call struct {
	// Assistant is the message with the call, ToolCall the call as written.
	Assistant Message
	ToolCall  ToolCall
	// Args are the prepared, converted and validated arguments.
	Args json.RawMessage
	// Context is the conversation, up to and with Assistant.
	Context Context
	// Result and IsError are for AfterToolCall.
	Result  ToolResult
	IsError bool
}

// Verdict is the answer of BeforeToolCall. The zero Verdict lets the call run.
type Verdict struct {
	Block bool
	// Reason is what the model reads; there is a default.
	Reason string
	// Terminate counts as the blocked result's Terminate.
	Terminate bool
}

// Override says what AfterToolCall replaces; what is nil stays. Empty is not
// nil: []Block{} replaces the content by nothing.
type Override struct {
	// Content replaces the content, and drops the result's Output, which would
	// still hold what was replaced.
	Content   []Block
	Details   json.RawMessage
	Usage     *Usage
	IsError   *bool
	Terminate *bool
}

// Turn is a finished turn, as the turn hooks see it.
type Turn struct {
	Message     Message
	ToolResults []Message
	// Context includes the turn's messages.
	Context Context
	// Added are the messages that the run has added so far.
	Added []Message
}

// NextTurn is what PrepareNextTurn changes; the zero NextTurn changes nothing.
type NextTurn struct {
	// Context replaces the context of this run; the agent's own conversation
	// (State) keeps everything.
	Context *Context
	Model   Model
	// Messages are added at the beginning of the turn, before queued ones.
	Messages []Message
}
