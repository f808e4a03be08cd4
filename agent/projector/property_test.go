package projector_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/projector"
	"github.com/ringside-hub/ringside/hub/view"
)

// randomEvent draws any event, in no order that an agent would keep.
func randomEvent(t *rapid.T) agent.Event {
	pick := func(name string, s ...string) string { return rapid.SampledFrom(s).Draw(t, name) }
	words := func(name string) string {
		s := pick(name, "", "a", "é🚀"[:rapid.IntRange(0, 6).Draw(t, "cut")], "ghp_", "0123456789abcdefghij0123", "\n", "password=", "\x00<&>\u2028",
			`{"a":`, `"b"}`, `\`, "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----")
		return strings.Repeat(s, rapid.SampledFrom([]int{1, 1, 1, 2, 3000}).Draw(t, "times"))
	}
	id := func() string { return pick("id", "", "x", "y", "z", strings.Repeat("long", 200)) }
	raw := func(name string) json.RawMessage {
		return json.RawMessage(pick(name, "", "null", "{}", `{"phase":"p","done":1,"total":2.0}`, `{"done":-1,"phase":7}`, `[1]`, `{"broken`, words("raw")))
	}
	blocks := func() []agent.Block {
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) agent.Block {
			b := agent.Block{Type: agent.BlockType(pick("block", "text", "thinking", "image", "toolCall", "odd")), Text: words("text"), Data: words("data")}
			if rapid.Bool().Draw(t, "with call") {
				b.ToolCall = &agent.ToolCall{ID: id(), Name: words("name"), Arguments: raw("args")}
			}
			return b
		}), 0, 4).Draw(t, "content")
	}
	message := func() agent.Message {
		return agent.Message{
			Role: agent.Role(pick("role", "system", "user", "assistant", "assistant", "toolResult", "custom", "")), Content: blocks(),
			StopReason: agent.StopReason(pick("stop", "", "stop", "toolUse", "error", "aborted")), ErrorMessage: words("error"),
			ToolCallID: id(), Model: pick("model", "", "one", "two"), Usage: &agent.Usage{Input: rapid.Int64().Draw(t, "usage")},
		}
	}
	result := func() agent.ToolResult {
		return agent.ToolResult{Content: blocks(), Details: raw("details"), Output: words("output")}
	}
	switch rapid.IntRange(0, 14).Draw(t, "event") {
	case 0:
		return agent.AgentStart{}
	case 1:
		return agent.AgentEnd{WillRetry: rapid.Bool().Draw(t, "retry")}
	case 2:
		return agent.TurnStart{}
	case 3:
		return agent.TurnEnd{Message: message()}
	case 4:
		return agent.MessageStart{Message: message()}
	case 5, 6, 7:
		u := agent.AssistantUpdate{
			Type: agent.UpdateType(pick("update", "text_start", "text_delta", "text_delta", "text_end", "thinking_delta", "thinking_end",
				"toolcall_start", "toolcall_delta", "toolcall_delta", "toolcall_end", "odd")),
			ContentIndex: rapid.IntRange(-1, 3).Draw(t, "index"), Delta: words("delta"),
		}
		if rapid.Bool().Draw(t, "with call") {
			u.ToolCall = &agent.ToolCall{ID: id(), Name: words("name"), Arguments: raw("args")}
		}
		return agent.MessageUpdate{Update: u}
	case 8:
		return agent.MessageEnd{Message: message()}
	case 9:
		return agent.ToolExecutionStart{ToolCallID: id(), ToolName: words("name"), Args: raw("args"), ParentToolCallID: id()}
	case 10:
		return agent.ToolExecutionUpdate{ToolCallID: id(), Partial: result()}
	case 11:
		return agent.ToolExecutionEnd{ToolCallID: id(), Result: result(), DurationMs: new(rapid.Int64().Draw(t, "ms"))}
	case 12:
		return agent.SessionInfo{Title: words("title"), Cwd: words("cwd"), Model: words("model")}
	case 13:
		return agent.QueueUpdate{Steering: []string{words("steering")}}
	}
	return rapid.SampledFrom([]agent.Event{agent.Notice{Kind: words("kind"), Text: words("text")}, agent.Settled{Aborted: true}, nil}).Draw(t, "other")
}

