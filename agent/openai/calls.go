package openai

import (
	"strings"

	sdk "github.com/openai/openai-go/v3"

	"github.com/ringside-hub/ringside/agent"
)

// calls finds the block that a call's delta belongs to.
type calls struct {
	blocks  []*block
	byIndex map[int64]*block // the newest with that index
	byID    map[string]*block
	state   map[*block]*callState
}

type callState struct {
	id, name string
	written  bool // some arguments have come
	args     scanner
}

func (a *answer) callDelta(d sdk.ChatCompletionChunkChoiceDeltaToolCall) error {
	b := a.calls.find(d)
	if b == nil {
		if err := a.close(); err != nil {
			return err
		}
		var err error
		if b, err = a.begin(agent.BlockToolCall); err != nil {
			return err
		}
		a.calls.add(b, d)
		c := a.calls.state[b]
		call := &agent.ToolCall{ID: c.id, Name: c.name}
		if err := a.emit(b, agent.AssistantUpdate{Type: agent.UpdateToolCallStart, ToolCall: call}); err != nil {
			return err
		}
	} else {
		a.calls.learn(b, d)
	}
	return a.arguments(b, d.Function.JSON.Arguments.Raw())
}

// arguments adds to a call's arguments: a piece of their text, or, from servers
// that do not write them as text, all of them.
func (a *answer) arguments(b *block, raw string) error {
	if raw == "" || raw == "null" {
		return nil
	}
	text := raw
	if raw[0] == '"' {
		text = b.text.add(raw)
	}
	c := a.calls.state[b]
	c.args.add(text)
	c.written = c.written || text != ""
	return a.say(b, text)
}

func (a *answer) endCall(b *block) error {
	if err := a.say(b, b.text.rest()); err != nil {
		return err
	}
	c := a.calls.state[b]
	// The draft makes JSON of the arguments, whatever the model has written.
	b.apply(agent.AssistantUpdate{Type: agent.UpdateToolCallEnd, ToolCall: &agent.ToolCall{ID: c.id, Name: c.name}})
	return a.send(agent.AssistantUpdate{Type: agent.UpdateToolCallEnd, ContentIndex: b.index, ToolCall: b.content().ToolCall})
}

// find returns nil where a new call begins.
func (c *calls) find(d sdk.ChatCompletionChunkChoiceDeltaToolCall) *block {
	if !d.JSON.Index.Valid() {
		switch {
		case d.ID != "":
			return c.byID[d.ID]
		case d.Function.Name != "" || len(c.blocks) == 0:
			return nil
		}
		return c.blocks[len(c.blocks)-1]
	}
	b := c.byIndex[d.Index]
	if b == nil {
		return nil
	}
	// Some servers send whole calls and give all of them the index 0. A new id
	// alone is not enough: others make up a new one for each delta.
	s := c.state[b]
	if d.ID != "" && s.id != "" && d.ID != s.id && d.Function.Name != "" {
		if other := c.byID[d.ID]; other != nil {
			return other
		}
		if s.name != "" && d.Function.Name != s.name || s.args.complete() {
			return nil
		}
	}
	return b
}

func (c *calls) add(b *block, d sdk.ChatCompletionChunkChoiceDeltaToolCall) {
	if c.state == nil {
		c.state, c.byIndex, c.byID = map[*block]*callState{}, map[int64]*block{}, map[string]*block{}
	}
	c.blocks = append(c.blocks, b)
	c.state[b] = &callState{}
	if d.JSON.Index.Valid() {
		c.byIndex[d.Index] = b
	}
	c.learn(b, d)
}

// learn takes the id, which may come late, and the name, which may come in
// pieces before the arguments. Later ones are ignored.
func (c *calls) learn(b *block, d sdk.ChatCompletionChunkChoiceDeltaToolCall) {
	s := c.state[b]
	if s.id == "" && d.ID != "" {
		s.id = clean(d.ID)
		if c.byID[d.ID] == nil {
			c.byID[d.ID] = b
		}
	}
	const longest = 1 << 10 // no tool has such a name; nobody collects pieces forever
	if name := clean(d.Function.Name); name != s.name && !s.written && len(s.name)+len(name) <= longest {
		s.name += name
	}
}

// clean makes valid UTF-8 that does not keep the whole event alive.
func clean(s string) string { return strings.ToValidUTF8(strings.Clone(s), "\uFFFD") }

// scanner tells whether the pieces of a JSON object are complete, in constant
// memory: calls may be very long.
type scanner struct {
	depth            int
	inString, escape bool
	begun            bool
}

func (s *scanner) add(text string) {
	for _, c := range []byte(text) {
		switch {
		case s.escape:
			s.escape = false
		case s.inString:
			s.escape = c == '\\'
			s.inString = c != '"'
		case c == '"':
			s.inString = true
		case c == '{' || c == '[':
			s.depth++
			s.begun = true
		case c == '}' || c == ']':
			s.depth--
		}
	}
}

func (s *scanner) complete() bool { return s.begun && s.depth <= 0 && !s.inString }
