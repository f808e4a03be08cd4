package projector

import (
	"strings"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/hub/view"
)

func (p *Projector) toolStart(o *out, e *agent.ToolExecutionStart) {
	id, name := shortID(e.ToolCallID, p.limits.Name), p.short(e.ToolName)
	parent := p.calls.parentKey(shortID(e.ParentToolCallID, p.limits.Name))
	c, news := p.calls.start(id, name)
	if !news {
		return
	}
	c.name = name
	label := e.ToolLabel
	if label == "" && p.toolLabel != nil {
		label = p.toolLabel(e.ToolName)
	}
	args, hidden := p.redactor.JSON(repair(string(e.Args)))
	c.hidden.args = hidden
	s := view.Event{
		Type: view.ToolStart, Key: c.key, ID: id, Name: name, Label: p.short(label), Parent: parent,
		Args: head(args, p.limits.Args), Redacted: c.redacted(),
	}
	if len(args) > p.limits.Args {
		s.Truncated = &view.Truncated{Args: int64(len(args))}
	}
	o.add(s)
}

func (p *Projector) toolEnd(o *out, e *agent.ToolExecutionEnd) {
	c := p.calls.forEvent(shortID(e.ToolCallID, p.limits.Name))
	if c == nil {
		o.add(view.Event{Type: view.ToolEnd, Key: StrayKey, IsError: e.IsError})
		return
	}
	again := c.state == ended || c.state == closed
	text, hidden := p.clean(joinText(e.Result.Content, agent.BlockText))
	d := p.readDetails(e.Result.Details)
	c.hidden.result, c.hidden.details = hidden, d.hidden
	n := view.Event{
		Type: view.ToolEnd, Key: c.key, IsError: e.IsError, Text: new(headTail(text, p.limits.Result)),
		Details: d.text, Attachments: p.attachments(e.Result.Content),
	}
	if e.DurationMs != nil {
		n.DurationMs = clamp(*e.DurationMs)
	}
	cut := view.Truncated{Details: d.cut}
	if len(text) > p.limits.Result {
		cut.Result = int64(len(text))
	}
	if cut != (view.Truncated{}) {
		n.Truncated = &cut
	}
	if whole, ok := p.wholeOutput(e.Result.Output, text); ok && !again {
		n.Output = true
		o.Blobs = append(o.Blobs, Blob{Key: c.key, Text: whole})
	}
	n.Redacted = c.redacted()
	if !again {
		c.state = ended
	}
	c.progress = progress{}
	o.add(n)
}

// wholeOutput returns the whole output, redacted, where the view shows less.
func (p *Projector) wholeOutput(output, shown string) (string, bool) {
	whole := shown
	if output != "" {
		if clean, _ := p.clean(output); len(clean) > len(shown) {
			whole = clean
		}
	}
	if len(whole) <= len(shown) && len(shown) <= p.limits.Result {
		return "", false
	}
	return headTail(whole, p.limits.Output), true
}

// toolResult gives a result message its place in the conversation. What it
// says is on the card already.
func (p *Projector) toolResult(o *out, m *agent.Message) {
	e := view.Event{Type: view.ToolResult, Key: StrayKey, IsError: m.IsError}
	if c := p.calls.forResult(shortID(m.ToolCallID, p.limits.Name)); c != nil {
		e.Key = c.key
		if c.state == ended {
			c.state = closed
		}
	}
	o.add(e)
}

// attachments stand for the images of a result.
func (p *Projector) attachments(content []agent.Block) []view.Attachment {
	var all []view.Attachment
	for i := range content {
		if b := &content[i]; b.Type == agent.BlockImage && len(all) < maxAttachments {
			all = append(all, view.Attachment{MimeType: p.short(b.MimeType), Bytes: decodedLen(b.Data)})
		}
	}
	return all
}

// decodedLen returns the length of base64 data once decoded.
func decodedLen(data string) int64 {
	n := int64(len(strings.TrimRight(data, "=")))
	return n/4*3 + n%4*3/4
}
