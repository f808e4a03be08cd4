package projector

import (
	"strconv"
	"strings"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/hub/view"
)

// message is the assistant message that streams.
type message struct {
	id string
	// blocks are its content blocks by content index: the only address that is
	// safe while several are written side by side.
	blocks map[int]*block
	// sent counts the bytes of its text and thinking that have left.
	sent map[view.Type]int
}

// block is one content block that streams.
type block struct {
	stream stream
	// partial is the beginning of a character.
	partial string
	// as is what its deltas leave as.
	as   view.Type
	call *call // of a CallDelta block
}

func (p *Projector) messageStart(o *out, m *agent.Message) {
	switch m.Role {
	case agent.RoleUser:
		p.flush(o)
		p.userID = p.messageID()
		o.add(view.Event{Type: view.MessageStart, ID: p.userID, Role: string(m.Role)})
	case agent.RoleAssistant:
		p.letGo()
		p.flush(o)
		p.runInfo(o, view.Run{Model: p.model(m.Provider, m.Model)})
		p.openMessage(o)
	}
}

func (p *Projector) openMessage(o *out) {
	p.message = &message{id: p.messageID(), blocks: map[int]*block{}, sent: map[view.Type]int{}}
	o.add(view.Event{Type: view.MessageStart, ID: p.message.id, Role: string(agent.RoleAssistant)})
}

func (p *Projector) messageID() string {
	id := "m" + strconv.FormatInt(p.messages, 10)
	p.messages++
	return id
}

func (p *Projector) messageEnd(o *out, m *agent.Message) {
	switch m.Role {
	case agent.RoleSystem:
	case agent.RoleToolResult:
		p.flush(o)
		p.toolResult(o, m)
	case agent.RoleUser:
		p.flush(o)
		id := p.userID
		if p.userID = ""; id == "" {
			id = p.messageID()
		}
		o.add(p.endEvent(id, m))
		if p.run.Title == "" {
			p.runInfo(o, view.Run{Title: p.title(joinText(m.Content, agent.BlockText))})
		}
	case agent.RoleAssistant:
		p.assistantEnd(o, m)
	default:
		p.flush(o)
		kind := string(m.Role)
		if kind == "" {
			kind = "message"
		}
		p.notice(o, kind, joinText(m.Content, agent.BlockText))
	}
}

// assistantEnd closes the message that streams. Its calls are settled first, so
// that those of a failed message are known to the fold when it ends.
func (p *Projector) assistantEnd(o *out, m *agent.Message) {
	p.letGo()
	p.flush(o)
	p.runInfo(o, view.Run{Model: p.model(m.Provider, m.Model)})
	if p.message == nil {
		p.openMessage(o)
	}
	p.finalCalls(m.Content)
	p.flush(o)
	o.add(p.endEvent(p.message.id, m))
	p.message, p.stop = nil, m.StopReason
}

// endEvent is the message_end of a user or assistant message.
func (p *Projector) endEvent(id string, m *agent.Message) view.Event {
	text, hidden := p.clean(joinText(m.Content, agent.BlockText))
	thinking, alsoHidden := p.clean(joinText(m.Content, agent.BlockThinking))
	errText, errHidden := p.clean(m.ErrorMessage)
	e := view.Event{
		Type: view.MessageEnd, ID: id, Role: string(m.Role), StopReason: p.short(string(m.StopReason)),
		Text: new(head(text, p.limits.Text)), Thinking: head(thinking, p.limits.Thinking),
		Error: head(errText, p.limits.Error), Redacted: hidden + alsoHidden + errHidden,
	}
	switch {
	case len(text) > p.limits.Text:
		e.Truncated = &view.Truncated{Text: int64(len(text))}
	case len(thinking) > p.limits.Thinking:
		e.Truncated = &view.Truncated{Text: int64(len(thinking))}
	}
	return e
}

// finalCalls settles which calls the message made: those that were streamed
// take the ids of the final message, the others are said now, and streamed ones
// that it does not have are passed over.
func (p *Projector) finalCalls(content []agent.Block) {
	streamed := map[int]*call{}
	for i, b := range p.message.blocks {
		if b.call != nil {
			streamed[i] = b.call
		}
	}
	matched := p.matchCalls(content, streamed)
	for i := range content {
		final := content[i].ToolCall
		if content[i].Type != agent.BlockToolCall || final == nil {
			continue
		}
		id, name := shortID(final.ID, p.limits.Name), p.short(final.Name)
		c := matched[i]
		if c == nil {
			c = p.calls.add(id, name)
			p.composeWhole(c, id, name, final.Arguments)
			continue
		}
		if id == c.id {
			id = ""
		}
		if name == c.name {
			name = ""
		}
		p.compose(c, id, name, "")
	}
	kept := map[*call]bool{}
	for _, c := range matched {
		kept[c] = true
	}
	for _, c := range streamed {
		if !kept[c] && c.state == written {
			c.state = skipped
		}
	}
}

// matchCalls finds the streamed call of each call in the final content: by
// index and id, else by id, else by index. Providers change ids, and drop blocks
// before them.
func (p *Projector) matchCalls(content []agent.Block, streamed map[int]*call) map[int]*call {
	matched, free := map[int]*call{}, map[*call]bool{}
	for _, c := range streamed {
		free[c] = true
	}
	each := func(find func(i int, id string) *call) {
		for i := range content {
			final := content[i].ToolCall
			if content[i].Type != agent.BlockToolCall || final == nil || matched[i] != nil || len(free) == 0 {
				continue
			}
			if c := find(i, shortID(final.ID, p.limits.Name)); free[c] {
				matched[i] = c
				delete(free, c)
			}
		}
	}
	each(func(i int, id string) *call {
		if c := streamed[i]; c != nil && c.id == id {
			return c
		}
		return nil
	})
	each(func(_ int, id string) *call {
		for _, c := range p.calls.byID[id] {
			if free[c] && id != "" {
				return c
			}
		}
		return nil
	})
	each(func(i int, _ string) *call { return streamed[i] })
	return matched
}

// joinText joins the text of the blocks of one type by line breaks, as the
// agent's own views do.
func joinText(content []agent.Block, of agent.BlockType) string {
	only, n := "", 0
	for i := range content {
		if content[i].Type == of {
			only = content[i].Text
			n++
		}
	}
	if n < 2 {
		return only
	}
	texts := make([]string, 0, n)
	for i := range content {
		if content[i].Type == of {
			texts = append(texts, content[i].Text)
		}
	}
	return strings.Join(texts, "\n")
}
