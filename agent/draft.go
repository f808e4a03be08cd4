package agent

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Draft builds an assistant message from its updates: what an implementation of
// Model returns in the end, and what State shows meanwhile. The zero Draft is
// empty. It is not safe for concurrent use.
type Draft struct {
	blocks []*draftBlock // in the order of appearance
}

type draftBlock struct {
	index int
	kind  BlockType
	text  []byte // of text and thinking
	call  ToolCall
	args  []byte // what toolcall_delta brought
	done  bool   // call.Arguments are final
}

// draftOf is a draft that goes on from content.
func draftOf(content []Block) Draft {
	var d Draft
	for i, b := range content {
		next := &draftBlock{index: i, kind: b.Type, text: []byte(b.Text)}
		if b.ToolCall != nil {
			next.call, next.done = *b.ToolCall, true
		}
		d.blocks = append(d.blocks, next)
	}
	return d
}

// Apply adds one update. The start, delta or end of a block that is not known
// yet opens it; updates that say nothing of content change nothing.
func (d *Draft) Apply(u AssistantUpdate) {
	switch u.Type {
	case UpdateTextStart, UpdateTextDelta, UpdateTextEnd:
		d.block(u.ContentIndex, BlockText).addText(u)
	case UpdateThinkingStart, UpdateThinkingDelta, UpdateThinkingEnd:
		d.block(u.ContentIndex, BlockThinking).addText(u)
	case UpdateToolCallStart, UpdateToolCallDelta, UpdateToolCallEnd:
		d.block(u.ContentIndex, BlockToolCall).addCall(u)
	}
}

// Len is the number of blocks so far, which is the next block's ContentIndex
// where blocks come one after the other.
func (d *Draft) Len() int { return len(d.blocks) }

// Content returns the blocks by their index. The arguments of a call that is
// still being written are {}.
func (d *Draft) Content() []Block {
	sorted := slices.SortedStableFunc(slices.Values(d.blocks), func(a, b *draftBlock) int { return a.index - b.index })
	content := make([]Block, 0, len(sorted))
	for _, b := range sorted {
		switch b.kind {
		case BlockToolCall:
			call := b.call
			if !b.done {
				call.Arguments = json.RawMessage(`{}`)
			}
			content = append(content, Block{Type: b.kind, ToolCall: &call})
		default:
			content = append(content, Block{Type: b.kind, Text: string(b.text)})
		}
	}
	return content
}

func (d *Draft) block(index int, kind BlockType) *draftBlock {
	for _, b := range slices.Backward(d.blocks) {
		if b.index == index && b.kind == kind {
			return b
		}
	}
	b := &draftBlock{index: index, kind: kind}
	d.blocks = append(d.blocks, b)
	return b
}

func (b *draftBlock) addText(u AssistantUpdate) {
	switch u.Type {
	case UpdateTextDelta, UpdateThinkingDelta:
		b.text = append(b.text, u.Delta...)
	case UpdateTextEnd, UpdateThinkingEnd:
		if u.Content != "" {
			b.text = append(b.text[:0], u.Content...)
		}
	}
}

func (b *draftBlock) addCall(u AssistantUpdate) {
	if u.ToolCall != nil {
		if u.ToolCall.ID != "" {
			b.call.ID = u.ToolCall.ID
		}
		if u.ToolCall.Name != "" {
			b.call.Name = u.ToolCall.Name
		}
	}
	switch u.Type {
	case UpdateToolCallDelta:
		b.args = append(b.args, u.Delta...)
	case UpdateToolCallEnd:
		b.done = true
		if u.ToolCall != nil && len(u.ToolCall.Arguments) > 0 {
			b.call.Arguments = u.ToolCall.Arguments
		} else {
			b.call.Arguments = argumentsText(b.args)
		}
	}
}

// argumentsText makes JSON of the text that a model wrote as arguments: what is
// no JSON becomes a JSON string, for the model to read in the error.
func argumentsText(text []byte) json.RawMessage {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return json.RawMessage(`{}`)
	}
	if jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true)) {
		return bytes.Clone(text)
	}
	// The error tells of ill-formed UTF-8, which is replaced all the same.
	quoted, _ := jsontext.AppendQuote(nil, text)
	return json.RawMessage(quoted)
}
