package pijson

import (
	"cmp"
	"errors"
	"math"
	"strconv"

	"github.com/ringside-hub/ringside/agent"
)

// stopPending is Pi's stop reason of a message that is still streaming.
const stopPending = "pending"

// roleCustom is the role of an extension's message.
const roleCustom = "custom"

// messageEvent reads message_start and message_end.
func (d *decoder) messageEvent(end bool) error {
	var m agent.Message
	found, hidden := false, false
	err := d.c.object(func(name string) (err error) {
		if name != "message" || d.c.kind() == 'n' {
			return d.c.skip()
		}
		found = true
		m, hidden, err = d.readMessage()
		return err
	})
	if err != nil {
		return err
	}
	if !found {
		return &fieldError{pointer: "/message", reason: "missing"}
	}
	if m.Timestamp != 0 {
		d.rec.At = m.Timestamp
	}
	if hidden {
		d.rec.Skipped = "message_start"
		if end {
			d.rec.Skipped = "message_end"
		}
		return nil
	}
	if m.Role == agent.RoleAssistant {
		clear(d.halves.waiting) // its end says it all again
	}
	if !end {
		if m.Role == agent.RoleAssistant && m.StopReason == agent.StopStop && len(m.Content) == 0 {
			m.StopReason = "" // what "pending" was called before it had a name
		}
		d.emit(agent.MessageStart{Message: m})
		return nil
	}
	if m.Role == agent.RoleAssistant && m.DurationMs != nil {
		d.rec.DurationMs = *m.DurationMs
	}
	d.emit(agent.MessageEnd{Message: m})
	return nil
}

// message reads one message of any role. It leaves dst alone if it fails.
func (d *decoder) message(dst *agent.Message) error {
	m, _, err := d.readMessage()
	if err == nil {
		*dst = m
	}
	return err
}

// readMessage reads one message of any role, and whether it is hidden: one of
// an extension that only the model is to see.
func (d *decoder) readMessage() (m agent.Message, hidden bool, err error) {
	if d.c.kind() != '{' {
		return m, false, d.c.mismatch("a message")
	}
	p := messageParts{display: true}
	if err := d.c.object(func(name string) error { return d.messageField(&p, name) }); err != nil {
		return m, false, err
	}
	if p.m.Role == "" {
		return m, false, d.c.wrong(`the message has no "role"`)
	}
	if err := p.faults.of(p.m.Role); err != nil {
		return m, false, err
	}
	m = p.finish()
	return m, m.Role == roleCustom && !p.display, nil
}

// messageFaults are fields that had the wrong type; whether that matters is
// known once the role is.
type messageFaults struct{ content, assistant, toolResult error }

func (f *messageFaults) of(role agent.Role) error {
	switch role {
	case agent.RoleUser:
		return f.content
	case agent.RoleAssistant:
		return cmp.Or(f.content, f.assistant)
	case agent.RoleToolResult:
		return cmp.Or(f.content, f.toolResult)
	}
	return nil
}

// hold keeps a field's fault for later. The value has been read either way.
func hold(dst *error, err error) error {
	if fe, ok := errors.AsType[*fieldError](err); ok {
		*dst = cmp.Or(*dst, error(fe))
		return nil
	}
	return err
}

// laxMessages reads copies of messages that came before: those that cannot be
// read are left out, since a copy must not cost the line.
func (d *decoder) laxMessages(dst *[]agent.Message) error {
	*dst = nil
	if d.c.kind() != '[' {
		return d.c.skip()
	}
	return d.c.array(func() error {
		var m agent.Message
		err := d.laxMessage(&m)
		if m.Role != "" {
			*dst = append(*dst, m)
		}
		return err
	})
}

// laxMessage reads one such copy.
func (d *decoder) laxMessage(dst *agent.Message) error {
	*dst = agent.Message{}
	v, err := d.c.value()
	if err != nil {
		return err
	}
	_ = d.part(v).message(dst)
	return nil
}

// messageParts is a message while its fields are read in any order.
type messageParts struct {
	m           agent.Message
	faults      messageFaults
	attachments []agent.Block
	output      string
	summary     string
	bash        bashParts
	display     bool
}

