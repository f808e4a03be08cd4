package projector_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/projector"
	"github.com/ringside-hub/ringside/hub/view"
)

// drive projects events and folds what comes out, as its readers get it.
type drive struct {
	t     testing.TB
	p     *projector.Projector
	v     *view.View
	blobs []projector.Blob
}

func newDrive(t testing.TB, c projector.Config) *drive {
	return &drive{t: t, p: projector.New(c), v: view.New()}
}

// do projects events and returns what they give.
func (d *drive) do(events ...agent.Event) []view.Event {
	d.t.Helper()
	var all []view.Event
	for _, e := range events {
		r := d.p.Project(1, e)
		all = append(all, d.fold(r.Events)...)
		d.blobs = append(d.blobs, r.Blobs...)
	}
	return all
}

func (d *drive) flush() []view.Event { return d.fold(d.p.Flush(1)) }
func (d *drive) close() []view.Event { return d.fold(d.p.Close(1)) }

func (d *drive) fold(events []view.Event) []view.Event {
	d.t.Helper()
	for i := range events {
		d.v.Apply(roundTrip(d.t, &events[i]))
	}
	return events
}

// want compares events, as JSON without the time.
func want(t testing.TB, events []view.Event, lines ...string) {
	t.Helper()
	var got []string
	for _, e := range events {
		e.T = 0
		b, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.Replace(string(b), `,"t":0`, "", 1))
	}
	if diff := cmp.Diff(lines, got); diff != "" {
		t.Fatalf("events (-want +got):\n%s", diff)
	}
}

func text(s string) []agent.Block { return []agent.Block{{Type: agent.BlockText, Text: s}} }

func callBlock(id, name, args string) agent.Block {
	return agent.Block{Type: agent.BlockToolCall, ToolCall: call(id, name, args)}
}

func call(id, name, args string) *agent.ToolCall {
	return &agent.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(args)}
}

func userSays(s string) []agent.Event {
	m := agent.Message{Role: agent.RoleUser, Content: text(s)}
	return []agent.Event{agent.MessageStart{Message: m}, agent.MessageEnd{Message: m}}
}

func assistantStart() agent.Event {
	return agent.MessageStart{Message: agent.Message{Role: agent.RoleAssistant}}
}

func assistantEnd(stop agent.StopReason, content ...agent.Block) agent.Event {
	return agent.MessageEnd{Message: agent.Message{Role: agent.RoleAssistant, Content: content, StopReason: stop}}
}

func update(kind agent.UpdateType, index int, delta string) agent.Event {
	return agent.MessageUpdate{Update: agent.AssistantUpdate{Type: kind, ContentIndex: index, Delta: delta}}
}

func textDelta(s string) agent.Event { return update(agent.UpdateTextDelta, 0, s) }

func callStart(index int, id, name string) agent.Event {
	return agent.MessageUpdate{Update: agent.AssistantUpdate{
		Type: agent.UpdateToolCallStart, ContentIndex: index, ToolCall: call(id, name, ""),
	}}
}

func callPart(index int, s string) agent.Event { return update(agent.UpdateToolCallDelta, index, s) }

func toolStart(id, args string) agent.Event {
	return agent.ToolExecutionStart{ToolCallID: id, ToolName: "bash", Args: json.RawMessage(args)}
}

func toolUpdate(id, s, details string) agent.Event {
	return agent.ToolExecutionUpdate{
		ToolCallID: id, ToolName: "bash", Partial: agent.ToolResult{Content: text(s), Details: json.RawMessage(details)},
	}
}

func toolEnd(id, s string) agent.Event {
	return agent.ToolExecutionEnd{ToolCallID: id, ToolName: "bash", Result: agent.ToolResult{Content: text(s)}}
}

func toolResult(id string) agent.Event {
	return agent.MessageEnd{Message: agent.Message{Role: agent.RoleToolResult, ToolCallID: id, ToolName: "bash"}}
}

// written is a turn up to the end of an assistant message that makes calls.
func written(calls ...agent.Block) []agent.Event {
	return []agent.Event{agent.TurnStart{}, assistantStart(), assistantEnd(agent.StopToolUse, calls...)}
}
