package projector_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/projector"
	"github.com/ringside-hub/ringside/hub/view"
)

// keys lists "type key" of tool events.
func keys(events []view.Event) string {
	var all []string
	for _, e := range events {
		if e.Key != "" {
			all = append(all, string(e.Type)+" "+e.Key)
		}
	}
	return strings.Join(all, ", ")
}

func wantKeys(t *testing.T, events []view.Event, want string) {
	t.Helper()
	if got := keys(events); got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
}

func TestPiecesGoByIndex(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(agent.TurnStart{}, assistantStart(), callStart(1, "a", "read"), callStart(2, "b", "read"),
		callPart(1, `{"q":`), callPart(2, `{"q":`), callPart(1, `"alpha"}`), callPart(2, `"beta"}`))
	want(t, d.flush(),
		`{"type":"call_delta","id":"a","key":"c1","name":"read"}`,
		`{"type":"call_delta","id":"b","key":"c2","name":"read"}`,
		`{"type":"call_delta","key":"c1","delta":"{\"q\":"}`,
		`{"type":"call_delta","key":"c2","delta":"{\"q\":"}`,
		`{"type":"call_delta","key":"c1","delta":"\"alpha\"}"}`,
		`{"type":"call_delta","key":"c2","delta":"\"beta\"}"}`)
	if a, b := d.v.Tools["c1"].RawArgs, d.v.Tools["c2"].RawArgs; a != `{"q":"alpha"}` || b != `{"q":"beta"}` {
		t.Errorf("args %s and %s", a, b)
	}
}

func TestNameAndIDSaidWhenKnown(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(agent.TurnStart{}, assistantStart(), update(agent.UpdateToolCallStart, 0, ""), callPart(0, "{"))
	want(t, d.flush(), `{"type":"call_delta","key":"c1","delta":"{"}`)
	d.do(callStart(0, "a", ""))
	want(t, d.flush(), `{"type":"call_delta","id":"a","key":"c1"}`)
	d.do(agent.MessageUpdate{Update: agent.AssistantUpdate{
		Type: agent.UpdateToolCallEnd, ToolCall: call("a", "read", `{}`),
	}})
	want(t, d.flush(), `{"type":"call_delta","key":"c1","name":"read"}`)
}

func TestCallWithoutDeltas(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(agent.TurnStart{}, assistantStart(), callStart(0, "a", "read"))
	d.do(agent.MessageUpdate{Update: agent.AssistantUpdate{
		Type: agent.UpdateToolCallEnd, ToolCall: call("a", "read", `{"p": 1.0}`),
	}})
	// b came with the end only; a is not said again.
	want(t, d.do(assistantEnd(agent.StopAborted, callBlock("a", "read", `{"p": 1.0}`), callBlock("b", "ls", `{}`))),
		`{"type":"call_delta","id":"a","key":"c1","delta":"{\"p\": 1.0}","name":"read"}`,
		`{"type":"call_delta","id":"b","key":"c2","delta":"{}","name":"ls"}`,
		`{"type":"message_end","id":"m1","role":"assistant","text":"","stopReason":"aborted"}`)
	for key, c := range d.v.Tools {
		if c.Status != view.Skipped {
			t.Errorf("%s is %s", key, c.Status)
		}
	}
}

func TestIDsChangeBeforeTheEnd(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(agent.TurnStart{}, assistantStart(), callStart(0, "tmp-0", "read"), callPart(0, "{}"), callStart(1, "tmp-1", "read"), callPart(1, "{}"))
	d.flush()
	want(t, d.do(assistantEnd(agent.StopToolUse, callBlock("x", "read", `{}`), callBlock("y", "read", `{}`))),
		`{"type":"call_delta","id":"x","key":"c1"}`,
		`{"type":"call_delta","id":"y","key":"c2"}`,
		`{"type":"message_end","id":"m1","role":"assistant","text":"","stopReason":"toolUse"}`)
	wantKeys(t, d.do(toolStart("y", `{}`), toolStart("x", `{}`), toolEnd("x", ""), toolEnd("y", ""), toolResult("x"), toolResult("y")),
		"tool_start c2, tool_start c1, tool_end c1, tool_end c2, tool_result c1, tool_result c2")
	if len(d.v.Tools) != 2 || d.v.Strays != 0 {
		t.Errorf("%d cards, %d strays", len(d.v.Tools), d.v.Strays)
	}
}

