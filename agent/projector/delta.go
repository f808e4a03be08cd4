package projector

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/hub/view"
)

// pending is an event made of deltas that waits for a flush.
type pending struct {
	event view.Event
	delta []byte
}

// messageUpdate takes one streaming step. It gives nothing but, where the
// message's start was missed, that.
func (p *Projector) messageUpdate(o *out, u agent.AssistantUpdate) {
	if p.message == nil {
		p.flush(o)
		p.openMessage(o)
	}
	switch u.Type {
	case agent.UpdateTextDelta:
		p.delta(u.ContentIndex, view.TextDelta, u.Delta)
	case agent.UpdateThinkingDelta:
		p.delta(u.ContentIndex, view.ThinkingDelta, u.Delta)
	case agent.UpdateToolCallStart, agent.UpdateToolCallDelta, agent.UpdateToolCallEnd:
		p.callUpdate(u)
	}
	switch u.Type {
	case agent.UpdateTextEnd, agent.UpdateThinkingEnd, agent.UpdateToolCallEnd:
		if b := p.message.blocks[u.ContentIndex]; b != nil {
			p.finishBlock(b)
		}
	}
}

// blockAt returns the block at a content index; nil if there are too many.
func (p *Projector) blockAt(index int, as view.Type) *block {
	b := p.message.blocks[index]
	if b != nil && b.as == as {
		return b
	}
	if b == nil && len(p.message.blocks) >= maxBlocks {
		return nil
	}
	if b != nil {
		p.finishBlock(b)
	}
	b = &block{stream: stream{r: p.redactor}, as: as}
	p.message.blocks[index] = b
	return b
}

func (p *Projector) delta(index int, as view.Type, delta string) {
	if b := p.blockAt(index, as); b != nil && delta != "" && p.message.sent[as] < p.textLimit(as) {
		p.send(b, b.push(delta))
	}
}

// callUpdate: a call is known by its place in the message until it is written.
func (p *Projector) callUpdate(u agent.AssistantUpdate) {
	b := p.blockAt(u.ContentIndex, view.CallDelta)
	if b == nil {
		return
	}
	var id, name string
	if u.ToolCall != nil {
		id, name = shortID(u.ToolCall.ID, p.limits.Name), p.short(u.ToolCall.Name)
	}
	if b.call == nil {
		b.call = p.calls.add(id, name)
		p.queue(pending{event: view.Event{Type: view.CallDelta, Key: b.call.key, ID: id, Name: name}})
	} else {
		if id == b.call.id || b.call.state != written {
			id = ""
		}
		if name == b.call.name {
			name = ""
		}
		p.compose(b.call, id, name, "")
	}
	switch {
	case u.Type == agent.UpdateToolCallDelta && u.Delta != "" && !b.call.composeCut:
		p.send(b, b.push(u.Delta))
	case u.Type == agent.UpdateToolCallEnd && u.ToolCall != nil && b.call.composed == 0 && b.idle():
		p.composeWhole(b.call, "", "", u.ToolCall.Arguments)
	}
}

// push returns what may leave of the block after delta.
func (b *block) push(delta string) string {
	whole, partial := splitIncomplete(b.partial + delta)
	b.partial = partial
	return b.stream.push(repair(whole))
}

// idle tells whether nothing of the block waits.
func (b *block) idle() bool { return b.partial == "" && b.stream.held == "" }

func (p *Projector) finishBlock(b *block) {
	rest := b.stream.push(repair(b.partial))
	b.partial = ""
	p.send(b, rest+b.stream.finish())
}

// letGo sends what blocks hold back: nothing more of them is expected soon.
func (p *Projector) letGo() {
	if p.message == nil {
		return
	}
	for _, i := range slices.Sorted(maps.Keys(p.message.blocks)) {
		p.finishBlock(p.message.blocks[i])
	}
}

// send queues cleaned text of a block, within the limits of its message.
func (p *Projector) send(b *block, text string) {
	if text == "" {
		return
	}
	if b.call != nil {
		p.compose(b.call, "", "", text)
		return
	}
	limit := p.textLimit(b.as)
	sent := p.message.sent[b.as]
	if sent >= limit {
		return // message_end says that it was cut
	}
	short := head(text, limit-sent)
	p.message.sent[b.as] = sent + len(short)
	if len(short) < len(text) {
		p.message.sent[b.as] = limit
	}
	p.queue(pending{event: view.Event{Type: b.as, ID: p.message.id}, delta: []byte(short)})
}

func (p *Projector) textLimit(as view.Type) int {
	if as == view.ThinkingDelta {
		return p.limits.Thinking
	}
	return p.limits.Text
}

// compose queues what is new of a call that is being written; nothing if
// nothing is.
func (p *Projector) compose(c *call, id, name, text string) {
	e := view.Event{Type: view.CallDelta, Key: c.key, ID: id, Name: name}
	if id != "" {
		p.calls.rename(c, id)
	}
	if name != "" {
		c.name = name
	}
	short := ""
	if !c.composeCut && text != "" {
		short = head(text, p.limits.Args-c.composed)
		c.composed += len(short)
		if len(short) < len(text) {
			c.composeCut = true
			e.Truncated = &view.Truncated{Args: int64(c.composed + len(text) - len(short))}
		}
	}
	if id != "" || name != "" || short != "" || e.Truncated != nil {
		p.queue(pending{event: e, delta: []byte(short)})
	}
}

// composeWhole queues a call of which nothing was streamed.
func (p *Projector) composeWhole(c *call, id, name string, args json.RawMessage) {
	clean, hidden := p.redactor.JSON(repair(string(args)))
	e := view.Event{Type: view.CallDelta, Key: c.key, ID: id, Name: name, Redacted: hidden}
	short := head(clean, p.limits.Args)
	c.composed = len(short)
	if len(short) < len(clean) {
		c.composeCut = true
		e.Truncated = &view.Truncated{Args: int64(len(clean))}
	}
	p.queue(pending{event: e, delta: []byte(short)})
}

// queue adds a waiting event, joined with the one before it where the two
// belong together.
func (p *Projector) queue(n pending) {
	if len(p.pending) > 0 {
		last := &p.pending[len(p.pending)-1]
		if last.event.Type == n.event.Type && last.event.ID == n.event.ID && n.event.Type != view.CallDelta {
			last.delta = append(last.delta, n.delta...)
			return
		}
		if n.event.Type == view.CallDelta && last.event.Key == n.event.Key {
			last.joinCall(n)
			return
		}
	}
	p.pending = append(p.pending, n)
}

func (l *pending) joinCall(n pending) {
	l.delta = append(l.delta, n.delta...)
	if n.event.ID != "" {
		l.event.ID = n.event.ID
	}
	if n.event.Name != "" {
		l.event.Name = n.event.Name
	}
	if n.event.Truncated != nil {
		l.event.Truncated = n.event.Truncated
	}
	l.event.Redacted = max(l.event.Redacted, n.event.Redacted)
}

// flush moves what waits to o.
func (p *Projector) flush(o *out) {
	for _, w := range p.pending {
		w.event.Delta = string(w.delta)
		o.add(w.event)
	}
	clear(p.pending)
	p.pending = p.pending[:0]
}
