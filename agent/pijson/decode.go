package pijson

import (
	"errors"
	"io"

	"github.com/ringside-hub/ringside/agent"
)

// decoder turns one line at a time into events. Between lines it keeps only
// its cursors' memory and halves of characters: the rest of the stream's state
// is the projector's business.
type decoder struct {
	c      cursor
	rec    *Record
	sub    *decoder // see part
	halves halves
}

// part returns a decoder that stands at the start of a part of the line. It is
// the same one each time.
func (d *decoder) part(src []byte) *decoder {
	if d.sub == nil {
		d.sub = new(decoder)
	}
	d.sub.c.reset(src, "")
	return d.sub
}

// release lets go of the line.
func (d *decoder) release() {
	d.rec = nil
	d.c.reset(nil, "")
	if d.sub != nil {
		d.sub.release()
	}
}

// line decodes src into rec and returns the line's type. With an error rec is
// to be thrown away.
func (d *decoder) line(rec *Record, src []byte) (typ string, err error) {
	d.rec = rec
	d.c.reset(src, "")
	if typ, err = d.header(); err != nil {
		return cut(typ, maxTypeName), err
	}
	read := d.reader(typ)
	if read == nil {
		rec.Skipped = cut(typ, maxTypeName)
		return rec.Skipped, nil
	}
	d.c.reset(src, "")
	return typ, read()
}

// header reads the whole line once, for its type, which may stand anywhere,
// and for its syntax, so that what follows meets well-formed JSON only.
func (d *decoder) header() (typ string, err error) {
	if d.c.kind() != '{' {
		return "", d.c.mismatch("an object")
	}
	err = d.c.object(func(name string) error {
		switch name {
		case "type":
			return d.c.str(&typ)
		case "timestamp":
			return d.c.laxTime(&d.rec.At)
		}
		return d.c.skip()
	})
	if err != nil {
		return "", err
	}
	switch _, err := d.c.dec.ReadToken(); {
	case err == nil:
		return "", &fieldError{reason: "more than one JSON value on the line"}
	case !errors.Is(err, io.EOF):
		return "", err
	}
	if typ == "" {
		return "", &fieldError{reason: `the object has no "type"`}
	}
	return typ, nil
}

// reader returns what reads lines of a type; nil if the type is not known.
func (d *decoder) reader(typ string) func() error {
	switch typ {
	case "session":
		return d.session
	case "session_info_changed", "session_info", "model_change", "model_changed":
		return d.session
	case "agent_start":
		return d.plain(agent.AgentStart{})
	case "agent_end":
		return d.agentEnd
	case "agent_settled":
		return d.settled
	case "turn_start":
		return d.plain(agent.TurnStart{})
	case "turn_end":
		return d.turnEnd
	case "message_start", "message_end":
		return func() error { return d.messageEvent(typ == "message_end") }
	case "message_update":
		return d.messageUpdate
	case "tool_execution_start":
		return d.toolStart
	case "tool_execution_update":
		return d.toolUpdate
	case "tool_execution_end":
		return d.toolEnd
	case "queue_update":
		return d.queueUpdate
	}
	return d.noticeReader(typ)
}

func (d *decoder) emit(ev agent.Event) { d.rec.Events = append(d.rec.Events, ev) }

// plain is for events that say nothing but their type.
func (d *decoder) plain(ev agent.Event) func() error {
	return func() error {
		d.emit(ev)
		return nil
	}
}

// session reads the header line and the later lines that change what it said.
// Sessions of the first version had provider and modelId in the header.
func (d *decoder) session() error {
	var ev agent.SessionInfo
	var isHeader bool
	err := d.c.object(func(name string) error {
		switch name {
		case "type":
			var typ string
			err := d.c.laxStr(&typ)
			isHeader = typ == "session"
			return err
		case "id":
			return d.c.laxStr(&ev.ID)
		case "cwd":
			return d.c.laxStr(&ev.Cwd)
		case "name", "title", "sessionName":
			return d.c.laxStr(&ev.Title)
		case "provider":
			return d.c.laxStr(&ev.Provider)
		case "modelId":
			return d.c.laxStr(&ev.Model)
		case "model":
			return d.model(&ev)
		}
		return d.c.skip()
	})
	if isHeader {
		ev.At = d.rec.At
	} else {
		ev.ID = "" // that of an entry, not of the session
	}
	if ev != (agent.SessionInfo{}) {
		d.emit(ev)
	}
	return err
}

// model reads a model's id, or the object that describes it.
func (d *decoder) model(ev *agent.SessionInfo) error {
	if d.c.kind() != '{' {
		return d.c.laxStr(&ev.Model)
	}
	return d.c.object(func(name string) error {
		switch name {
		case "id":
			return d.c.laxStr(&ev.Model)
		case "provider":
			return d.c.laxStr(&ev.Provider)
		}
		return d.c.skip()
	})
}

func (d *decoder) agentEnd() error {
	var ev agent.AgentEnd
	err := d.c.object(func(name string) error {
		switch name {
		case "messages":
			return d.laxMessages(&ev.Messages)
		case "willRetry":
			return d.c.boolean(&ev.WillRetry)
		}
		return d.c.skip()
	})
	d.emit(ev)
	return err
}

func (d *decoder) settled() error {
	var ev agent.Settled
	err := d.c.object(func(name string) error {
		if name == "aborted" {
			return d.c.boolean(&ev.Aborted)
		}
		return d.c.skip()
	})
	d.emit(ev)
	return err
}

func (d *decoder) turnEnd() error {
	var ev agent.TurnEnd
	err := d.c.object(func(name string) error {
		switch name {
		case "message", "assistantMessage":
			return d.laxMessage(&ev.Message)
		case "toolResults":
			return d.laxMessages(&ev.ToolResults)
		}
		return d.c.skip()
	})
	d.emit(ev)
	return err
}

func (d *decoder) queueUpdate() error {
	var ev agent.QueueUpdate
	err := d.c.object(func(name string) error {
		switch name {
		case "steering":
			return d.strings(&ev.Steering)
		case "followUp":
			return d.strings(&ev.FollowUp)
		}
		return d.c.skip()
	})
	d.emit(ev)
	return err
}

func (d *decoder) strings(dst *[]string) error {
	*dst = nil
	return d.c.array(func() error {
		if d.c.kind() != '"' {
			return d.c.mismatch("a string")
		}
		var s string
		err := d.c.readString(&s)
		*dst = append(*dst, s)
		return err
	})
}
