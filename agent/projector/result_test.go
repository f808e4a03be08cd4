package projector_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/projector"
	"github.com/ringside-hub/ringside/hub/view"
)

func TestResults(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(agent.TurnStart{}, toolStart("a", `{}`))
	want(t, d.do(agent.ToolExecutionEnd{ToolCallID: "a", IsError: true, DurationMs: new(int64(12)), Result: agent.ToolResult{
		Content: append(text("one"), text("two")...), Details: json.RawMessage(`{"exit":3}`),
	}}), `{"type":"tool_end","key":"c1","text":"one\ntwo","details":"{\"exit\":3}","isError":true,"durationMs":12}`)
	if len(d.blobs) != 0 {
		t.Errorf("blobs %v", d.blobs)
	}
	for _, ms := range []int64{-1, 1 << 60} {
		if e := d.do(toolStart("a", "1"), agent.ToolExecutionEnd{ToolCallID: "a", DurationMs: &ms})[1]; e.DurationMs != 0 && e.DurationMs != 1<<53-1 {
			t.Errorf("duration %d became %d", ms, e.DurationMs)
		}
	}
}

func TestLongResults(t *testing.T) {
	var whole strings.Builder
	for n := range 60000 {
		fmt.Fprintln(&whole, n)
	}
	for name, result := range map[string]agent.ToolResult{
		"whole result": {Content: text(whole.String())},
		"own output":   {Content: text("59999\n[cut]\n"), Output: whole.String()},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDrive(t, projector.Config{})
			e := d.do(agent.TurnStart{}, toolStart("a", `{}`), agent.ToolExecutionEnd{ToolCallID: "a", Result: result})[2]
			if !e.Output || !d.v.Tools["c1"].Output {
				t.Error("the output is not said to be kept")
			}
			if diff := cmp.Diff([]projector.Blob{{Key: "c1", Text: whole.String()}}, d.blobs); diff != "" {
				t.Fatalf("blobs: %.500s", diff)
			}
			if name == "own output" {
				return
			}
			first, rest, _ := strings.Cut(*e.Text, "\n[… ")
			marker, last, _ := strings.Cut(rest, "\n")
			hidden := whole.Len() - len(first) - len(last)
			switch {
			case len(*e.Text) > 8<<10 || len(*e.Text) < 7<<10 || e.Truncated.Result != int64(whole.Len()):
				t.Errorf("result of %d bytes, %+v", len(*e.Text), e.Truncated)
			case !strings.HasPrefix(whole.String(), first) || !strings.HasSuffix(whole.String(), "\n"+last):
				t.Errorf("not its head and tail: %.40q … %.40q", first, last)
			case marker != fmt.Sprintf("%d bytes hidden …]", hidden):
				t.Errorf("marker %q, want %d", marker, hidden)
			}
		})
	}
}

// A second end is a conflict, and does not replace the output that was kept.
func TestSecondEndKeepsTheBlob(t *testing.T) {
	d := newDrive(t, projector.Config{})
	long := strings.Repeat("x", 10000)
	d.do(agent.TurnStart{}, toolStart("a", `{}`), toolEnd("a", long), toolEnd("a", long+"!"))
	if len(d.blobs) != 1 || d.blobs[0].Text != long {
		t.Errorf("%d blobs", len(d.blobs))
	}
}

func TestAttachments(t *testing.T) {
	d := newDrive(t, projector.Config{})
	var content []agent.Block
	for n := range 6 {
		raw := make([]byte, n)
		content = append(content,
			agent.Block{Type: agent.BlockImage, MimeType: "image/png", Data: base64.StdEncoding.EncodeToString(raw)},
			agent.Block{Type: agent.BlockImage, MimeType: "image/png", Data: base64.RawStdEncoding.EncodeToString(raw)})
	}
	content = append(content, text("seen")...)
	e := d.do(toolStart("a", `{}`), agent.ToolExecutionEnd{ToolCallID: "a", Result: agent.ToolResult{Content: content}})[1]
	for i, a := range e.Attachments {
		if a.Bytes != int64(i/2) || a.MimeType != "image/png" {
			t.Errorf("attachment %d: %+v", i, a)
		}
	}
	if len(e.Attachments) != 12 || *e.Text != "seen" {
		t.Errorf("%d attachments, text %q", len(e.Attachments), *e.Text)
	}
}

// What is hidden is counted per card, over its parts, and never shrinks.
func TestRedactedCounts(t *testing.T) {
	d := newDrive(t, projector.Config{})
	key := "sk-ant-abcdefghijklmnop1"
	d.do(agent.TurnStart{})
	var got []int64
	for _, e := range d.do(toolStart("a", `{"k":"`+key+`"}`), toolUpdate("a", key+"\n", ""), toolUpdate("a", key+"\n"+key, ""),
		toolUpdate("a", "none", ""), toolEnd("a", key)) {
		got = append(got, e.Redacted)
	}
	if diff := cmp.Diff([]int64{1, 2, 3, 3, 3}, got); diff != "" {
		t.Error(diff)
	}
	long := strings.Repeat(key+"\n", 1000)
	d.do(toolStart("b", ``), toolEnd("b", long))
	if b := d.blobs[0]; strings.Contains(b.Text, "abcdefgh") || d.v.Tools["c2"].Redacted != 1000 {
		t.Errorf("blob %.100q, %d hidden", b.Text, d.v.Tools["c2"].Redacted)
	}
	if c := d.v.Tools["c1"]; c.Status != view.Done || strings.Contains(c.RawArgs+c.ProgressText+c.ResultText, "abcdefgh") {
		t.Errorf("%+v", c)
	}
}
