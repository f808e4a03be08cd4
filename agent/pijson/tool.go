package pijson

import (
	"encoding/json"

	"github.com/ringside-hub/ringside/agent"
)

// toolEvent holds the fields of all three tool_execution events.
type toolEvent struct {
	id, name, label, parent string
	args                    json.RawMessage
	result                  agent.ToolResult
	resultIsError           bool
	isError                 *bool
	durationMs              *int64
}

func (d *decoder) toolStart() error {
	ev, err := d.toolEvent()
	if err != nil {
		return err
	}
	d.emit(agent.ToolExecutionStart{
		ToolCallID: ev.id, ToolName: ev.name, ToolLabel: ev.label,
		Args: ev.args, ParentToolCallID: ev.parent,
	})
	return nil
}

func (d *decoder) toolUpdate() error {
	ev, err := d.toolEvent()
	if err != nil {
		return err
	}
	d.emit(agent.ToolExecutionUpdate{
		ToolCallID: ev.id, ToolName: ev.name,
		Args: ev.args, Partial: ev.result, ParentToolCallID: ev.parent,
	})
	return nil
}

func (d *decoder) toolEnd() error {
	ev, err := d.toolEvent()
	if err != nil {
		return err
	}
	isError := ev.resultIsError
	if ev.isError != nil {
		isError = *ev.isError
	}
	if ev.durationMs != nil {
		d.rec.DurationMs = *ev.durationMs
	}
	d.emit(agent.ToolExecutionEnd{
		ToolCallID: ev.id, ToolName: ev.name, Result: ev.result,
		IsError: isError, DurationMs: ev.durationMs, ParentToolCallID: ev.parent,
	})
	return nil
}

func (d *decoder) toolEvent() (toolEvent, error) {
	var ev toolEvent
	err := d.c.object(func(name string) error {
		switch name {
		case "toolCallId":
			return d.c.str(&ev.id)
		case "toolName":
			return d.c.str(&ev.name)
		case "toolLabel":
			return d.c.laxStr(&ev.label)
		case "parentToolCallId":
			return d.c.str(&ev.parent)
		case "args":
			return d.c.raw(&ev.args)
		case "result", "partialResult":
			return d.result(&ev)
		case "isError":
			return d.isError(&ev)
		case "durationMs":
			return d.c.laxIntPtr(&ev.durationMs)
		}
		return d.c.skip()
	})
	if err == nil && ev.id == "" {
		err = &fieldError{pointer: "/toolCallId", reason: "missing or empty: the call cannot be told from others"}
	}
	return ev, err
}

func (d *decoder) isError(ev *toolEvent) error {
	if d.c.kind() == 'n' {
		return d.c.skip()
	}
	ev.isError = new(bool)
	return d.c.boolean(ev.isError)
}

// result reads a result or a partial one. It was a plain text when a tool had
// failed, in early versions; whatever else is no object is shown as it is.
func (d *decoder) result(ev *toolEvent) error {
	ev.result, ev.resultIsError = agent.ToolResult{}, false
	if k := d.c.kind(); k != '{' {
		var s string
		err := d.c.text(&s)
		ev.result.Content = textBlocks(s)
		return err
	}
	r := &ev.result
	var plain, whole string
	err := d.c.object(func(name string) error {
		switch name {
		case "content":
			return d.content(&r.Content)
		case "output":
			return d.c.laxStr(&plain)
		case "details":
			return d.details(&r.Details)
		case "usage":
			return d.usage(&r.Usage)
		case "terminate":
			return d.c.laxBool(&r.Terminate)
		case "isError":
			return d.c.laxBool(&ev.resultIsError)
		case "structuredContent":
			return d.wholeOutput(&whole)
		}
		return d.c.skip()
	})
	if len(r.Content) == 0 { // the text's name before there was content
		r.Content = textBlocks(plain)
	}
	if len(whole) > textSize(r.Content) {
		r.Output = whole
	}
	return err
}

// wholeOutput reads structuredContent.output: all that a command printed, where
// the content shows only the end of it.
func (d *decoder) wholeOutput(dst *string) error {
	*dst = ""
	if d.c.kind() != '{' {
		return d.c.skip()
	}
	return d.c.object(func(name string) error {
		if name == "output" {
			return d.c.laxStr(dst)
		}
		return d.c.skip()
	})
}

func textSize(content []agent.Block) int {
	n := 0
	for _, b := range content {
		if b.Type == agent.BlockText {
			n += len(b.Text)
		}
	}
	return n
}

// details keeps the tool's own JSON; null says nothing.
func (d *decoder) details(dst *json.RawMessage) error {
	*dst = nil
	if d.c.kind() == 'n' {
		return d.c.skip()
	}
	return d.c.raw(dst)
}