func (d *decoder) messageField(p *messageParts, name string) error {
	m := &p.m
	switch name {
	case "role":
		return d.c.str((*string)(&m.Role))
	case "content":
		return d.messageContent(p)
	case "timestamp":
		return d.c.laxTime(&m.Timestamp)
	case "stopReason":
		return hold(&p.faults.assistant, d.c.str((*string)(&m.StopReason)))
	case "errorMessage":
		return d.c.text(&m.ErrorMessage)
	case "provider":
		return d.c.laxStr(&m.Provider)
	case "model":
		return d.c.laxStr(&m.Model)
	case "usage":
		return d.usage(&m.Usage)
	case "durationMs":
		return d.c.laxIntPtr(&m.DurationMs)
	case "toolCallId":
		return hold(&p.faults.toolResult, d.c.str(&m.ToolCallID))
	case "toolName":
		return hold(&p.faults.toolResult, d.c.str(&m.ToolName))
	case "details":
		return d.details(&m.Details)
	case "isError":
		return hold(&p.faults.toolResult, d.c.boolean(&m.IsError))
	case "attachments":
		return d.attachments(&p.attachments)
	case "summary":
		return d.c.text(&p.summary)
	case "output":
		return d.c.text(&p.output)
	case "display":
		return d.c.laxBool(&p.display)
	}
	return d.bashField(&p.bash, name)
}

// messageContent reads content that may be anything for a role of the host's
// own; then there is none.
func (d *decoder) messageContent(p *messageParts) error {
	v, err := d.c.value()
	if err != nil {
		return err
	}
	at := d.c.base + d.c.dec.StackPointer()
	part := d.part(v)
	part.c.base = at
	err = hold(&p.faults.content, part.content(&p.m.Content))
	if p.faults.content != nil {
		p.m.Content = nil
	}
	return err
}

// finish gives the message the text that its role keeps elsewhere.
func (p *messageParts) finish() agent.Message {
	m := p.m
	if m.StopReason == stopPending {
		m.StopReason = ""
	}
	switch m.Role {
	case "hookMessage": // the name until session format 3
		m.Role = roleCustom
	case "bashExecution":
		m.Content = textBlocks(p.bash.text(p.output))
	case "compactionSummary", "branchSummary":
		if len(m.Content) == 0 {
			m.Content = textBlocks(p.summary)
		}
	case agent.RoleToolResult:
		if len(m.Content) == 0 { // results were plain text at first
			m.Content = textBlocks(p.output)
		}
	case agent.RoleUser:
		m.Content = append(m.Content, p.attachments...)
	}
	return m
}

func textBlocks(text string) []agent.Block {
	if text == "" {
		return nil
	}
	return []agent.Block{{Type: agent.BlockText, Text: text}}
}

// bashParts is a command that the user ran beside the agent.
type bashParts struct {
	command   string
	exitCode  float64
	cancelled bool
}

func (d *decoder) bashField(b *bashParts, name string) error {
	switch name {
	case "command":
		return d.c.text(&b.command)
	case "exitCode":
		return d.c.laxFloat(&b.exitCode)
	case "cancelled":
		return d.c.laxBool(&b.cancelled)
	}
	return d.c.skip()
}

func (b *bashParts) text(output string) string {
	text := "$ " + b.command + "\n" + output
	switch {
	case b.cancelled:
		text += "\n(cancelled)"
	case b.exitCode != 0:
		text += "\n(exit code " + strconv.FormatFloat(b.exitCode, 'f', -1, 64) + ")"
	}
	return text
}

