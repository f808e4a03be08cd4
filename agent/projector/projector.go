package projector

import (
	"strconv"
	"strings"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/hub/view"
)

// Config says how a run is projected. The zero value is usable.
type Config struct {
	// Redactor hides secrets; nil: one that knows only the common shapes.
	Redactor *Redactor
	// Next are the counters to go on from: see CountersOf.
	Next Counters
	// Run is what is known of the run before its first event, from its snapshot
	// or from the host: it is not said again, and a title stays.
	Run view.Run
	// Source says where the events come from ("pi", …).
	Source string
	// ToolLabel gives a tool's human name where an event has none; may be nil.
	ToolLabel func(name string) string
	Limits    Limits
}

// Result is what one agent event gives.
type Result struct {
	Events []view.Event
	// Blobs are whole outputs that the events show only a part of.
	Blobs []Blob
}

// Blob is the whole output of a call, redacted; Key is the call's key.
type Blob struct{ Key, Text string }

// Projector turns the agent events of one run into projected events. See the
// package's promises.
type Projector struct {
	// Static after construction.
	redactor  *Redactor
	source    string
	toolLabel func(string) string
	limits    Limits

	// Changed by every call.
	run      view.Run // what run_info has said
	messages int64    // the next message's number
	calls    calls
	message  *message // the assistant message that streams
	userID   string   // the user message that was started
	pending  []pending
	epoch    int64 // counts Resets
	lifecycle
}

// lifecycle is where the run stands between its prompts.
type lifecycle struct {
	// unsettled: agent_end came, and nothing yet said that the run is idle.
	unsettled bool
	willRetry bool
	idle      bool
	// stop is the last assistant message's stop reason in this prompt.
	stop agent.StopReason
}

// New returns a Projector for one run.
func New(c Config) *Projector {
	r := c.Redactor
	if r == nil {
		r = NewRedactor(RedactConfig{})
	}
	return &Projector{
		redactor: r, source: c.Source, toolLabel: c.ToolLabel, limits: c.Limits.withDefaults(),
		run: c.Run, messages: max(c.Next.Message, 1), calls: newCalls(c.Next.Call),
	}
}

// Project returns what e gives at time t (Unix milliseconds). Deltas wait for
// Flush; anything else takes the waiting ones with it. An unknown event gives
// nothing.
func (p *Projector) Project(t int64, e agent.Event) Result {
	o := &out{t: clamp(t)}
	switch e := e.(type) {
	case agent.MessageUpdate:
		p.messageUpdate(o, e.Update)
		return o.Result
	case agent.MessageStart:
		p.messageStart(o, &e.Message)
	case agent.MessageEnd:
		p.messageEnd(o, &e.Message)
	case agent.ToolExecutionStart:
		p.flush(o)
		p.toolStart(o, &e)
	case agent.ToolExecutionUpdate:
		p.flush(o)
		p.toolUpdate(o, &e)
	case agent.ToolExecutionEnd:
		p.flush(o)
		p.toolEnd(o, &e)
	case agent.AgentStart, agent.AgentEnd, agent.Settled, agent.TurnStart, agent.TurnEnd:
		p.letGo()
		p.flush(o)
		p.boundary(o, e)
	default:
		p.flush(o)
		p.host(o, e)
	}
	return o.Result
}

// Flush returns the deltas that wait, joined. It is to be called some
// milliseconds after a Project that gave nothing.
func (p *Projector) Flush(t int64) []view.Event {
	o := &out{t: clamp(t)}
	p.flush(o)
	return o.Events
}

// Close returns what the end of the input gives: waiting deltas and, where the
// host never said that it is idle again, that. A second Close gives nothing.
func (p *Projector) Close(t int64) []view.Event {
	o := &out{t: clamp(t)}
	p.letGo()
	p.flush(o)
	p.settle(o)
	return o.Events
}

// Reset begins a new epoch of the log: each card's next update says its whole
// progress.
func (p *Projector) Reset() { p.epoch++ }

// boundary projects the beginnings and ends around messages and tools.
func (p *Projector) boundary(o *out, e agent.Event) {
	switch e := e.(type) {
	case agent.AgentStart:
		if !p.willRetry {
			p.settle(o)
		}
		p.lifecycle = lifecycle{}
		p.calls.nextTurn()
		p.runInfo(o, view.Run{Source: p.source})
		o.add(view.Event{Type: view.AgentStart})
	case agent.AgentEnd:
		p.unsettled, p.willRetry, p.idle = true, e.WillRetry, false
		o.add(view.Event{Type: view.AgentEnd, WillRetry: e.WillRetry})
	case agent.Settled:
		p.settled(o, e.Aborted)
	case agent.TurnStart:
		p.calls.nextTurn()
		o.add(view.Event{Type: view.TurnStart})
	case agent.TurnEnd:
		o.add(view.Event{
			Type: view.TurnEnd, StopReason: p.short(string(e.Message.StopReason)),
			Error: p.errorText(e.Message.ErrorMessage), Usage: usage(e.Message.Usage),
		})
	}
}