// Whatever comes: nothing panics, each event is accepted by its readers and
// within the limits, and what a secret needs to be one never leaves whole.
func TestAnyEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, v := projector.New(projector.Config{Source: "pi"}), view.New()
		at := rapid.Int64Range(0, 99)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			var events []view.Event
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				events = p.Flush(at.Draw(t, "t"))
			case 1:
				p.Reset()
			case 2:
				events = p.Close(at.Draw(t, "t"))
			default:
				events = p.Project(at.Draw(t, "t"), randomEvent(t)).Events
			}
			for i := range events {
				checkEvent(t, v, &events[i])
			}
		}
		next := projector.CountersOf(v)
		if v.Tools[fmt.Sprintf("c%d", next.Call)] != nil {
			t.Fatalf("%+v comes again", next)
		}
	})
}

func checkEvent(t *rapid.T, v *view.View, e *view.Event) {
	data, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := view.DecodeEvent(data)
	if err != nil {
		t.Fatalf("%v in %.300s", err, data)
	}
	v.Apply(&back)
	size := func(name string, s string, limit int) {
		if len(s) > limit {
			t.Fatalf("%s: %s of %d bytes", e.Type, name, len(s))
		}
	}
	for name, s := range map[string]string{"id": e.ID, "key": e.Key, "name": e.Name, "label": e.Label, "parent": e.Parent, "kind": e.Kind, "phase": e.Phase, "model": e.Model} {
		size(name, s, 256)
	}
	size("args", e.Args, 4<<10)
	size("details", e.Details, 4<<10)
	if e.Text != nil {
		size("text", *e.Text, map[view.Type]int{view.NoticeEvent: 1 << 10, view.ToolEnd: 8 << 10, view.ToolUpdate: 32 << 10}[e.Type]+
			map[view.Type]int{view.MessageEnd: 256 << 10}[e.Type])
	}
	if c := v.Tools[e.Key]; c != nil {
		size("raw args", c.RawArgs, 4<<10)
		size("progress", c.ProgressText, 32<<10)
	}
}

// modelCall is what a well-formed run says of one call.
type modelCall struct {
	id, args, result string
	isError, started bool
}

// wellFormed plays one run as Pi's loop would emit it, and notes its calls and
// assistant texts.
type wellFormed struct {
	t     *rapid.T
	emit  func(agent.Event)
	calls []*modelCall
	texts []string
}

func (w *wellFormed) pick(name string, n int) int { return rapid.IntRange(0, n).Draw(w.t, name) }

func (w *wellFormed) prompt() {
	w.emit(agent.AgentStart{})
	for turn := range 1 + w.pick("turns", 2) {
		w.emit(agent.TurnStart{})
		if turn == 0 {
			for _, e := range userSays("do it") {
				w.emit(e)
			}
		}
		w.turn()
	}
	w.emit(agent.AgentEnd{})
	if w.pick("settles", 1) == 1 {
		w.emit(agent.Settled{})
	}
}

func (w *wellFormed) turn() {
	stop := rapid.SampledFrom([]agent.StopReason{agent.StopToolUse, agent.StopToolUse, agent.StopAborted}).Draw(w.t, "stop")
	said := strings.Repeat("word ", w.pick("words", 5))
	content := text(said)
	var batch []*modelCall
	for range w.pick("calls", 4) {
		c := &modelCall{
			id: rapid.SampledFrom([]string{"x", "y", "z"}).Draw(w.t, "id"), args: fmt.Sprintf(`{"n": %d}`, len(w.calls)),
			result: fmt.Sprintf("result %d", len(w.calls)), isError: w.pick("error", 1) == 1, started: stop == agent.StopToolUse,
		}
		w.calls = append(w.calls, c)
		batch = append(batch, c)
		content = append(content, callBlock(c.id, "bash", c.args))
	}
	w.texts = append(w.texts, said)
	w.message(said, batch)
	end := agent.Message{Role: agent.RoleAssistant, Content: content, StopReason: stop}
	w.emit(agent.MessageEnd{Message: end})
	if stop == agent.StopToolUse {
		w.execute(batch)
	}
	w.emit(agent.TurnEnd{Message: end})
}

