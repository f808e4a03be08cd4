package view

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// randomEvent draws events that often meet: few keys, few ids, every type.
func randomEvent(t *rapid.T) Event {
	pick := func(name string, s ...string) string { return rapid.SampledFrom(s).Draw(t, name) }
	flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
	num := func(name string) int64 { return rapid.Int64Range(0, 9).Draw(t, name) }
	e := Event{T: num("t"), Type: rapid.SampledFrom([]Type{
		RunInfo, AgentStart, AgentEnd, AgentIdle, TurnStart, TurnEnd, MessageStart, TextDelta, ThinkingDelta, MessageEnd,
		CallDelta, ToolStart, ToolStart, ToolUpdate, ToolUpdate, ToolEnd, ToolEnd, ToolResult, Queue, NoticeEvent, Worker, Trim,
	}).Draw(t, "type")}
	text := func(name string) string { return pick(name, "", "a", "é", "🚀", "\u2028", "<&>\"\\", "\x00\x1b") }
	switch e.Type {
	case RunInfo:
		e.Title, e.Labels = text("title"), map[string]string{text("label"): "1"}
	case AgentEnd:
		e.WillRetry = flag("willRetry")
	case AgentIdle:
		e.Aborted = flag("aborted")
	case TurnEnd, MessageEnd, MessageStart, TextDelta, ThinkingDelta:
		e.ID = pick("id", "m1", "m2", "m3", "__proto__")
		e.Role = pick("role", "assistant", "user")
		e.Delta = text("delta")
		e.StopReason = pick("stop", "", "stop", "error", "aborted")
		if e.Type == MessageEnd {
			e.Text = new(text("text"))
		}
	case CallDelta, ToolStart, ToolUpdate, ToolEnd, ToolResult:
		randomTool(t, &e, text, flag, num)
	case Queue:
		e.Steering = []string{text("steering")}
	case NoticeEvent:
		e.Kind, e.Text = "info", new(text("text"))
	case Worker:
		e.State = pick("state", WorkerLive, WorkerLost, WorkerGone)
	case Trim:
		e.BeforeTurn = 1 + num("before")
	}
	return e
}

func randomTool(t *rapid.T, e *Event, text func(string) string, flag func(string) bool, num func(string) int64) {
	e.Key = rapid.SampledFrom([]string{"c1", "c2", "c3", "constructor"}).Draw(t, "key")
	e.Name, e.IsError = "bash", flag("isError")
	switch e.Type {
	case CallDelta:
		e.Delta = text("delta")
	case ToolStart:
		e.Args = text("args")
	case ToolUpdate:
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			e.Text = new(text("text"))
		case 1:
			e.Append = new(text("append"))
		}
		if flag("counted") {
			e.Done, e.Total = new(num("done")), new(num("total"))
		}
		e.Details = text("details")
	case ToolEnd:
		e.Text, e.DurationMs = new(text("text")), num("ms")
		if flag("cut") {
			e.Truncated = &Truncated{Result: 1 + num("cut")}
		}
	}
}

// Whatever comes, in whatever order: the hash that is kept up to date equals
// the hash of the same view decoded afresh; events survive their JSON; nothing
// stays open in an idle run; settled cards never change back.
func TestFoldProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := New()
		for _, e := range rapid.SliceOfN(rapid.Custom(randomEvent), 1, 60).Draw(t, "events") {
			data, err := e.Encode()
			if err != nil {
				t.Fatal(err)
			}
			decoded, err := DecodeEvent(data)
			if err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			settled := map[string]string{}
			for k, tool := range v.Tools {
				if tool.settled() {
					settled[k] = tool.Status + tool.ResultText
				}
			}
			v.Apply(&decoded)
			for k, was := range settled {
				if now := v.Tools[k]; now != nil && now.Status+now.ResultText != was {
					t.Fatalf("%s changed settled card %s", e.Type, k)
				}
			}
			if (e.Type == AgentIdle || e.Type == Worker && e.State != WorkerLive) && len(v.open) > 0 {
				t.Fatalf("%s left cards open", e.Type)
			}
			checkRoundTrip(t, v)
		}
	})
}

func checkRoundTrip(t *rapid.T, v *View) {
	data, err := v.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if a, b := v.Hash(), again.Hash(); a != b {
		t.Fatalf("kept hash %s, fresh hash %s of\n%s", a, b, data)
	}
}

func FuzzDecodeEvent(f *testing.F) {
	for _, file := range foldFiles(f) {
		for _, s := range file.Steps {
			f.Add([]byte(s.Event))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := DecodeEvent(data)
		if err != nil {
			return
		}
		v := New()
		v.Apply(&e)
		v.Apply(&e)
		if _, err := Decode(mustEncode(t, v)); err != nil {
			t.Fatalf("%q: its view does not decode: %v", data, err)
		}
	})
}

func FuzzDecodeView(f *testing.F) {
	for _, file := range foldFiles(f) {
		f.Add([]byte(file.Steps[len(file.Steps)-1].View))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Decode(data)
		if err != nil {
			return
		}
		e := Event{Type: AgentEnd, T: 1}
		v.Apply(&e)
		_ = v.Hash()
		_ = v.Summary()
		mustEncode(t, v)
	})
}

func mustEncode(t *testing.T, v *View) []byte {
	t.Helper()
	b, err := v.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func BenchmarkApplyTextDelta(b *testing.B) {
	b.ReportAllocs()
	v := New()
	start := Event{Type: MessageStart, ID: "m1", Role: roleAssistant}
	v.Apply(&start)
	e := Event{Type: TextDelta, ID: "m1", Delta: strings.Repeat("x", 20)}
	for b.Loop() {
		if v.Active == nil || len(v.Active.Text) > 256<<10 {
			v.Active = nil
		}
		v.Apply(&e)
	}
}

func BenchmarkApplyToolUpdate(b *testing.B) {
	b.ReportAllocs()
	v := New()
	start := Event{Type: ToolStart, Key: "c1", Name: "bash"}
	v.Apply(&start)
	e := Event{Type: ToolUpdate, Key: "c1", Text: new("checked 12 of 40"), Done: new(int64(12)), Total: new(int64(40))}
	for b.Loop() {
		v.Apply(&e)
	}
}
