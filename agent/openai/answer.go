package openai

import (
	"errors"
	"time"

	sdk "github.com/openai/openai-go/v3"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/internal/provider"
)

const (
	maxAnswer = 64 << 20 // bytes of text and arguments
	maxBlocks = 10_000
)

// errRefused is the way out when update has returned an error.
var errRefused = errors.New("openai: the update was refused")

// answer makes updates of chunks. It is owned by the goroutine in Stream.
type answer struct {
	update  func(agent.AssistantUpdate) error
	refused error // of update
	started bool
	size    int

	blocks []*block // by content index
	open   *block   // the text or thinking that is being written
	calls  calls

	finish   string
	finished bool               // a finish_reason came, or the answer was in one piece
	enough   func() *time.Timer // starts the timer that ends the reading
	timer    *time.Timer
	usage    *agent.Usage
}

// block is one block of the message; its content is kept in a draft of its own.
type block struct {
	index     int
	kind      agent.BlockType
	signature string
	draft     agent.Draft
	text      joiner
}

// apply keeps the update, whose place in the block's own draft is 0.
func (b *block) apply(u agent.AssistantUpdate) {
	u.ContentIndex = 0
	b.draft.Apply(u)
}

func (b *block) content() agent.Block {
	c := b.draft.Content()[0]
	c.Signature = b.signature
	return c
}

// chunk takes one chunk of the stream.
func (a *answer) chunk(c sdk.ChatCompletionChunk) error {
	if err := chunkError(c); err != nil {
		return err
	}
	if !a.started {
		a.started = true
		if err := a.send(agent.AssistantUpdate{Type: agent.UpdateStart}); err != nil {
			return err
		}
	}
	if u := usageOf(c); u != nil {
		a.usage = u
	}
	// Others are further answers to the same question, which were not asked for.
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		if err := a.delta(choice.Delta); err != nil {
			return err
		}
		if choice.FinishReason != "" {
			a.finish, a.finished = choice.FinishReason, true
			if a.timer == nil {
				a.timer = a.enough()
			}
		}
	}
	return nil
}

// chunkError finds an error where a chunk should be.
func chunkError(c sdk.ChatCompletionChunk) error {
	if raw := c.JSON.ExtraFields["error"].Raw(); raw != "" && raw != "null" || c.Object == "error" {
		return said([]byte(c.RawJSON()), 0, nil)
	}
	return nil
}

func (a *answer) delta(d sdk.ChatCompletionChunkChoiceDelta) error {
	if name, raw := reasoning(d); raw != "" {
		if err := a.write(agent.BlockThinking, name, raw); err != nil {
			return err
		}
	}
	for _, part := range contentParts(d.JSON.Content.Raw()) {
		if err := a.write(part.kind, "", part.raw); err != nil {
			return err
		}
	}
	// A refusal is what the model says instead.
	if err := a.write(agent.BlockText, "", d.JSON.Refusal.Raw()); err != nil {
		return err
	}
	for _, c := range d.ToolCalls {
		if err := a.callDelta(c); err != nil {
			return err
		}
	}
	return nil
}

// write adds a JSON string to the open block, or opens one of that kind.
func (a *answer) write(kind agent.BlockType, signature, raw string) error {
	if len(raw) <= len(`""`) || raw[0] != '"' {
		return nil // null, empty, or something else
	}
	if a.open == nil || a.open.kind != kind || a.open.signature != signature {
		if err := a.close(); err != nil {
			return err
		}
		b, err := a.begin(kind)
		if err != nil {
			return err
		}
		b.signature = signature
		a.open = b
		if err := a.emit(b, agent.AssistantUpdate{Type: startOf(kind)}); err != nil {
			return err
		}
	}
	return a.say(a.open, a.open.text.add(raw))
}

// close ends the open text or thinking.
func (a *answer) close() error {
	b := a.open
	if b == nil {
		return nil
	}
	a.open = nil
	if err := a.say(b, b.text.rest()); err != nil {
		return err
	}
	return a.emit(b, agent.AssistantUpdate{Type: endOf(b.kind), Content: b.content().Text})
}

// end closes all blocks.
func (a *answer) end() error {
	if err := a.close(); err != nil {
		return err
	}
	for _, b := range a.blocks {
		if b.kind == agent.BlockToolCall {
			if err := a.endCall(b); err != nil {
				return err
			}
		}
	}
	switch a.finish {
	case "content_filter":
		return provider.Broken("the provider's content filter stopped the answer")
	case "error":
		return provider.Cut("the provider stopped with an error")
	}
	return nil
}

func (a *answer) stopReason() agent.StopReason {
	switch {
	case a.finish == "length":
		return agent.StopLength
	case len(a.calls.blocks) > 0: // many servers say "stop" all the same
		return agent.StopToolUse
	}
	return agent.StopStop
}

func (a *answer) content() []agent.Block {
	content := make([]agent.Block, len(a.blocks))
	for i, b := range a.blocks {
		content[i] = b.content()
	}
	return content
}

func (a *answer) begin(kind agent.BlockType) (*block, error) {
	if len(a.blocks) >= maxBlocks {
		return nil, provider.Broken("the answer has more than %d blocks", maxBlocks)
	}
	b := &block{index: len(a.blocks), kind: kind}
	a.blocks = append(a.blocks, b)
	return b, nil
}

// say emits a delta, if there is something to say.
func (a *answer) say(b *block, text string) error {
	if text == "" {
		return nil
	}
	if a.size += len(text); a.size > maxAnswer {
		return provider.Broken("the answer has more than %d MiB", maxAnswer>>20)
	}
	return a.emit(b, agent.AssistantUpdate{Type: deltaOf(b.kind), Delta: text})
}

func (a *answer) emit(b *block, u agent.AssistantUpdate) error {
	u.ContentIndex = b.index
	b.apply(u)
	return a.send(u)
}

func (a *answer) send(u agent.AssistantUpdate) error {
	if err := a.update(u); err != nil {
		a.refused = err
		return errRefused
	}
	return nil
}

func (a *answer) stopTimer() {
	if a.timer != nil {
		a.timer.Stop()
	}
}