// usage reads token counts; costs come in dollars.
func (d *decoder) usage(dst **agent.Usage) error {
	*dst = nil
	if d.c.kind() != '{' {
		return d.c.skip()
	}
	var u agent.Usage
	err := d.c.object(func(name string) error {
		switch name {
		case "input":
			return d.c.laxInt(&u.Input)
		case "output":
			return d.c.laxInt(&u.Output)
		case "cacheRead":
			return d.c.laxInt(&u.CacheRead)
		case "cacheWrite":
			return d.c.laxInt(&u.CacheWrite)
		case "totalTokens":
			return d.c.laxInt(&u.Total)
		case "cost":
			return d.cost(&u.Cost)
		}
		return d.c.skip()
	})
	if u.Total == 0 { // older versions left the sum to the reader
		u.Total = min(u.Input+u.Output+u.CacheRead+u.CacheWrite, maxInteger)
	}
	*dst = &u
	return err
}

// cost reads a total in dollars, or the parts it is the sum of.
func (d *decoder) cost(dst *int64) error {
	total, sum := -1.0, 0.0
	if d.c.kind() != '{' {
		if err := d.c.laxFloat(&sum); err != nil {
			return err
		}
	} else if err := d.c.object(func(name string) error {
		switch name {
		case "total":
			return d.c.laxFloat(&total)
		case "input", "output", "cacheRead", "cacheWrite":
			part := 0.0
			err := d.c.laxFloat(&part)
			sum += part
			return err
		}
		return d.c.skip()
	}); err != nil {
		return err
	}
	if total >= 0 {
		sum = total
	}
	*dst = int64(min(math.Round(sum*1e6), maxInteger))
	return nil
}

// content reads a message's or a result's content: a list of blocks, or plain
// text.
func (d *decoder) content(dst *[]agent.Block) error {
	*dst = nil
	if d.c.kind() == '"' {
		var s string
		err := d.c.readString(&s)
		*dst = textBlocks(s)
		return err
	}
	if k := d.c.kind(); k != '[' && k != 'n' {
		return d.c.mismatch("a list or a string")
	}
	return d.c.array(func() error {
		var b agent.Block
		err := d.block(&b)
		*dst = append(*dst, b)
		return err
	})
}

// block reads one block. One of an unknown type keeps its place, since a
// content index counts it too.
func (d *decoder) block(b *agent.Block) error {
	if d.c.kind() != '{' {
		return d.c.mismatch("a content block")
	}
	var text, thinking string
	var call agent.ToolCall
	var badText, badThinking, badCall error
	err := d.c.object(func(name string) error {
		switch name {
		case "type":
			return d.c.str((*string)(&b.Type))
		case "text":
			return hold(&badText, d.c.str(&text))
		case "thinking":
			return hold(&badThinking, d.c.str(&thinking))
		case "data":
			return d.c.laxStr(&b.Data)
		case "mimeType":
			return d.c.laxStr(&b.MimeType)
		}
		return hold(&badCall, d.callField(&call, name))
	})
	if err != nil {
		return err
	}
	if b.Type != agent.BlockImage {
		b.Data, b.MimeType = "", ""
	}
	switch b.Type {
	case agent.BlockText:
		b.Text, err = text, badText
	case agent.BlockThinking:
		b.Text, err = thinking, badThinking
	case agent.BlockToolCall:
		b.ToolCall, err = &call, badCall
	}
	return err
}

func (d *decoder) callField(call *agent.ToolCall, name string) error {
	switch name {
	case "id":
		return d.c.str(&call.ID)
	case "name":
		return d.c.str(&call.Name)
	case "arguments":
		return d.c.raw(&call.Arguments)
	}
	return d.c.skip()
}

// attachments reads the images that user messages carried beside their text in
// early versions.
func (d *decoder) attachments(dst *[]agent.Block) error {
	*dst = nil
	if d.c.kind() != '[' {
		return d.c.skip()
	}
	return d.c.array(func() error {
		if d.c.kind() != '{' {
			return d.c.skip()
		}
		var typ string
		b := agent.Block{Type: agent.BlockImage}
		err := d.c.object(func(name string) error {
			switch name {
			case "type":
				return d.c.laxStr(&typ)
			case "mimeType":
				return d.c.laxStr(&b.MimeType)
			case "content":
				return d.c.laxStr(&b.Data)
			}
			return d.c.skip()
		})
		if typ == string(agent.BlockImage) {
			*dst = append(*dst, b)
		}
		return err
	})
}