// A block that the final message does not have moves the others.
func TestIndexesShift(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(agent.TurnStart{}, assistantStart(), update(agent.UpdateThinkingDelta, 0, "hm"),
		callStart(1, "a", "read"), callPart(1, "{}"), callStart(2, "b", "read"), callPart(2, "{}"))
	d.flush()
	wantKeys(t, d.do(assistantEnd(agent.StopToolUse, callBlock("a", "read", `{}`), callBlock("b", "read", `{}`))), "")
	wantKeys(t, d.do(toolStart("a", `{}`), toolStart("b", `{}`)), "tool_start c1, tool_start c2")
}

func TestSameIDTwiceInOneMessage(t *testing.T) {
	d := newDrive(t, projector.Config{})
	wantKeys(t, d.do(written(callBlock("x", "a", `1`), callBlock("x", "b", `2`))...), "call_delta c1, call_delta c2")
	wantKeys(t, d.do(toolStart("x", `1`), toolStart("x", `2`), toolEnd("x", "one"), toolUpdate("x", "half", ""), toolEnd("x", "two"),
		toolResult("x"), toolResult("x")),
		"tool_start c1, tool_start c2, tool_end c1, tool_update c2, tool_end c2, tool_result c1, tool_result c2")
	if d.v.Tools["c1"].ResultText != "one" || d.v.Tools["c2"].ResultText != "two" || d.v.Strays != 0 {
		t.Errorf("%+v %+v", d.v.Tools["c1"], d.v.Tools["c2"])
	}
}

func TestSameIDAgainLater(t *testing.T) {
	d := newDrive(t, projector.Config{})
	one := func(s string) []view.Event {
		return d.do(append(written(callBlock("x", "bash", `{}`)), toolStart("x", `{}`), toolUpdate("x", s, ""), toolEnd("x", s),
			toolResult("x"), agent.TurnEnd{})...)
	}
	wantKeys(t, one("1"), "call_delta c1, tool_start c1, tool_update c1, tool_end c1, tool_result c1")
	wantKeys(t, one("2"), "call_delta c2, tool_start c2, tool_update c2, tool_end c2, tool_result c2")
	// Started without having been written, and again when it has ended.
	wantKeys(t, d.do(agent.TurnStart{}, toolStart("x", `{}`), toolEnd("x", "3"), toolStart("x", `{}`), toolEnd("x", "4")),
		"tool_start c3, tool_end c3, tool_start c4, tool_end c4")
	if len(d.v.Tools) != 4 || d.v.Strays != 0 {
		t.Errorf("%d cards, %d strays", len(d.v.Tools), d.v.Strays)
	}
}

// A start that comes again is the same call: one card, whatever has come of it
// meanwhile. Only one that the model wrote a second time, or of another turn,
// is another.
func TestStartReplayed(t *testing.T) {
	for name, begin := range map[string][]agent.Event{
		"written": written(callBlock("x", "bash", `{}`)), "not written": {agent.TurnStart{}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDrive(t, projector.Config{})
			d.do(begin...)
			wantKeys(t, d.do(toolStart("x", `{}`), toolStart("x", `{}`), toolUpdate("x", "half", ""), toolStart("x", `{}`),
				toolUpdate("x", "half more", ""), toolEnd("x", "whole"), toolResult("x")),
				"tool_start c1, tool_update c1, tool_update c1, tool_end c1, tool_result c1")
			if c := d.v.Tools["c1"]; len(d.v.Tools) != 1 || c.Status != view.Done || c.ProgressText != "half more" {
				t.Errorf("%d cards, %+v", len(d.v.Tools), c)
			}
			wantKeys(t, d.do(agent.TurnEnd{}, agent.TurnStart{}, toolStart("x", `{}`), agent.TurnEnd{}, agent.TurnStart{}, toolStart("x", `{}`)),
				"tool_start c2, tool_start c3")
		})
	}
}