// message streams some of what the message will be, under ids that may change.
func (w *wellFormed) message(said string, batch []*modelCall) {
	w.emit(assistantStart())
	for _, word := range strings.SplitAfter(said, " ") {
		w.emit(textDelta(word))
	}
	renamed := w.pick("renamed", 1) == 1
	streamed := w.pick("streamed", len(batch))
	for i, c := range batch[:streamed] {
		id := c.id
		if renamed {
			id = fmt.Sprintf("tmp-%d", i)
		}
		w.emit(callStart(1+i, id, "bash"))
	}
	for i := range 4 {
		for n, c := range batch[:streamed] {
			q := len(c.args) / 4
			part := c.args[i*q : (i+1)*q]
			if i == 3 {
				part = c.args[i*q:]
			}
			w.emit(callPart(1+n, part))
		}
	}
}

// execute runs the calls side by side: starts and results in source order, ends
// in any, but those of one id in order.
func (w *wellFormed) execute(batch []*modelCall) {
	running := map[string][]*modelCall{}
	for _, c := range batch {
		w.emit(toolStart(c.id, c.args))
		running[c.id] = append(running[c.id], c)
	}
	for range batch {
		var ids []string
		for _, id := range []string{"x", "y", "z"} {
			if len(running[id]) > 0 {
				ids = append(ids, id)
			}
		}
		id := rapid.SampledFrom(ids).Draw(w.t, "ends")
		if w.pick("updates", 1) == 1 {
			w.emit(toolUpdate(id, "half", ""))
		}
		c := running[id][0]
		running[id] = running[id][1:]
		w.emit(agent.ToolExecutionEnd{ToolCallID: id, ToolName: "bash", IsError: c.isError, Result: agent.ToolResult{Content: text(c.result)}})
	}
	for _, c := range batch {
		m := agent.Message{Role: agent.RoleToolResult, ToolCallID: c.id, ToolName: "bash", IsError: c.isError}
		w.emit(agent.MessageStart{Message: m})
		w.emit(agent.MessageEnd{Message: m})
	}
}

// A well-formed run: the n-th call is card n, each with its own args, result and
// outcome, each shown once; nothing is a stray, a conflict or lost.
func TestWellFormedRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, v := projector.New(projector.Config{}), view.New()
		fold := func(events []view.Event) {
			for i := range events {
				checkEvent(t, v, &events[i])
			}
		}
		w := wellFormed{t: t}
		w.emit = func(e agent.Event) {
			fold(p.Project(1, e).Events)
			if w.pick("flush", 3) == 0 {
				fold(p.Flush(1))
			}
			if w.pick("reset", 9) == 0 {
				p.Reset()
			}
		}
		for range 1 + w.pick("prompts", 2) {
			w.prompt()
		}
		fold(p.Close(1))
		w.check(v)
	})
}

func (w *wellFormed) check(v *view.View) {
	t := w.t
	if v.Strays != 0 || v.RunStatus != view.Idle || v.Active != nil || len(v.Tools) != len(w.calls) {
		t.Fatalf("%d strays, run %s, %d cards for %d calls", v.Strays, v.RunStatus, len(v.Tools), len(w.calls))
	}
	for i, c := range w.calls {
		card := v.Tools[fmt.Sprintf("c%d", i+1)]
		status := view.Skipped
		if c.started {
			status = view.Done
			if c.isError {
				status = view.Failed
			}
		}
		if card == nil || card.Status != status || card.ID != c.id || card.RawArgs != c.args || card.Conflict != nil ||
			c.started && card.ResultText != c.result {
			t.Fatalf("call %d %+v is card %+v", i+1, c, card)
		}
	}
	var texts []string
	for _, m := range v.Msgs {
		if m.Role == string(agent.RoleAssistant) {
			texts = append(texts, m.Text)
		}
	}
	if strings.Join(texts, "|") != strings.Join(w.texts, "|") {
		t.Fatalf("texts %q, want %q", texts, w.texts)
	}
	seen := map[view.TimelineItem]bool{}
	for _, item := range v.Timeline {
		if seen[item] {
			t.Fatalf("%+v twice", item)
		}
		seen[item] = true
	}
}
