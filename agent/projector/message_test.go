package projector_test

import (
	"strings"
	"testing"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/projector"
	"github.com/ringside-hub/ringside/hub/view"
)

func TestDeltasJoinInOrder(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(agent.TurnStart{}, assistantStart())
	if got := d.do(textDelta("a"), textDelta(""), textDelta("b"), update(agent.UpdateThinkingDelta, 1, "t"), textDelta("c"), textDelta("d")); len(got) != 0 {
		t.Fatalf("left without a flush: %v", got)
	}
	want(t, d.flush(),
		`{"type":"text_delta","id":"m1","delta":"ab"}`,
		`{"type":"thinking_delta","id":"m1","delta":"t"}`,
		`{"type":"text_delta","id":"m1","delta":"cd"}`)
	want(t, d.flush())
	// A structural event takes the waiting ones with it, and keeps the order.
	want(t, d.do(textDelta("e"), agent.Notice{Kind: "retry", Text: "again"}),
		`{"type":"text_delta","id":"m1","delta":"e"}`,
		`{"type":"notice","text":"again","kind":"retry"}`)
}

func TestBrokenCharacters(t *testing.T) {
	d := newDrive(t, projector.Config{})
	rocket := "🚀"
	d.do(agent.TurnStart{}, assistantStart(), textDelta("a"+rocket[:1]), update(agent.UpdateThinkingDelta, 1, "\xff!"))
	want(t, d.flush(),
		`{"type":"text_delta","id":"m1","delta":"a"}`,
		`{"type":"thinking_delta","id":"m1","delta":"`+"\uFFFD"+`!"}`)
	d.do(textDelta(rocket[1:3]))
	want(t, d.flush())
	d.do(textDelta(rocket[3:] + rocket[:2]))
	want(t, d.flush(), `{"type":"text_delta","id":"m1","delta":"🚀"}`)
	e := d.do(assistantEnd(agent.StopStop, text("a🚀\xf0\x9f")...))
	want(t, e,
		`{"type":"text_delta","id":"m1","delta":"`+"\uFFFD"+`"}`,
		`{"type":"message_end","id":"m1","role":"assistant","text":"a🚀`+"\uFFFD"+`","stopReason":"stop"}`)
}

func TestSelection(t *testing.T) {
	d := newDrive(t, projector.Config{})
	of := func(role agent.Role, s string) []agent.Event {
		m := agent.Message{Role: role, Content: text(s)}
		return []agent.Event{agent.MessageStart{Message: m}, agent.MessageEnd{Message: m}}
	}
	want(t, d.do(of(agent.RoleSystem, "you are")...))
	want(t, d.do(of("compactionSummary", "so far")...), `{"type":"notice","text":"so far","kind":"compactionSummary"}`)
	want(t, d.do(of("", "odd")...), `{"type":"notice","text":"odd","kind":"message"}`)
	want(t, d.do(of(agent.RoleUser, "\n  Fix it  \nplease")...),
		`{"type":"message_start","id":"m1","role":"user"}`,
		`{"type":"message_end","id":"m1","role":"user","text":"\n  Fix it  \nplease"}`,
		`{"type":"run_info","title":"Fix it"}`)
	// Only the first prompt gives the title; an end without a start has its own id.
	want(t, d.do(of(agent.RoleUser, "And this")[1:]...), `{"type":"message_end","id":"m2","role":"user","text":"And this"}`)
	want(t, d.do(nil))
}

func TestMessageTexts(t *testing.T) {
	d := newDrive(t, projector.Config{})
	m := agent.Message{
		Role: agent.RoleAssistant, StopReason: agent.StopError, ErrorMessage: "503", Provider: "fake", Model: "one",
		Content: []agent.Block{
			{Type: agent.BlockThinking, Text: "hm"}, {Type: agent.BlockText, Text: "a"}, {Type: agent.BlockImage},
			{Type: agent.BlockThinking, Text: "so"}, {Type: agent.BlockText, Text: "b"},
		},
	}
	// An end alone: the message is opened first.
	want(t, d.do(agent.TurnStart{}, agent.MessageEnd{Message: m}),
		`{"type":"turn_start"}`,
		`{"type":"run_info","model":"fake/one"}`,
		`{"type":"message_start","id":"m1","role":"assistant"}`,
		`{"type":"message_end","id":"m1","role":"assistant","text":"a\nb","thinking":"hm\nso","stopReason":"error","error":"503"}`)
	want(t, d.do(textDelta("x"), agent.TurnEnd{Message: m}),
		`{"type":"message_start","id":"m2","role":"assistant"}`,
		`{"type":"text_delta","id":"m2","delta":"x"}`,
		`{"type":"turn_end","stopReason":"error","error":"503"}`)
}

