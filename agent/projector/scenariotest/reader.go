package scenariotest

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/hub/view"
)

// Reader folds projected events and reads the view as the example view. The two
// differ in this, and in nothing else:
//
//   - the example has assistant messages only;
//   - it has no cards for calls that were only written (composing, skipped);
//   - it presumes nothing: a lost card is as it was before;
//   - it finds cards by the model's id: of several the one that started last;
//   - its arguments are JSON values, not JSON text;
//   - an empty text of a card is an absent one.
//
// That its run is idle at the end comes by itself where the agent's Settled, or
// the projector's Close, is folded too.
type Reader struct {
	view *view.View
	// before is what a card said of itself before anything was presumed.
	before map[string]string
	// started counts tool_starts; byID finds the last card of an id.
	byID map[string]string
}

// NewReader returns a Reader of an empty view.
func NewReader() *Reader {
	return &Reader{view: view.New(), before: map[string]string{}, byID: map[string]string{}}
}

// Apply folds one event.
func (r *Reader) Apply(e *view.Event) {
	r.view.Apply(e)
	for key, t := range r.view.Tools {
		if t.Status != view.Lost {
			r.before[key] = t.Status
		}
	}
	if e.Type == view.ToolStart {
		r.byID[e.ID] = e.Key
	}
}

// Folded returns the view itself.
func (r *Reader) Folded() *view.View { return r.view }

// View is the example view of the seed document.
type View struct {
	RunStatus         string          `json:"runStatus"`
	Turn              int64           `json:"turn"`
	ActiveAssistant   *Bubble         `json:"activeAssistant,omitzero"`
	AssistantMessages []Bubble        `json:"assistantMessages"`
	Tools             map[string]Tool `json:"tools"`
}

// Bubble is one assistant message.
type Bubble struct {
	Turn int64  `json:"turn"`
	Text string `json:"text"`
}

// Tool is one card.
type Tool struct {
	ID           string         `json:"id"`
	Name         string         `json:"name"`
	Status       string         `json:"status"`
	RawArgs      jsontext.Value `json:"rawArgs,omitzero"`
	ProgressText string         `json:"progressText,omitzero"`
	ResultText   string         `json:"resultText,omitzero"`
}

// View reads the view as it is now.
func (r *Reader) View() View {
	v := View{RunStatus: r.view.RunStatus, Turn: r.view.Turn, AssistantMessages: []Bubble{}, Tools: map[string]Tool{}}
	if a := r.view.Active; a != nil {
		v.ActiveAssistant = &Bubble{Turn: a.Turn, Text: a.Text}
	}
	for _, m := range r.view.Msgs {
		if m.Role == string(agent.RoleAssistant) {
			v.AssistantMessages = append(v.AssistantMessages, Bubble{Turn: m.Turn, Text: m.Text})
		}
	}
	for id := range r.byID {
		if t, ok := r.tool(id); ok {
			v.Tools[id] = t
		}
	}
	return v
}

func (r *Reader) tool(id string) (Tool, bool) {
	t := r.view.Tools[r.byID[id]]
	if t == nil {
		return Tool{}, false
	}
	args := jsontext.Value(t.RawArgs)
	if !args.IsValid() {
		args, _ = jsontext.AppendQuote(nil, t.RawArgs) // a preview that was cut
	}
	return Tool{
		ID: t.ID, Name: t.Name, Status: r.before[t.Key], RawArgs: args,
		ProgressText: t.ProgressText, ResultText: t.ResultText,
	}, true
}

// Trace is the entry of a view trace.
type Trace struct {
	Run     string     `json:"run"`
	Turn    int64      `json:"turn"`
	Bubbles int        `json:"bubbles"`
	Active  *string    `json:"active,omitzero"`
	Tool    *ToolTrace `json:"tool,omitzero"`
}

// ToolTrace is the card that a tool event is about.
type ToolTrace struct {
	ID       string `json:"id"`
	Status   string `json:"status"`
	Progress string `json:"progress,omitzero"`
	Result   string `json:"result,omitzero"`
}

// Trace reads the entry after e, which the events folded last came from.
func (r *Reader) Trace(e agent.Event) Trace {
	v := r.View()
	t := Trace{Run: v.RunStatus, Turn: v.Turn, Bubbles: len(v.AssistantMessages)}
	if v.ActiveAssistant != nil {
		t.Active = &v.ActiveAssistant.Text
	}
	id, about := "", true
	switch e := e.(type) {
	case agent.ToolExecutionStart:
		id = e.ToolCallID
	case agent.ToolExecutionUpdate:
		id = e.ToolCallID
	case agent.ToolExecutionEnd:
		id = e.ToolCallID
	default:
		about = false
	}
	if card, ok := v.Tools[id]; ok && about {
		t.Tool = &ToolTrace{ID: id, Status: card.Status, Progress: card.ProgressText, Result: card.ResultText}
	}
	return t
}
