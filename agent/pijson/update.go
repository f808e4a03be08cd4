package pijson

import (
	"cmp"

	"github.com/ringside-hub/ringside/agent"
)

// messageUpdate reads one streaming step. Until Pi 0.84 it came with the whole
// message so far, twice, of which nothing is used but a new call's id and name.
func (d *decoder) messageUpdate() error {
	var s step
	err := d.c.object(func(name string) error {
		switch name {
		case "assistantMessageEvent":
			return d.step(&s)
		case "message":
			return d.snapshot(&s)
		}
		return d.c.skip()
	})
	if err != nil {
		return err
	}
	return d.finishStep(&s)
}

// step is a message_update while its fields are read.
type step struct {
	u        agent.AssistantUpdate
	hasIndex bool
	hasDelta bool
	// first and last are the halves of characters at the delta's edges, or 0.
	first, last rune
	// hasCall says that the call came with the step itself.
	hasCall bool
	call    agent.ToolCall
	// badCall and badDelta are faults that matter to some steps only.
	badCall, badDelta error
	// snapshots are the raw cumulative messages.
	snapshots [][]byte
}

func (d *decoder) step(s *step) error {
	*s = step{snapshots: s.snapshots}
	return d.c.object(func(name string) error {
		u := &s.u
		switch name {
		case "type":
			return d.c.str((*string)(&u.Type))
		case "contentIndex":
			s.hasIndex = true
			return d.c.index(&u.ContentIndex)
		case "delta":
			return d.delta(s)
		case "content":
			return d.c.laxStr(&u.Content)
		case "id":
			s.hasCall = true
			return hold(&s.badCall, d.c.str(&s.call.ID))
		case "toolName":
			s.hasCall = true
			return hold(&s.badCall, d.c.str(&s.call.Name))
		case "toolCall":
			s.hasCall = true
			return hold(&s.badCall, d.c.object(func(name string) error {
				return hold(&s.badCall, d.callField(&s.call, name))
			}))
		case "partial":
			return d.snapshot(s)
		}
		return d.c.skip()
	})
}

func (d *decoder) snapshot(s *step) error {
	v, err := d.c.value()
	s.snapshots = append(s.snapshots, v)
	return err
}

// finishStep gives the event, if the step is one of those that build content:
// start, done and error repeat what message_start and message_end say.
func (d *decoder) finishStep(s *step) error {
	var err error
	u := s.u
	switch u.Type {
	case agent.UpdateTextDelta, agent.UpdateThinkingDelta:
		err = s.badDelta
	case agent.UpdateToolCallDelta:
		err = cmp.Or(s.badDelta, s.noIndex())
	case agent.UpdateToolCallStart:
		err = cmp.Or(s.badCall, s.noIndex())
		if !s.hasCall {
			s.call = d.callIn(s.snapshots, u.ContentIndex)
		}
		u.ToolCall = &s.call
	case agent.UpdateToolCallEnd:
		err = cmp.Or(s.badCall, s.noIndex())
		if s.hasCall {
			u.ToolCall = &s.call
		}
	case agent.UpdateTextStart, agent.UpdateTextEnd, agent.UpdateThinkingStart, agent.UpdateThinkingEnd:
	default:
		return nil
	}
	switch {
	case err != nil || isDelta(u.Type) && !s.hasDelta:
		return err
	case isDelta(u.Type):
		d.joinHalves(s, &u)
	default:
		d.dropHalf(u.ContentIndex)
	}
	d.emit(agent.MessageUpdate{Update: u})
	return nil
}

func isDelta(t agent.UpdateType) bool {
	return t == agent.UpdateTextDelta || t == agent.UpdateThinkingDelta || t == agent.UpdateToolCallDelta
}

// noIndex is the fault of a call's step without an index: several calls are
// written side by side, so that guessing would mix them.
func (s *step) noIndex() error {
	if s.hasIndex {
		return nil
	}
	return &fieldError{
		pointer: "/assistantMessageEvent/contentIndex",
		reason:  "missing: the call cannot be told from others",
	}
}

// callIn looks a call's id and name up in the message so far. Its arguments
// there are a guess from unfinished JSON. Without a usable one all stays empty.
func (d *decoder) callIn(snapshots [][]byte, index int) agent.ToolCall {
	for _, raw := range snapshots {
		var m agent.Message
		if d.part(raw).message(&m) != nil || index >= len(m.Content) {
			continue
		}
		if call := m.Content[index].ToolCall; call != nil {
			return agent.ToolCall{ID: call.ID, Name: call.Name}
		}
	}
	return agent.ToolCall{}
}