func TestLongMessages(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(agent.TurnStart{}, assistantStart())
	piece := strings.Repeat("é", 50<<10)
	sent := 0
	for range 5 {
		d.do(textDelta(piece))
		for _, e := range d.flush() {
			sent += len(e.Delta)
		}
	}
	if sent != 256<<10 {
		t.Errorf("%d bytes of deltas", sent)
	}
	e := d.do(assistantEnd(agent.StopStop, text(strings.Repeat(piece, 5))...))
	last := e[len(e)-1]
	if len(*last.Text) != 256<<10 || last.Truncated == nil || last.Truncated.Text != 500<<10 {
		t.Errorf("text of %d bytes, truncated %+v", len(*last.Text), last.Truncated)
	}
	if got := d.v.Msgs[0]; got.Truncated.Text != 500<<10 {
		t.Errorf("view: %+v", got.Truncated)
	}
}

func TestWorstCaseFitsAnEvent(t *testing.T) {
	d := newDrive(t, projector.Config{})
	nul := strings.Repeat("\x00", 1<<20)
	d.do(assistantStart(), textDelta(nul), update(agent.UpdateThinkingDelta, 1, nul))
	d.flush() // each event is decoded, with its bound
	d.do(agent.MessageEnd{Message: agent.Message{
		Role: agent.RoleAssistant, ErrorMessage: nul, StopReason: agent.StopReason(nul),
		Content: []agent.Block{{Type: agent.BlockText, Text: nul}, {Type: agent.BlockThinking, Text: nul}, callBlock(nul, nul, nul)},
	}})
	d.do(toolStart(nul, nul), toolUpdate(nul, nul, `{"phase":"`+nul+`"}`), toolEnd(nul, nul))
	var many []string
	for range 1000 {
		many = append(many, nul)
	}
	d.do(agent.QueueUpdate{Steering: many, FollowUp: many}, agent.Notice{Kind: nul, Text: nul}, agent.SessionInfo{Title: nul, Cwd: nul, Model: nul})
}

func TestCallTextIsBounded(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(agent.TurnStart{}, assistantStart(), callStart(0, "a", "write"))
	sent, noted := 0, 0
	for range 100 {
		d.do(callPart(0, strings.Repeat("x", 100)))
		for _, e := range d.flush() {
			sent += len(e.Delta)
			if e.Truncated != nil {
				noted++
			}
		}
	}
	if sent != 4<<10 || noted != 1 {
		t.Errorf("%d bytes, noted %d times", sent, noted)
	}
	args := `{"content":"` + strings.Repeat("x", 10000) + `"}`
	d.do(assistantEnd(agent.StopToolUse, callBlock("a", "write", args)))
	e := d.do(toolStart("a", args))[0]
	if len(e.Args) != 4<<10 || e.Truncated.Args != int64(len(args)) || d.v.Tools["c1"].RawArgs != e.Args {
		t.Errorf("args of %d bytes, truncated %+v", len(e.Args), e.Truncated)
	}
}

func TestArgsStayAsWritten(t *testing.T) {
	d := newDrive(t, projector.Config{})
	const args = `{ "z" : 1.0,"a":1e3, "é":"\u00e9" }`
	if e := d.do(toolStart("a", args))[0]; e.Args != args {
		t.Errorf("args %s", e.Args)
	}
	if e := d.do(toolStart("b", ""))[0]; e.Args != "" {
		t.Errorf("args %q", e.Args)
	}
}

func TestToolLabels(t *testing.T) {
	d := newDrive(t, projector.Config{ToolLabel: func(name string) string { return "The " + name }})
	want(t, d.do(toolStart("a", "1")), `{"type":"tool_start","id":"a","key":"c1","name":"bash","label":"The bash","args":"1"}`)
	want(t, d.do(agent.ToolExecutionStart{ToolCallID: "b", ToolName: "x", ToolLabel: "Ex"}),
		`{"type":"tool_start","id":"b","key":"c2","name":"x","label":"Ex"}`)
	if _, ok := d.v.Tools["c2"]; !ok || d.v.Tools["c1"].Status != view.Preparing {
		t.Errorf("%+v", d.v.Tools)
	}
}
