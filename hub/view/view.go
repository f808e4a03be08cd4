package view

import "strings"

// Run statuses, worker states, outcomes and card statuses as the view spells
// them.
const (
	Idle     = "idle"
	Running  = "running"
	Settling = "settling"

	WorkerLive = "live"
	WorkerLost = "lost"
	WorkerGone = "gone"

	OutcomeOK       = "ok"
	OutcomeError    = "error"
	OutcomeAborted  = "aborted"
	OutcomeRetrying = "retrying"

	Composing   = "composing"
	Preparing   = "preparing"
	CardRunning = "running"
	Done        = "done"
	Failed      = "error"
	Lost        = "lost"
	Skipped     = "skipped"

	CauseTurnEnded  = "turn_ended"
	CauseRunEnded   = "run_ended"
	CauseWorkerLost = "worker_lost"
)

// View is the state that folding a run's events gives: what a late joiner
// receives and what a page draws. The zero value is not usable; see New.
//
// A View owns its containers and replaces entities: a *Tool, *Message, *Turn
// or *Notice that was once read from it never changes, so Clone is cheap.
// Methods are not safe for concurrent use.
type View struct {
	RunStatus   string `json:"runStatus,omitzero"`
	Turn        int64  `json:"turn,omitzero"`
	Worker      string `json:"worker,omitzero"`
	Outcome     string `json:"outcome,omitzero"`
	OutcomeText string `json:"outcomeText,omitzero"`
	// Fresh says that the newest prompt has had no turn and no answer yet: what
	// is in the view is of prompts before it. It shows nothing and is not hashed.
	Fresh bool `json:"fresh,omitzero"`

	Run    *Run             `json:"run,omitzero"`
	Active *Active          `json:"activeAssistant,omitzero"`
	Msgs   []*Message       `json:"messages,omitempty"`
	Tools  map[string]*Tool `json:"tools,omitempty"`
	// Timeline holds messages, cards, results and notices in the order of
	// their first appearance.
	Timeline []TimelineItem `json:"timeline,omitempty"`
	Turns    []*Turn        `json:"turns,omitempty"`
	Queue    *QueueState    `json:"queue,omitzero"`
	Notices  []*Notice      `json:"notices,omitempty"`
	// Strays counts updates, ends and results of calls that nobody knows.
	Strays  int64    `json:"strays,omitzero"`
	Trimmed *Trimmed `json:"trimmed,omitzero"`

	// open holds the keys of cards that are composing, preparing or running.
	open map[string]struct{}
	// msgIndex finds a settled message by id.
	msgIndex map[string]int
	// text and thinking build the active message without copying it per delta.
	text, thinking *strings.Builder
	// digests keeps each entity's digest until the entity changes.
	digests map[string]string
}

// Run says what the run is.
type Run struct {
	Title  string            `json:"title,omitzero"`
	Source string            `json:"source,omitzero"`
	Model  string            `json:"model,omitzero"`
	Cwd    string            `json:"cwd,omitzero"`
	Labels map[string]string `json:"labels,omitempty"`
}

// Active is the assistant message that is being streamed.
type Active struct {
	ID        string `json:"id,omitzero"`
	Turn      int64  `json:"turn,omitzero"`
	Text      string `json:"text,omitzero"`
	Thinking  string `json:"thinking,omitzero"`
	StartedAt int64  `json:"startedAt,omitzero"`
}

// Message is a settled user or assistant message. At is when it ended,
// StartedAt when it began (Unix milliseconds).
type Message struct {
	ID         string     `json:"id,omitzero"`
	Role       string     `json:"role,omitzero"`
	Turn       int64      `json:"turn,omitzero"`
	Text       string     `json:"text,omitzero"`
	Thinking   string     `json:"thinking,omitzero"`
	StopReason string     `json:"stopReason,omitzero"`
	Error      string     `json:"error,omitzero"`
	StartedAt  int64      `json:"startedAt,omitzero"`
	At         int64      `json:"at,omitzero"`
	Truncated  *Truncated `json:"truncated,omitzero"`
	Redacted   int64      `json:"redacted,omitzero"`
}

// Tool is one card. Status says only what is known (design: card states).
type Tool struct {
	Key    string `json:"key,omitzero"`
	ID     string `json:"id,omitzero"`
	Name   string `json:"name,omitzero"`
	Label  string `json:"label,omitzero"`
	Turn   int64  `json:"turn,omitzero"`
	Status string `json:"status,omitzero"`
	// Cause says why a lost card is presumed lost.
	Cause        string `json:"cause,omitzero"`
	RawArgs      string `json:"rawArgs,omitzero"`
	ProgressText string `json:"progressText,omitzero"`
	Phase        string `json:"phase,omitzero"`
	Done         int64  `json:"done,omitzero"`
	Total        int64  `json:"total,omitzero"`
	Details      string `json:"details,omitzero"`
	ResultText   string `json:"resultText,omitzero"`
	DurationMs   int64  `json:"durationMs,omitzero"`
	Parent       string `json:"parent,omitzero"`
	// StartedAt is when tool_start came, EndedAt when the card settled or was
	// presumed (Unix milliseconds).
	StartedAt int64 `json:"startedAt,omitzero"`
	EndedAt   int64 `json:"endedAt,omitzero"`
	// Late marks an end that came after the card had been presumed.
	Late        bool         `json:"late,omitzero"`
	Conflict    *Conflict    `json:"conflict,omitzero"`
	Truncated   *Truncated   `json:"truncated,omitzero"`
	Redacted    int64        `json:"redacted,omitzero"`
	Attachments []Attachment `json:"attachments,omitempty"`
	Output      bool         `json:"output,omitzero"`
}

// Conflict is a second, different end of a settled card: kept, never merged.
type Conflict struct {
	IsError bool   `json:"isError,omitzero"`
	Text    string `json:"text,omitzero"`
	At      int64  `json:"at,omitzero"`
}

// Timeline kinds.
const (
	KindMessage    = "message"
	KindTool       = "tool"
	KindToolResult = "toolResult"
	KindNotice     = "notice"
)

// TimelineItem points at a message (its id), a card (its key) or a notice (its
// id).
type TimelineItem struct {
	Kind string `json:"kind"`
	Key  string `json:"key"`
}

// Turn is the summary of one turn; EndedAt 0 while it is open.
type Turn struct {
	Turn       int64  `json:"turn,omitzero"`
	StartedAt  int64  `json:"startedAt,omitzero"`
	EndedAt    int64  `json:"endedAt,omitzero"`
	StopReason string `json:"stopReason,omitzero"`
	Error      string `json:"error,omitzero"`
	Usage      *Usage `json:"usage,omitzero"`
}

// QueueState is what waits to be delivered to the agent.
type QueueState struct {
	Steering []string `json:"steering,omitempty"`
	FollowUp []string `json:"followUp,omitempty"`
}

// Notice is one thing the host told. ID is n1, n2, … and survives a trim.
type Notice struct {
	ID        string     `json:"id,omitzero"`
	Turn      int64      `json:"turn,omitzero"`
	Kind      string     `json:"kind,omitzero"`
	Text      string     `json:"text,omitzero"`
	At        int64      `json:"at,omitzero"`
	Truncated *Truncated `json:"truncated,omitzero"`
	Redacted  int64      `json:"redacted,omitzero"`
}

// Trimmed counts what a trim made the view forget.
type Trimmed struct {
	Turns    int64 `json:"turns,omitzero"`
	Messages int64 `json:"messages,omitzero"`
	Tools    int64 `json:"tools,omitzero"`
	Notices  int64 `json:"notices,omitzero"`
}
