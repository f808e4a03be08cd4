package term

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/hub/wire"
)

// checkScreen checks what holds for every screen without colour: only visible
// characters, and no row or column too many.
func checkScreen(t *testing.T, what, screen string, w, h int) {
	t.Helper()
	harmless(t, what, screen, '\n')
	if h == 0 && screen == "" {
		return
	}
	rows := strings.Split(screen, "\n")
	if len(rows) != h {
		t.Fatalf("%s: %d rows on a terminal of %d", what, len(rows), h)
	}
	for i, row := range rows {
		if n := width(row); n > w {
			t.Fatalf("%s: row %d has %d columns on a terminal of %d: %q", what, i, n, w, row)
		}
	}
}

// hostileRun has s in every place where text from outside comes to.
func hostileRun(s string) []view.Event {
	text := &s
	return []view.Event{
		{Type: view.RunInfo, Title: s, Source: s, Model: s, Cwd: s, Labels: map[string]string{s: s}},
		{Type: view.Worker, State: view.WorkerLive, By: s},
		{Type: view.AgentStart}, {Type: view.TurnStart},
		{Type: view.MessageEnd, ID: "m1", Role: "user", Text: text, Error: s, StopReason: s},
		{Type: view.ToolStart, Key: "c1", ID: s, Name: s, Label: s, Args: s},
		{Type: view.ToolStart, Key: "c2", ID: s, Name: s, Args: `{"command":"` + s + `"}`, Parent: "c1"},
		{Type: view.ToolStart, Key: "c3", Name: s},
		{Type: view.ToolStart, Key: "c4", Name: s},
		{Type: view.ToolUpdate, Key: "c1", Text: text, Phase: s, Details: s},
		{Type: view.ToolUpdate, Key: "c3", Text: text},
		{Type: view.ToolEnd, Key: "c2", Text: text, IsError: true, Details: s, Attachments: []view.Attachment{{MimeType: s, Bytes: 5}}},
		{Type: view.ToolEnd, Key: "c4", Text: text},
		{Type: view.ToolEnd, Key: "c4", Text: new(s + "x"), IsError: true},
		{Type: view.NoticeEvent, Kind: s, Text: text},
		{Type: view.Queue, Steering: []string{s}, FollowUp: []string{s, s}},
		{Type: view.MessageStart, ID: "m2", Role: "assistant"},
		{Type: view.ThinkingDelta, ID: "m2", Delta: s},
		{Type: view.TextDelta, ID: "m2", Delta: s},
		{Type: view.CallDelta, Key: "c5", ID: s, Name: s, Delta: s},
		{Type: view.TurnEnd, Error: s, StopReason: s},
	}
}

// everything is a screen that has been told s in every way.
func everything(s string, w, h int, theme Theme) *Screen {
	screen := New(Config{Run: "run-1", Hub: "http://hub.test", Theme: theme})
	screen.Handle(Resize{w, h}, start)
	screen.Handle(Connected{}, start)
	screen.Handle(Update{View: fold(hostileRun(s)...), Seq: 3, Snapshot: "join"}, start)
	screen.Handle(wire.Presence{Watching: 9, People: []wire.Person{{Name: s, Target: s}}}, start)
	screen.Handle(wire.Status{Store: s, Worker: &wire.WorkerStatus{Stale: true}, Delivery: &wire.DeliveryStatus{Step: s, Behind: 3}}, start)
	return screen
}

