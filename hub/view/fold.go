package view

import (
	"maps"
	"slices"
	"strings"
)

// New returns the empty view: what a run is before its first event.
func New() *View {
	return &View{
		RunStatus: Idle,
		Tools:     map[string]*Tool{},
		open:      map[string]struct{}{},
		msgIndex:  map[string]int{},
		digests:   map[string]string{},
	}
}

// Clone returns a view that can be folded on by itself. Entities are shared:
// they never change.
func (v *View) Clone() *View {
	c := *v
	c.Msgs = slices.Clone(v.Msgs)
	c.Tools = maps.Clone(v.Tools)
	c.Timeline = slices.Clone(v.Timeline)
	c.Turns = slices.Clone(v.Turns)
	c.Notices = slices.Clone(v.Notices)
	c.open = maps.Clone(v.open)
	c.msgIndex = maps.Clone(v.msgIndex)
	c.digests = maps.Clone(v.digests)
	// A builder must not be shared: two folds would write behind the same text.
	c.text, c.thinking = nil, nil
	return &c
}

// Apply folds one event into the view. It is pure: it reads no clock, does no
// I/O, and the same events give the same view in Go and TypeScript. It never
// fails: an event that fits nothing is counted in Strays.
func (v *View) Apply(e *Event) {
	switch e.Type {
	case RunInfo:
		v.applyRunInfo(e)
	case AgentStart:
		v.RunStatus, v.Outcome, v.OutcomeText, v.Fresh = Running, "", "", true
		v.touch(header)
	case AgentEnd:
		v.applyAgentEnd(e)
	case AgentIdle:
		v.applyAgentIdle(e)
	case TurnStart:
		v.Turn++
		v.Fresh = false
		v.touch(header)
		v.setTurn(&Turn{Turn: v.Turn, StartedAt: e.T})
	case TurnEnd:
		v.applyTurnEnd(e)
	case MessageStart:
		v.applyMessageStart(e)
	case TextDelta, ThinkingDelta:
		v.applyDelta(e)
	case MessageEnd:
		v.applyMessageEnd(e)
	case CallDelta:
		v.applyCallDelta(e)
	case ToolStart:
		v.applyToolStart(e)
	case ToolUpdate:
		v.applyToolUpdate(e)
	case ToolEnd:
		v.applyToolEnd(e)
	case ToolResult:
		v.applyToolResult(e)
	case Queue:
		v.Queue = nil
		if len(e.Steering)+len(e.FollowUp) > 0 {
			v.Queue = &QueueState{Steering: e.Steering, FollowUp: e.FollowUp}
		}
		v.touch(header)
	case NoticeEvent:
		v.applyNotice(e)
	case Worker:
		v.applyWorker(e)
	case Trim:
		v.applyTrim(e.BeforeTurn)
	}
}

func (v *View) applyRunInfo(e *Event) {
	r := Run{}
	if v.Run != nil {
		r = *v.Run
	}
	set := func(to *string, from string) {
		if from != "" {
			*to = from
		}
	}
	set(&r.Title, e.Title)
	set(&r.Source, e.Source)
	set(&r.Model, e.Model)
	set(&r.Cwd, e.Cwd)
	if len(e.Labels) > 0 {
		r.Labels = e.Labels
	}
	if r.Title != "" || r.Source != "" || r.Model != "" || r.Cwd != "" || r.Labels != nil {
		v.Run = &r
	}
	v.touch(header)
}

func (v *View) applyAgentEnd(e *Event) {
	v.RunStatus = Settling
	if e.WillRetry {
		v.Outcome = OutcomeRetrying
	}
	v.touch(header)
	v.presume(CauseRunEnded, e.T, anyTurn)
}

