package view

import "strconv"

const (
	roleAssistant = "assistant"
	roleUser      = "user"
	stopError     = "error"
	stopAborted   = "aborted"
	stopLost      = "lost"
)

// applyMessageStart opens an assistant bubble. The other roles have no
// streaming: their message_end says everything.
func (v *View) applyMessageStart(e *Event) {
	if e.Role != roleAssistant {
		return
	}
	if _, settled := v.msgIndex[e.ID]; settled {
		return // replayed
	}
	again := v.Active != nil && v.Active.ID == e.ID
	if !again {
		v.loseActive(e.T)
		v.appear(KindMessage, e.ID)
	}
	// Started again, it replaces what its deltas built: never append twice.
	v.Active = &Active{ID: e.ID, Turn: v.Turn, StartedAt: e.T}
	v.text, v.thinking = nil, nil
	v.touch(activeEntity)
}

// applyDelta appends to the active message. A delta without a start opens the
// bubble; one for another message is a stray.
func (v *View) applyDelta(e *Event) {
	if _, settled := v.msgIndex[e.ID]; settled || v.Active != nil && v.Active.ID != e.ID {
		v.stray()
		return
	}
	a := Active{ID: e.ID, Turn: v.Turn, StartedAt: e.T}
	if v.Active != nil {
		a = *v.Active
	} else {
		v.appear(KindMessage, e.ID)
	}
	if e.Type == TextDelta {
		a.Text = grow(&v.text, a.Text, e.Delta)
	} else {
		a.Thinking = grow(&v.thinking, a.Thinking, e.Delta)
	}
	v.Active = &a
	v.touch(activeEntity)
}

// applyMessageEnd takes the final message as the truth, whatever the deltas
// built, and also where no delta came.
func (v *View) applyMessageEnd(e *Event) {
	m := &Message{
		ID: e.ID, Role: e.Role, Turn: v.Turn, Text: e.text(), Thinking: e.Thinking,
		StopReason: e.StopReason, Error: e.Error, At: e.T, Truncated: some(e.Truncated), Redacted: e.Redacted,
	}
	if _, again := v.msgIndex[e.ID]; !again && e.Role == roleAssistant {
		v.Fresh = false // without a turn of its own, but an answer
	}
	if a := v.Active; a != nil && a.ID == e.ID {
		m.Turn, m.StartedAt = a.Turn, a.StartedAt
		v.clearActive()
	} else if i, settled := v.msgIndex[e.ID]; settled {
		m.Turn, m.StartedAt = v.Msgs[i].Turn, v.Msgs[i].StartedAt
	} else {
		v.appear(KindMessage, e.ID)
	}
	v.settle(m)
	if e.Role == roleAssistant && (e.StopReason == stopError || e.StopReason == stopAborted) {
		v.skipWritten(e.T)
	}
}

// settle adds a message, or replaces the one with its id.
func (v *View) settle(m *Message) {
	if i, ok := v.msgIndex[m.ID]; ok {
		v.Msgs[i] = m
	} else {
		v.msgIndex[m.ID] = len(v.Msgs)
		v.Msgs = append(v.Msgs, m)
	}
	v.touch(messagePrefix + m.ID)
}

// loseActive keeps the text of a message whose end will not come.
func (v *View) loseActive(t int64) {
	a := v.Active
	if a == nil {
		return
	}
	v.clearActive()
	v.settle(&Message{
		ID: a.ID, Role: roleAssistant, Turn: a.Turn, Text: a.Text, Thinking: a.Thinking,
		StopReason: stopLost, StartedAt: a.StartedAt, At: t,
	})
}

func (v *View) clearActive() {
	v.Active, v.text, v.thinking = nil, nil, nil
	v.touch(activeEntity)
}

func noticeID(n int64) string { return "n" + strconv.FormatInt(n, 10) }
