package anthropic

import (
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/internal/provider"
)

// block is one block of the message; its content is kept in a draft of its own.
type block struct {
	index     int
	kind      agent.BlockType
	draft     agent.Draft
	signature strings.Builder
	redacted  bool
	call      agent.ToolCall
	input     string // of a call, from its start: what counts if no delta comes
	written   bool   // some deltas have come
	done      bool
}

// apply keeps the update, whose place in the block's own draft is 0.
func (b *block) apply(u agent.AssistantUpdate) {
	u.ContentIndex = 0
	b.draft.Apply(u)
}

func (b *block) content() agent.Block {
	c := b.draft.Content()[0]
	c.Signature, c.Redacted = b.signature.String(), b.redacted
	return c
}

var steps = map[agent.BlockType]struct{ start, delta, end agent.UpdateType }{
	agent.BlockText:     {agent.UpdateTextStart, agent.UpdateTextDelta, agent.UpdateTextEnd},
	agent.BlockThinking: {agent.UpdateThinkingStart, agent.UpdateThinkingDelta, agent.UpdateThinkingEnd},
	agent.BlockToolCall: {agent.UpdateToolCallStart, agent.UpdateToolCallDelta, agent.UpdateToolCallEnd},
}

func (a *answer) blockStart(index int64, c sdk.ContentBlockStartEventContentBlockUnion) error {
	if !a.started { // a server that leaves out message_start
		if err := a.begin(sdk.Usage{}); err != nil {
			return err
		}
	}
	if old := a.byIndex[index]; old != nil {
		if err := a.close(old); err != nil {
			return err
		}
		delete(a.byIndex, index)
	}
	b := &block{index: len(a.blocks)}
	u := agent.AssistantUpdate{}
	text := ""
	switch c.Type {
	case "text":
		b.kind, text = agent.BlockText, c.Text
	case "thinking":
		b.kind, text = agent.BlockThinking, c.Thinking
	case "redacted_thinking":
		b.kind, b.redacted = agent.BlockThinking, true
	case "tool_use":
		b.kind = agent.BlockToolCall
		b.call = agent.ToolCall{ID: clean(c.ID), Name: clean(c.Name)}
		b.input = strings.Clone(c.JSON.Input.Raw())
		u.ToolCall = new(b.call)
		a.calls++
	default:
		return nil // its deltas find no block
	}
	if len(a.blocks) >= maxBlocks {
		return provider.Broken("the answer has more than %d blocks", maxBlocks)
	}
	if a.byIndex == nil {
		a.byIndex = map[int64]*block{}
	}
	a.byIndex[index] = b
	a.blocks = append(a.blocks, b)
	u.Type = steps[b.kind].start
	if err := a.emit(b, u); err != nil {
		return err
	}
	if err := a.sign(b, c.Signature+c.Data); err != nil {
		return err
	}
	return a.say(b, text)
}

func (a *answer) blockDelta(index int64, d sdk.MessageStreamEventUnionDelta) error {
	b := a.byIndex[index]
	if b == nil || b.done || b.redacted {
		return nil
	}
	switch {
	case d.Type == "text_delta" && b.kind == agent.BlockText:
		return a.say(b, d.Text)
	case d.Type == "thinking_delta" && b.kind == agent.BlockThinking:
		return a.say(b, d.Thinking)
	case d.Type == "signature_delta" && b.kind == agent.BlockThinking:
		return a.sign(b, d.Signature)
	case d.Type == "input_json_delta" && b.kind == agent.BlockToolCall:
		return a.say(b, d.PartialJSON)
	}
	return nil
}

func (a *answer) blockStop(index int64) error {
	if b := a.byIndex[index]; b != nil {
		return a.close(b)
	}
	return nil
}

// close ends a block, once.
func (a *answer) close(b *block) error {
	if b.done {
		return nil
	}
	u := agent.AssistantUpdate{Type: steps[b.kind].end, ContentIndex: b.index}
	if b.kind != agent.BlockToolCall {
		b.done = true
		u.Content = b.content().Text
		return a.emit(b, u)
	}
	if !b.written && b.input != "null" && b.input != "{}" {
		if err := a.say(b, b.input); err != nil {
			return err
		}
	}
	b.done = true
	// The draft makes JSON of the arguments, whatever the model has written.
	b.apply(agent.AssistantUpdate{Type: agent.UpdateToolCallEnd, ToolCall: &b.call})
	u.ToolCall = b.content().ToolCall
	return a.send(u)
}

// sign adds to a block's signature.
func (a *answer) sign(b *block, signature string) error {
	if err := a.grow(len(signature)); err != nil {
		return err
	}
	b.signature.WriteString(signature)
	return nil
}

// say emits a delta, if there is something to say.
func (a *answer) say(b *block, text string) error {
	if text == "" {
		return nil
	}
	if err := a.grow(len(text)); err != nil {
		return err
	}
	b.written = true
	return a.emit(b, agent.AssistantUpdate{Type: steps[b.kind].delta, Delta: clean(text)})
}

func (a *answer) grow(n int) error {
	if a.size += n; a.size > maxAnswer {
		return provider.Broken("the answer has more than %d MiB", maxAnswer>>20)
	}
	return nil
}

func (a *answer) emit(b *block, u agent.AssistantUpdate) error {
	u.ContentIndex = b.index
	b.apply(u)
	return a.send(u)
}