// applyAgentIdle reads the outcome off the newest prompt's last answer: a prompt
// whose last request failed has failed, whatever its tools did.
func (v *View) applyAgentIdle(e *Event) {
	v.presume(CauseRunEnded, e.T, anyTurn)
	last := v.lastAnswer()
	v.RunStatus, v.Outcome, v.OutcomeText, v.Fresh = Idle, OutcomeOK, "", false
	switch {
	case e.Aborted || last != nil && last.StopReason == stopAborted:
		v.Outcome = OutcomeAborted
	case last != nil && last.StopReason == stopError:
		v.Outcome = OutcomeError
	}
	if last != nil && v.Outcome != OutcomeOK {
		v.OutcomeText = last.Error
	}
	v.touch(header)
}

// lastAnswer returns the assistant message that decides about the newest prompt,
// or nil if that has none. A request that fails ends its turn and its prompt, so
// the message is of the newest turn, and nobody has spoken after it. Both are in
// the view, so a joiner folds on to the same outcome.
func (v *View) lastAnswer() *Message {
	if v.Fresh {
		return nil
	}
	for _, m := range slices.Backward(v.Msgs) {
		switch {
		case m.Turn != v.Turn:
		case m.Role == roleAssistant:
			return m
		case m.Role == roleUser:
			return nil
		}
	}
	return nil
}

func (v *View) lastAssistant() *Message {
	for _, m := range slices.Backward(v.Msgs) {
		if m.Role == roleAssistant {
			return m
		}
	}
	return nil
}

func (v *View) applyTurnEnd(e *Event) {
	t := Turn{Turn: v.Turn}
	if n := len(v.Turns); n > 0 && v.Turns[n-1].Turn == v.Turn {
		t = *v.Turns[n-1]
	}
	t.EndedAt, t.StopReason, t.Error, t.Usage = e.T, e.StopReason, e.Error, some(e.Usage)
	v.setTurn(&t)
	v.presume(CauseTurnEnded, e.T, v.Turn)
}

// setTurn puts t in place of the summary with its number, or at the end.
func (v *View) setTurn(t *Turn) {
	if n := len(v.Turns); n > 0 && v.Turns[n-1].Turn == t.Turn {
		v.Turns[n-1] = t
	} else {
		v.Turns = append(v.Turns, t)
	}
	v.touchTurn(t.Turn)
}

func (v *View) applyNotice(e *Event) {
	var before int64
	if v.Trimmed != nil {
		before = v.Trimmed.Notices
	}
	n := &Notice{
		ID: noticeID(before + int64(len(v.Notices)) + 1), Turn: v.Turn, Kind: e.Kind, Text: e.text(), At: e.T,
		Truncated: some(e.Truncated), Redacted: e.Redacted,
	}
	v.Notices = append(v.Notices, n)
	v.appear(KindNotice, n.ID)
}

// applyWorker: a worker that is lost or gone leaves nothing open behind.
func (v *View) applyWorker(e *Event) {
	v.Worker = e.State
	v.touch(header)
	if e.State == WorkerLive {
		return
	}
	v.presume(CauseWorkerLost, e.T, anyTurn)
	v.loseActive(e.T)
	v.Queue = nil
	v.RunStatus = Idle
}

// appear adds the first appearance of something to the timeline.
func (v *View) appear(kind, key string) {
	v.Timeline = append(v.Timeline, TimelineItem{Kind: kind, Key: key})
	v.touch(timelineEntity)
}

func (e *Event) text() string {
	if e.Text == nil {
		return ""
	}
	return *e.Text
}

// some returns p, or nil where it points to nothing but empty fields: what is
// empty is not there, in a view and in its hash.
func some[T comparable](p *T) *T {
	if p == nil || *p == *new(T) {
		return nil
	}
	return p
}

// grow returns s followed by delta, using *b to avoid copying s each time. The
// strings it has returned stay valid.
func grow(b **strings.Builder, s, delta string) string {
	if *b == nil || (*b).Len() != len(s) {
		*b = &strings.Builder{}
		(*b).WriteString(s)
	}
	(*b).WriteString(delta)
	return (*b).String()
}