// host projects what the host of the agent says.
func (p *Projector) host(o *out, e agent.Event) {
	switch e := e.(type) {
	case agent.SessionInfo:
		p.sessionInfo(o, e)
	case agent.QueueUpdate:
		o.add(view.Event{Type: view.Queue, Steering: p.queued(e.Steering), FollowUp: p.queued(e.FollowUp)})
	case agent.Notice:
		p.notice(o, e.Kind, e.Text)
	}
}

// settle says that the run is idle where its end was seen and nothing else
// said so: hosts before agent_settled.
func (p *Projector) settle(o *out) {
	if p.unsettled {
		p.settled(o, false)
	}
}

func (p *Projector) settled(o *out, aborted bool) {
	if p.idle {
		return
	}
	p.unsettled, p.willRetry, p.idle = false, false, true
	o.add(view.Event{Type: view.AgentIdle, Aborted: aborted || p.stop == agent.StopAborted})
}

func (p *Projector) sessionInfo(o *out, e agent.SessionInfo) {
	p.runInfo(o, view.Run{
		Title: p.title(e.Title), Source: p.source, Model: p.model(e.Provider, e.Model),
		Cwd: head(p.redactor.Path(repair(e.Cwd)), p.limits.Notice),
	})
}

// runInfo says what is new of the run, if anything is.
func (p *Projector) runInfo(o *out, now view.Run) {
	news := false
	keep := func(known *string, value *string) {
		if *value == *known {
			*value = ""
		} else if *value != "" {
			*known, news = *value, true
		}
	}
	keep(&p.run.Title, &now.Title)
	keep(&p.run.Source, &now.Source)
	keep(&p.run.Model, &now.Model)
	keep(&p.run.Cwd, &now.Cwd)
	if news {
		o.add(view.Event{Type: view.RunInfo, Title: now.Title, Source: now.Source, Model: now.Model, Cwd: now.Cwd})
	}
}

func (p *Projector) title(text string) string {
	clean, _ := p.clean(text)
	return firstLine(clean, p.limits.Title)
}

func (p *Projector) model(provider, model string) string {
	if model == "" {
		return ""
	}
	if provider != "" {
		model = provider + "/" + model
	}
	return p.short(model)
}

func (p *Projector) notice(o *out, kind, text string) {
	clean, hidden := p.clean(text)
	e := view.Event{Type: view.NoticeEvent, Kind: p.short(kind), Text: new(head(clean, p.limits.Notice)), Redacted: hidden}
	if len(clean) > p.limits.Notice {
		e.Truncated = &view.Truncated{Text: int64(len(clean))}
	}
	o.add(e)
}

func (p *Projector) queued(texts []string) []string {
	var all []string
	for _, text := range texts[:min(len(texts), maxQueued)] {
		clean, _ := p.clean(text)
		all = append(all, head(clean, p.limits.Notice))
	}
	return all
}

// clean repairs and redacts a text.
func (p *Projector) clean(s string) (string, int64) { return p.redactor.Text(repair(s)) }

// short is for names, kinds and other small words.
func (p *Projector) short(s string) string {
	clean, _ := p.clean(s)
	return head(clean, p.limits.Name)
}

func (p *Projector) errorText(s string) string {
	clean, _ := p.clean(s)
	return head(clean, p.limits.Error)
}

// out collects what one call gives.
type out struct {
	t int64
	Result
}

func (o *out) add(e view.Event) {
	e.T = o.t
	o.Events = append(o.Events, e)
}

// maxSafe is the largest number that every reader of the JSON holds exactly.
const maxSafe = 1<<53 - 1

func clamp(n int64) int64 { return min(max(n, 0), maxSafe) }

func usage(u *agent.Usage) *view.Usage {
	if u == nil {
		return nil
	}
	n := view.Usage{
		Input: clamp(u.Input), Output: clamp(u.Output), CacheRead: clamp(u.CacheRead),
		CacheWrite: clamp(u.CacheWrite), Total: clamp(u.Total), Cost: clamp(u.Cost),
	}
	if n == (view.Usage{}) {
		return nil
	}
	return &n
}

// Counters are the numbers that the next message and the next call get; less
// than 1 means 1.
type Counters struct{ Message, Call int64 }

// CountersOf returns the counters that go on from a view: no id or key in it, or
// trimmed from it, comes again.
func CountersOf(v *view.View) Counters {
	msgs, tools := int64(len(v.Msgs)), int64(len(v.Tools))
	if v.Trimmed != nil {
		msgs, tools = msgs+v.Trimmed.Messages, tools+v.Trimmed.Tools
	}
	for _, m := range v.Msgs {
		msgs = max(msgs, number(m.ID, "m"))
	}
	if v.Active != nil {
		msgs = max(msgs, number(v.Active.ID, "m"))
	}
	for key := range v.Tools {
		tools = max(tools, number(key, "c"))
	}
	return Counters{Message: msgs + 1, Call: tools + 1}
}

func number(id, prefix string) int64 {
	digits, ok := strings.CutPrefix(id, prefix)
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || n < 0 || n >= maxSafe {
		return 0
	}
	return n
}
