package worker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ringside-hub/ringside/hub/view"
)

// draw makes events as a projector orders them (each card and message begins
// once), but freely mixed: late updates, unknown cards, presumptions, trims.
type draw struct {
	t        *rapid.T
	calls    int
	messages int
	message  string
	ended    map[string]bool
}

func (d *draw) text(name string) string {
	return rapid.SampledFrom([]string{"", "a", "é", "🚀\n", strings.Repeat("long ", 900)}).Draw(d.t, name)
}

func (d *draw) next() view.Event {
	e := view.Event{T: rapid.Int64Range(0, 99).Draw(d.t, "t")}
	key := fmt.Sprint("c", rapid.IntRange(0, d.calls).Draw(d.t, "card"))
	n := rapid.IntRange(0, 24).Draw(d.t, "what")
	switch {
	case n < 3:
		d.calls++
		e.Type, e.Key, e.Name, e.Args = view.ToolStart, fmt.Sprint("c", d.calls), "bash", d.text("args")
		if n == 0 {
			e.Type, e.Delta = view.CallDelta, d.text("delta")
		}
	case n < 12:
		d.update(&e, key)
	case n < 13 && !d.ended[key]:
		e.Type, e.Key, e.Delta = view.CallDelta, key, d.text("delta")
	case n < 14:
		e.Type, e.Key, e.Text = view.ToolEnd, key, new(d.text("result"))
		d.ended[key] = true
	case n < 15:
		e.Type, e.Key = view.ToolResult, key
	case n < 16 && d.message == "":
		d.messages++
		d.message = fmt.Sprint("m", d.messages)
		e.Type, e.ID, e.Role = view.MessageStart, d.message, "assistant"
	case n < 21:
		e.Type, e.Delta = view.TextDelta, d.text("delta")
		if rapid.Bool().Draw(d.t, "thinking") {
			e.Type = view.ThinkingDelta
		}
		if e.ID = d.message; d.message == "" {
			e.ID = fmt.Sprint("m", rapid.IntRange(0, d.messages).Draw(d.t, "stray"))
		}
	case n < 22 && d.message != "":
		e.Type, e.ID, e.Role, e.Text = view.MessageEnd, d.message, "assistant", new(d.text("text"))
		e.StopReason = rapid.SampledFrom([]string{"stop", "error"}).Draw(d.t, "stop")
		d.message = ""
	default:
		e.Type = rapid.SampledFrom([]view.Type{
			view.TurnStart, view.TurnEnd, view.AgentStart, view.AgentEnd, view.AgentIdle, view.Queue, view.NoticeEvent, view.Worker, view.Trim,
		}).Draw(d.t, "type")
		e.State, e.BeforeTurn = rapid.SampledFrom([]string{view.WorkerLost, view.WorkerLive}).Draw(d.t, "state"), 1
	}
	return e
}

func (d *draw) update(e *view.Event, key string) {
	e.Type, e.Key = view.ToolUpdate, key
	switch rapid.IntRange(0, 3).Draw(d.t, "how") {
	case 0, 1:
		e.Text = new(d.text("text"))
	case 2:
		e.Append = new(d.text("append"))
	}
	if rapid.Bool().Draw(d.t, "counted") {
		e.Done, e.Phase = new(int64(3)), "testing"
	}
	if rapid.IntRange(0, 5).Draw(d.t, "hidden") == 0 {
		e.Redacted = 1
	}
	if rapid.IntRange(0, 5).Draw(d.t, "cut") == 0 {
		e.Truncated = &view.Truncated{Progress: 7, Args: rapid.Int64Range(0, 1).Draw(d.t, "cutArgs")}
	}
}

// Folding what the buffer gives is folding everything, at every point where the
// buffer is empty; and the counts add up.
func TestMergeIsFoldingEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &draw{t: t, ended: map[string]bool{}}
		b := newBuffer(1<<20, 1<<30)
		all, sent := view.New(), view.New()
		put, merged, taken := 0, 0, 0
		flush := func(most int) {
			for _, e := range b.take(most, 1<<20) {
				sent.Apply(&e)
				taken++
			}
		}
		for range rapid.IntRange(1, 80).Draw(t, "events") {
			e := d.next()
			all.Apply(&e)
			n, kept := b.put(e, false)
			if !kept {
				t.Fatal("lost")
			}
			put++
			merged += n
			if rapid.IntRange(0, 9).Draw(t, "flush") == 0 {
				flush(rapid.IntRange(1, 5).Draw(t, "most"))
			}
		}
		flush(1 << 20)
		if put != merged+taken || b.len() != 0 || b.bytes != 0 {
			t.Fatalf("put %d, merged %d, taken %d; %d left of %d bytes", put, merged, taken, b.len(), b.bytes)
		}
		if all.Hash() != sent.Hash() {
			t.Fatalf("entities (-all +merged):\n%s", cmp.Diff(entities(all), entities(sent)))
		}
	})
}

