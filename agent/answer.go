package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
)

// answer makes one request, streams it and returns the final message.
func (l *loop) answer() (Message, error) {
	messages, err := l.modelMessages()
	if err != nil {
		return Message{}, err
	}
	s := &answering{loop: l}
	var final Message
	err = guard(l.opts.Report, "model", func() (err error) {
		final, err = l.model.Stream(l.ctx, Request{System: l.cur.System, Messages: messages, Tools: l.cur.Tools.Tools()}, s.update)
		return err
	})
	s.over.Store(true)
	switch {
	case s.failed != nil:
		return Message{}, s.failed
	case s.tooLong != nil:
		final = s.broken(s.tooLong)
	case err != nil && s.started:
		final = s.broken(err)
	case err != nil:
		return Message{}, err
	}
	l.complete(&final)
	if !s.started {
		if err := l.emit(MessageStart{Message: final}); err != nil {
			return Message{}, err
		}
	}
	return final, l.emit(MessageEnd{Message: final})
}

// modelMessages makes the messages of a request from the conversation.
func (l *loop) modelMessages() (messages []Message, err error) {
	messages = slices.Clip(l.cur.Messages)
	if hook := l.opts.Hooks.TransformContext; hook != nil {
		err = guard(l.opts.Report, "TransformContext hook", func() (err error) {
			messages, err = hook(l.ctx, messages)
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	hook := l.opts.Hooks.ConvertToModel
	if hook == nil {
		return conversation(messages), nil
	}
	err = guard(l.opts.Report, "ConvertToModel hook", func() (err error) {
		messages, err = hook(l.ctx, messages)
		return err
	})
	return messages, err
}

// conversation leaves out messages that no model knows. It does not copy where
// there are none.
func conversation(messages []Message) []Message {
	strange := func(m Message) bool {
		return m.Role != RoleUser && m.Role != RoleAssistant && m.Role != RoleToolResult
	}
	if !slices.ContainsFunc(messages, strange) {
		return messages
	}
	return slices.DeleteFunc(slices.Clone(messages), strange)
}

// answering is a message that streams. It is owned by the goroutine in
// Model.Stream.
type answering struct {
	loop    *loop
	started bool
	draft   Draft
	size    int
	tooLong error
	failed  error // of the sink: it ends the run
	over    atomic.Bool
}

// errAnswerOver is for a model that streams on after its Stream has returned.
var errAnswerOver = errors.New("agent: the answer is over")

func (s *answering) update(u AssistantUpdate) error {
	switch {
	case s.over.Load():
		return errAnswerOver
	case s.failed != nil:
		return s.failed
	case s.tooLong != nil:
		return s.tooLong
	}
	if u.Type == UpdateStart {
		if !s.started {
			s.started = true
			s.failed = s.loop.emit(MessageStart{Message: Message{Role: RoleAssistant, Content: s.draft.Content(), Timestamp: s.loop.now()}})
		}
		return s.failed
	}
	// An update counts more than its text, so that an endless stream of empty
	// ones ends too.
	const each = 16
	s.size += each + len(u.Delta)
	if most := s.loop.opts.MaxAnswer; s.size > most {
		s.tooLong = fmt.Errorf("the model's answer is longer than %d bytes", most)
		return s.tooLong
	}
	s.draft.Apply(u)
	if s.started {
		s.failed = s.loop.emit(MessageUpdate{Update: u})
	}
	return s.failed
}

// broken ends a message that was being streamed.
func (s *answering) broken(err error) Message {
	m := Message{Role: RoleAssistant, Content: s.draft.Content(), StopReason: StopError, ErrorMessage: err.Error()}
	if s.loop.aborted() {
		m.StopReason = StopAborted
	}
	return m
}

// complete fills in what a model may leave out.
func (l *loop) complete(m *Message) {
	m.Role = RoleAssistant
	if m.Timestamp == 0 {
		m.Timestamp = l.now()
	}
	if m.Content == nil {
		m.Content = []Block{}
	}
	calls := false
	for i, b := range m.Content {
		if b.Type != BlockToolCall || b.ToolCall == nil {
			continue
		}
		calls = true
		if b.ToolCall.ID != "" && len(b.ToolCall.Arguments) > 0 {
			continue
		}
		call := *b.ToolCall
		if call.ID == "" {
			call.ID = l.opts.NewID()
		}
		if len(call.Arguments) == 0 {
			call.Arguments = json.RawMessage(`{}`)
		}
		m.Content = slices.Clone(m.Content)
		m.Content[i].ToolCall = &call
	}
	switch {
	case m.StopReason != "":
	case calls:
		m.StopReason = StopToolUse
	default:
		m.StopReason = StopStop
	}
}