// Of two calls with one id that run side by side, updates, ends and inner calls
// agree on which one is meant.
func TestSameIDSideBySide(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(written(callBlock("x", "a", `1`), callBlock("x", "b", `2`))...)
	inner := agent.ToolExecutionStart{ToolCallID: "in", ToolName: "read", ParentToolCallID: "x"}
	wantKeys(t, d.do(toolStart("x", `1`), toolStart("x", `2`), toolUpdate("x", "half", ""), inner, toolEnd("in", ""), toolEnd("x", "one"),
		toolUpdate("x", "half", ""), toolEnd("x", "two")),
		"tool_start c1, tool_start c2, tool_update c1, tool_start c3, tool_end c3, tool_end c1, tool_update c2, tool_end c2")
	if parent := d.v.Tools["c3"].Parent; parent != "c1" {
		t.Errorf("the inner call is in %s", parent)
	}
}

// What an earlier turn still waited for is not taken for this turn's.
func TestSameIDAfterLostOnes(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(written(callBlock("x", "bash", `{}`), callBlock("y", "bash", `{}`), callBlock("z", "bash", `{}`))...)
	d.do(toolStart("x", `{}`), toolEnd("x", ""), toolStart("y", `{}`), agent.TurnEnd{})
	// x ended without its result, y never ended, z never started.
	wantKeys(t, d.do(append(written(callBlock("x", "bash", `{}`), callBlock("y", "bash", `{}`), callBlock("z", "bash", `{}`)),
		toolStart("x", `{}`), toolStart("y", `{}`), toolStart("z", `{}`), toolEnd("y", ""), toolEnd("z", ""), toolEnd("x", ""),
		toolResult("x"), toolResult("y"), toolResult("z"))...),
		"call_delta c4, call_delta c5, call_delta c6, tool_start c4, tool_start c5, tool_start c6, "+
			"tool_end c5, tool_end c6, tool_end c4, tool_result c4, tool_result c5, tool_result c6")
	// The lost one ends after all.
	wantKeys(t, d.do(toolEnd("y", "late")), "tool_end c2")
	if c := d.v.Tools["c2"]; !c.Late || c.Status != view.Done {
		t.Errorf("c2: %+v", c)
	}
}

// A call that was written, and presumed skipped at its turn's end, is still known
// when its end comes late. It is not started again.
func TestLateEndOfSkipped(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(written(callBlock("x", "bash", `{}`), callBlock("y", "bash", `{}`), callBlock("z", "bash", `{}`))...)
	d.do(agent.TurnEnd{}, agent.TurnStart{})
	wantKeys(t, d.do(toolUpdate("x", "late", ""), toolEnd("x", "after all"), toolResult("x"), toolResult("y")),
		"tool_update c1, tool_end c1, tool_result c1, tool_result c2")
	if c := d.v.Tools["c1"]; c.Status != view.Done || !c.Late || c.ResultText != "after all" || c.ProgressText != "" || d.v.Strays != 0 {
		t.Errorf("c1: %+v, %d strays", c, d.v.Strays)
	}
	// z comes again: the new one is meant, and in the turn after still is.
	wantKeys(t, d.do(toolStart("z", `{}`), agent.TurnEnd{}, agent.TurnStart{}, toolEnd("z", "")), "tool_start c4, tool_end c4")
	if c := d.v.Tools["c3"]; c.Status != view.Skipped {
		t.Errorf("c3: %+v", c)
	}
}

// So is one that was streamed, but left out of the final message.
func TestLateEndOfDropped(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(agent.TurnStart{}, assistantStart(), callStart(0, "x", "bash"), callPart(0, "{}"), assistantEnd(agent.StopToolUse))
	wantKeys(t, d.do(toolEnd("x", "after all")), "tool_end c1")
	wantKeys(t, d.do(toolStart("x", `{}`)), "tool_start c2")
	if d.v.Strays != 0 {
		t.Errorf("%d strays", d.v.Strays)
	}
}