// entities is a view as the hash sees it.
func entities(v *view.View) map[string]any {
	out := map[string]any{"turn": v.Turn, "strays": v.Strays, "trimmed": v.Trimmed, "queue": v.Queue, "active": v.Active, "timeline": v.Timeline}
	for _, m := range v.Msgs {
		out[m.ID] = m
	}
	for key, c := range v.Tools {
		out[key] = c
	}
	return out
}

// What is let go while the store is away does not add up: a tool that reports
// for hours takes one place.
func TestMergeIsBounded(t *testing.T) {
	b := newBuffer(1000, 1<<20)
	b.put(view.Event{Type: view.ToolStart, Key: "c1"}, false)
	b.put(view.Event{Type: view.MessageStart, ID: "m1", Role: "assistant"}, false)
	for i := range 100_000 {
		if _, kept := b.put(view.Event{Type: view.ToolUpdate, Key: "c1", Text: new(fmt.Sprint(i))}, false); !kept {
			t.Fatal("lost an update")
		}
		if i%100 == 0 {
			b.put(view.Event{Type: view.ToolUpdate, Key: "c1", Append: new("more")}, false)
		}
	}
	for range 10_000 {
		b.put(view.Event{Type: view.TextDelta, ID: "m1", Delta: "x"}, false)
	}
	if b.len() > 20 || b.bytes > 40_000 {
		t.Errorf("%d events of %d bytes wait", b.len(), b.bytes)
	}
}

// A full buffer keeps a prefix of each stream, never a text with a hole.
func TestFullBufferKeepsPrefixes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBuffer(rapid.IntRange(2, 30).Draw(t, "max"), 1<<20)
		b.put(view.Event{Type: view.MessageStart, ID: "m1", Role: "assistant"}, false)
		b.put(view.Event{Type: view.ToolStart, Key: "c1"}, false)
		var sent []view.Event
		for i := range 100 {
			b.put(view.Event{Type: view.TextDelta, ID: "m1", Delta: fmt.Sprintf("%d ", i)}, false)
			b.put(view.Event{Type: view.NoticeEvent, Kind: "info"}, false)
			b.put(view.Event{Type: view.ToolUpdate, Key: "c1", Append: new(fmt.Sprintf("%d ", i))}, false)
			if rapid.IntRange(0, 5).Draw(t, "take") == 0 {
				sent = append(sent, b.take(rapid.IntRange(1, 40).Draw(t, "n"), 1<<20)...)
			}
		}
		b.put(view.Event{Type: view.MessageEnd, ID: "m1", Role: "assistant", Text: new("all")}, false)
		sent = append(sent, b.take(1000, 1<<20)...)
		v := view.New()
		prefix := func(what, text string) {
			for i := range 100 {
				if text == "" {
					return
				}
				var ok bool
				if text, ok = strings.CutPrefix(text, fmt.Sprintf("%d ", i)); !ok {
					t.Fatalf("%s has a hole before %.20q", what, text)
				}
			}
		}
		for _, e := range sent {
			v.Apply(&e)
			if v.Active != nil {
				prefix("text", v.Active.Text)
			}
			if c := v.Tools["c1"]; c != nil {
				prefix("progress", c.ProgressText)
			}
		}
	})
}

func TestRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := ring{maxEvents: 10, maxBytes: 200}
		r.reset(5)
		last, acked := int64(4), int64(4)
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "push") {
				last++
				r.push(fmt.Appendf(nil, "%d%s", last, strings.Repeat(".", rapid.IntRange(0, 40).Draw(t, "size"))))
			} else if acked < last {
				acked = rapid.Int64Range(acked+1, last).Draw(t, "acked")
			}
			r.trim(acked)
			if r.next() != last+1 || !r.has(acked+1) || !r.has(last+1) || r.has(last+2) || r.has(r.first-1) {
				t.Fatalf("ring from %d to %d, want all of %d to %d", r.first, r.next()-1, acked+1, last)
			}
			if kept := last - r.first + 1; kept > 10 && r.first <= acked {
				t.Fatalf("%d events are kept", kept)
			}
			for at := r.first; at < r.next(); {
				got := r.from(at, 3, 60)
				if len(got) == 0 || len(got) > 3 {
					t.Fatalf("from %d: %d events", at, len(got))
				}
				for _, d := range got {
					if !strings.HasPrefix(string(d), fmt.Sprint(at)) {
						t.Fatalf("event %d is %s", at, d)
					}
					at++
				}
			}
		}
	})
}

func TestRenumber(t *testing.T) {
	n := renumber{messages: 10, calls: 100}
	e := view.Event{Type: view.ToolStart, Key: "c2", Parent: "c1", ID: "m7"}
	n.event(&e)
	if e.Key != "c102" || e.Parent != "c101" || e.ID != "m7" {
		t.Errorf("%+v", e)
	}
	e = view.Event{Type: view.TextDelta, ID: "m7"}
	n.event(&e)
	if e.ID != "m17" {
		t.Errorf("%+v", e)
	}
	for _, key := range []string{"c0", "", "c", "cx", "x1", "c-1", "c99999999999999999999"} {
		if got := n.key(key); got != key {
			t.Errorf("%q became %q", key, got)
		}
	}
}
