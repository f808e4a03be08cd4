package scripted

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ringside-hub/ringside/agent"
)

// Model plays a script.
type Model struct {
	script *Script      // static
	named  atomic.Int64 // calls whose id was made up
	next   atomic.Int64 // requests so far

}

var _ agent.Model = (*Model)(nil)

// New returns a model that begins with the script's first response.
func New(s *Script) *Model { return &Model{script: s} }

// Stream plays the next response.
func (m *Model) Stream(ctx context.Context, _ agent.Request, update func(agent.AssistantUpdate) error) (agent.Message, error) {
	n := int(m.next.Add(1) - 1)
	if n >= len(m.script.responses) {
		if !m.script.repeat {
			return agent.Message{StopReason: agent.StopError, ErrorMessage: fmt.Sprintf("the script has no response for request %d", n+1)}, nil
		}
		n %= len(m.script.responses)
	}
	p := &play{model: m, ctx: ctx, response: &m.script.responses[n], update: update}
	final, err := p.run()
	if ctx.Err() != nil && !errors.Is(err, errRefused) {
		// What the script has in mind does not count any more.
		return agent.Message{Content: p.draft.Content(), StopReason: agent.StopAborted, ErrorMessage: "Request was aborted"}, nil
	}
	return final, err
}

// play is one response being played.
type play struct {
	model    *Model
	ctx      context.Context
	response *response
	update   func(agent.AssistantUpdate) error
	draft    agent.Draft
}

// errRefused marks that the agent does not want to hear more.
var errRefused = errors.New("scripted: the answer is not wanted any more")

func (p *play) run() (agent.Message, error) {
	if err := p.send(agent.AssistantUpdate{Type: agent.UpdateStart}); err != nil {
		return agent.Message{}, err
	}
	final := agent.Message{StopReason: p.response.stop, Usage: p.response.usage}
	for i := range p.response.steps {
		s := &p.response.steps[i]
		var err error
		switch {
		case s.text != nil:
			err = p.block(*s.text, agent.UpdateTextStart, agent.UpdateTextDelta, agent.UpdateTextEnd)
		case s.thinking != nil:
			err = p.block(*s.thinking, agent.UpdateThinkingStart, agent.UpdateThinkingDelta, agent.UpdateThinkingEnd)
		case s.call != nil:
			err = p.call(*s.call)
		case s.fail != nil:
			final.StopReason, final.ErrorMessage = agent.StopError, *s.fail
			if s.temporary {
				final.Failure = &agent.Failure{Temporary: true}
			}
		case s.cut != nil:
			err = errors.New(*s.cut)
		default:
			err = wait(p.ctx, s.pause)
		}
		if err != nil {
			return agent.Message{}, err
		}
	}
	final.Content = p.draft.Content()
	return final, nil
}

// send streams one update. A response that is not streamed only keeps it.
func (p *play) send(u agent.AssistantUpdate) error {
	p.draft.Apply(u)
	if !p.response.stream {
		return p.ctx.Err()
	}
	if err := p.update(u); err != nil {
		return fmt.Errorf("%w: %w", errRefused, err)
	}
	return p.ctx.Err()
}

func (p *play) block(text string, start, delta, end agent.UpdateType) error {
	n := p.draft.Len()
	if err := p.send(agent.AssistantUpdate{Type: start, ContentIndex: n}); err != nil {
		return err
	}
	if err := p.pieces(text, agent.AssistantUpdate{Type: delta, ContentIndex: n}); err != nil {
		return err
	}
	return p.send(agent.AssistantUpdate{Type: end, ContentIndex: n, Content: text})
}

func (p *play) call(c agent.ToolCall) error {
	if c.ID == "" {
		c.ID = fmt.Sprintf("scripted-%d", p.model.named.Add(1))
	}
	n := p.draft.Len()
	known := &agent.ToolCall{ID: c.ID, Name: c.Name}
	if err := p.send(agent.AssistantUpdate{Type: agent.UpdateToolCallStart, ContentIndex: n, ToolCall: known}); err != nil {
		return err
	}
	if err := p.pieces(string(c.Arguments), agent.AssistantUpdate{Type: agent.UpdateToolCallDelta, ContentIndex: n}); err != nil {
		return err
	}
	return p.send(agent.AssistantUpdate{Type: agent.UpdateToolCallEnd, ContentIndex: n, ToolCall: &c})
}

// pieces streams text word by word.
func (p *play) pieces(text string, u agent.AssistantUpdate) error {
	for i, piece := range strings.SplitAfter(text, " ") {
		if i > 0 {
			if err := wait(p.ctx, p.response.pace); err != nil {
				return err
			}
		}
		if u.Delta = piece; piece == "" {
			continue
		}
		if err := p.send(u); err != nil {
			return err
		}
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