func FuzzScreen(f *testing.F) {
	for i, s := range []string{
		"plain", "\x1b[31mred\x1b[2J", "\x1b]0;t\x07", "\u009b2J\u009d0;x\u009c", "a\u202eb", "e\u0301\u0301\u0301\u0301\u0301",
		"日本語の長い文章がここにあります。\U0001F468\u200d\U0001F469", "\xff\x9b31m", "a\rb\tc\vd", "x\u2028y\u2029z", "नमस्ते", "한국어", "\x00", "",
	} {
		f.Add(s, uint8(20*i), uint8(3*i), "jj\rkeE?ut[]f")
	}
	f.Fuzz(func(t *testing.T, s string, w, h uint8, keys string) {
		if len(s) > 4000 {
			s = s[:4000]
		}
		screen := everything(s, int(w), int(h), Theme{})
		checkScreen(t, "the screen", screen.View(start.Add(time.Minute)), int(w), int(h))
		for i, k := range keys[:min(len(keys), 30)] {
			name := map[rune]string{'\r': "enter", 'u': "up", 'd': "down", 'p': "pgup", 'n': "pgdown"}[k]
			if name == "" {
				name = string(k)
			}
			screen.Handle(Key(name), start)
			if k == 'x' {
				screen.Handle(Resize{int(h), int(w)}, start)
				w, h = h, w
			}
			checkScreen(t, fmt.Sprintf("after key %d", i), screen.View(start.Add(time.Minute)), int(w), int(h))
		}
		screen.Handle(Lost{s, start.Add(time.Hour)}, start)
		checkScreen(t, "the lost screen", screen.View(start.Add(time.Minute)), int(w), int(h))
		screen.Handle(Ended{s}, start)
		checkScreen(t, "the ended screen", screen.View(start.Add(time.Minute)), int(w), int(h))
		harmless(t, "the title", screen.Title())
	})
}

// Every size, from nothing on; with everything open.
func TestEverySize(t *testing.T) {
	sizes := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 40, 63, 64, 65, 80, 99, 100, 120, 200}
	screen := watching(fold(busyRun()...), 80, 24)
	for range 8 {
		screen.Handle(Key("j"), start)
		screen.Handle(Key("enter"), start)
	}
	for _, w := range sizes {
		for _, h := range sizes {
			screen.Handle(Resize{w, h}, start)
			for _, k := range []Key{"f", "up", "e", "k", "?", "?", "pgup", "]"} {
				screen.Handle(k, start)
				checkScreen(t, fmt.Sprintf("%dx%d after %s", w, h, k), screen.View(start.Add(time.Minute)), w, h)
			}
		}
	}
}

// With colour a screen has the same characters, and escapes for colours only.
func TestColourChangesNoCharacter(t *testing.T) {
	for _, dark := range []bool{true, false} {
		for _, s := range []string{"plain", "\x1b[31mred\x1b[2J\x1b]0;t\x07", "\u009b2J", "日本語"} {
			plain := everything(s, 100, 40, Theme{})
			colour := everything(s, 100, 40, NewTheme(dark))
			for _, k := range []Key{"j", "enter", "j", "e"} {
				plain.Handle(k, start)
				colour.Handle(k, start)
			}
			got := colour.View(start)
			if !strings.Contains(got, "\x1b[") {
				t.Error("no colour")
			}
			want, have := rowsOf(plain.View(start)), rowsOf(ansi.Strip(got))
			for i := range want {
				if want[i] != have[i] {
					t.Errorf("row %d: %q without colour, %q with", i, want[i], have[i])
				}
			}
			for rest := got; ; {
				at := strings.IndexByte(rest, '\x1b')
				if at < 0 {
					break
				}
				end := strings.IndexFunc(rest[at+2:], func(r rune) bool { return r >= '@' })
				if rest[at+1] != '[' || rest[at+2+end] != 'm' {
					t.Fatalf("an escape that is no colour: %q", rest[at:at+2+end+1])
				}
				rest = rest[at+2+end+1:]
			}
		}
	}
}

func rowsOf(s string) []string {
	rows := strings.Split(s, "\n")
	for i, r := range rows {
		rows[i] = strings.TrimRight(r, " ")
	}
	return rows
}

// Columns stay right beside wide characters and marks.
func TestColumns(t *testing.T) {
	for _, name := range []string{"read", "読む", "e\u0301e\u0301e\u0301e\u0301", "👍🏽ok"} {
		v := fold(view.Event{Type: view.AgentStart, T: 1}, view.Event{Type: view.TurnStart, T: 1},
			view.Event{Type: view.ToolStart, Key: "c1", Name: name, Args: `{"path":"日本語"}`, T: 1},
			view.Event{Type: view.ToolEnd, Key: "c1", Text: new("x"), DurationMs: 2500, T: 2})
		for row := range strings.SplitSeq(watching(v, 80, 12).View(start), "\n") {
			if strings.Contains(row, "2.5 s") && (width(row) != 80 || !strings.HasSuffix(row, "done   2.5 s")) {
				t.Errorf("%q: %d columns: %q", name, width(row), row)
			}
		}
	}
}