// Skipped calls are remembered only so long.
func TestManySkippedAreForgotten(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(written(callBlock("first", "bash", `{}`))...)
	for i := range 5000 {
		for _, e := range written(callBlock(fmt.Sprint("other", i), "bash", `{}`)) {
			d.p.Project(1, e)
		}
	}
	wantKeys(t, d.p.Project(1, toolEnd("first", "")).Events, "tool_end c0")
	wantKeys(t, d.p.Project(1, toolEnd("other1000", "")).Events, "tool_end c1002")
}

func TestStraysAndSecondEnds(t *testing.T) {
	d := newDrive(t, projector.Config{})
	wantKeys(t, d.do(toolUpdate("?", "a", ""), toolEnd("?", "b"), toolResult("?")), "tool_update c0, tool_end c0, tool_result c0")
	if d.v.Strays != 3 || len(d.v.Tools) != 0 {
		t.Errorf("%d strays, %d cards", d.v.Strays, len(d.v.Tools))
	}
	d.do(agent.TurnStart{}, toolStart("a", `{}`), toolEnd("a", "first"), toolUpdate("a", "late", ""))
	if c := d.v.Tools["c1"]; d.v.Strays != 3 || c.ProgressText != "" {
		t.Errorf("a late update left a trace: %d strays, %+v", d.v.Strays, c)
	}
	want(t, d.do(toolEnd("a", "second")), `{"type":"tool_end","key":"c1","text":"second"}`)
	if c := d.v.Tools["c1"]; c.Conflict == nil || c.ResultText != "first" {
		t.Errorf("c1: %+v", c)
	}
}

func TestParents(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(agent.TurnStart{}, toolStart("task", `{}`))
	want(t, d.do(agent.ToolExecutionStart{ToolCallID: "in", ToolName: "read", ParentToolCallID: "task"}),
		`{"type":"tool_start","id":"in","key":"c2","name":"read","parent":"c1"}`)
	want(t, d.do(agent.ToolExecutionStart{ToolCallID: "in2", ToolName: "read", ParentToolCallID: "nobody"}),
		`{"type":"tool_start","id":"in2","key":"c3","name":"read"}`)
}

func TestCountersGoOn(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(userSays("hi")...)
	d.do(written(callBlock("x", "a", `1`))...)
	d.do(toolStart("x", `1`), assistantStart(), textDelta("more"))
	d.flush()
	next := projector.CountersOf(d.v)
	if diff := cmp.Diff(projector.Counters{Message: 4, Call: 2}, next); diff != "" {
		t.Fatal(diff)
	}
	trim := view.Event{Type: view.Trim, BeforeTurn: 99}
	d.v.Active = nil
	d.v.Apply(&trim)
	if diff := cmp.Diff(projector.Counters{Message: 3, Call: 2}, projector.CountersOf(d.v)); diff != "" {
		t.Fatal(diff)
	}
	again := newDrive(t, projector.Config{Next: next})
	wantKeys(t, again.do(toolStart("x", `1`)), "tool_start c2")
	want(t, again.do(assistantStart()), `{"type":"message_start","id":"m4","role":"assistant"}`)
}

func TestManyCallsAreForgotten(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(agent.TurnStart{}, toolStart("first", `{}`))
	for i := range 5000 {
		d.p.Project(1, toolStart(fmt.Sprint("other", i), `{}`))
	}
	wantKeys(t, d.p.Project(1, toolEnd("first", "")).Events, "tool_end c0")
}

func TestLongIDsStayDifferent(t *testing.T) {
	d := newDrive(t, projector.Config{})
	long := strings.Repeat("é", 500)
	e := d.do(agent.TurnStart{}, toolStart(long+"a", `{}`), toolStart(long+"b", `{}`), toolEnd(long+"b", ""), toolEnd(long+"a", ""))
	wantKeys(t, e, "tool_start c1, tool_start c2, tool_end c2, tool_end c1")
	if id := e[1].ID; len(id) > 256 || id == e[2].ID {
		t.Errorf("ids %q, %q", e[1].ID, e[2].ID)
	}
}
