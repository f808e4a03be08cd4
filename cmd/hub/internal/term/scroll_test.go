package term

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/hub/view"
)

// longRun is a run of one turn with n cards, each settled; the last one may
// still run.
func longRun(n int) []view.Event {
	events := []view.Event{{Type: view.AgentStart, T: 1}, {Type: view.TurnStart, T: 1}}
	for i := range n {
		key := fmt.Sprintf("c%d", i+1)
		events = append(events,
			view.Event{Type: view.ToolStart, T: int64(i), Key: key, Name: "bash", Args: fmt.Sprintf(`{"command":"step %d"}`, i+1)},
			view.Event{Type: view.ToolEnd, T: int64(i), Key: key, Text: new("ok"), DurationMs: 10})
	}
	return events
}

func more(s *Screen, v *view.View) { s.Handle(Update{View: v, Seq: 8, HeardAt: 1}, start) }

func body(s *Screen) []string {
	rows := strings.Split(s.View(start), "\n")
	return rows[2 : len(rows)-1]
}

// Any move upwards ends following at once, and then nothing moves, whatever
// comes: more cards, cards that grow, notes, a turn that would fold.
func TestNothingMovesUnderTheReader(t *testing.T) {
	for _, key := range []Key{"up", "pgup", "k", "g", "ctrl+u", "[", "b", "home"} {
		t.Run(string(key), func(t *testing.T) {
			events := longRun(100)
			s := watching(fold(events...), 80, 24)
			s.Handle(key, start)
			if s.following {
				t.Fatal("still following")
			}
			// The first row stays; notes may take rows from the end.
			before := body(s)[:12]
			for i := range 50 {
				events = append(events,
					view.Event{Type: view.ToolStart, T: 200, Key: fmt.Sprintf("x%d", i), Name: "read"},
					view.Event{Type: view.ToolEnd, T: 200, Key: fmt.Sprintf("x%d", i), Text: new("broken"), IsError: i%10 == 0})
				if i == 20 {
					events = append(events, view.Event{Type: view.TurnEnd, T: 200}, view.Event{Type: view.TurnStart, T: 201})
				}
				more(s, fold(events...))
				s.Handle(Lost{"gone", start.Add(time.Second)}, start)
				for row, was := range before {
					if strings.Contains(was, "Turn ") {
						continue // its counts go on, in their place
					}
					if now := body(s)[row]; now != was {
						t.Fatalf("after %d more, row %d was %q and is %q", i+1, row, was, now)
					}
				}
				s.Handle(Connected{}, start)
			}
			footer := s.View(start)
			if !strings.Contains(footer, wordFollowingOff+"  50 new  5 failed") {
				t.Errorf("footer: %q", footer[strings.LastIndexByte(footer, '\n')+1:])
			}
			for _, back := range []Key{"f", "G", "end"} {
				s.Handle(Key("up"), start)
				s.Handle(back, start)
				rows := body(s)
				if !s.following || !strings.Contains(rows[len(rows)-1], "read") {
					t.Errorf("%s does not follow: %q", back, rows[len(rows)-1])
				}
			}
		})
	}
}

func TestFollowingShowsTheEnd(t *testing.T) {
	for n := 1; n < 60; n++ {
		s := watching(fold(longRun(n)...), 80, 20)
		rows := strings.TrimRight(strings.Join(body(s), "\n"), "\n ")
		if last := rows[strings.LastIndexByte(rows, '\n')+1:]; !strings.Contains(last, fmt.Sprintf("step %d ", n)) {
			t.Fatalf("%d cards: the last row is %q", n, last)
		}
	}
}

// Down to the end follows again.
func TestScrollingDownFollows(t *testing.T) {
	s := watching(fold(longRun(100)...), 80, 20)
	s.Handle(Key("pgup"), start)
	for range 40 {
		s.Handle(Key("down"), start)
	}
	if !s.following {
		t.Error("at the end, and not following")
	}
}

func TestChooseAndOpen(t *testing.T) {
	events := longRun(30)
	events = append(events, view.Event{Type: view.ToolStart, T: 40, Key: "bad", Name: "grep"},
		view.Event{Type: view.ToolEnd, T: 41, Key: "bad", IsError: true, Text: new("first line\nsecond line")})
	events = append(events, longRun(30)[2:]...) // strays: known already
	s := watching(fold(events...), 80, 20)
	s.Handle(Key("e"), start)
	if s.chosen != "c/bad" {
		t.Fatalf("e chose %q", s.chosen)
	}
	if !strings.Contains(s.View(start), "> ✗ grep") {
		t.Errorf("the failure is not on the screen:\n%s", s.View(start))
	}
	s.Handle(Key("enter"), start)
	if !strings.Contains(s.View(start), "| second line") || s.following {
		t.Errorf("not open:\n%s", s.View(start))
	}
	s.Handle(Key("esc"), start)
	if strings.Contains(s.View(start), "second line") {
		t.Error("not closed")
	}
	s.Handle(Key("k"), start)
	if s.chosen != "c/c30" {
		t.Errorf("k chose %q", s.chosen)
	}
	for range 40 {
		s.Handle(Key("k"), start)
		if !strings.Contains(s.View(start), "> ") {
			t.Fatalf("the selected card is not on the screen:\n%s", s.View(start))
		}
	}
	if s.chosen != "c/c1" {
		t.Errorf("k ends at %q", s.chosen)
	}
	s.Handle(Key("q"), start)
	if !s.Quit() || s.Back() {
		t.Error("q does not quit")
	}
}

// A past turn folds what is done, and Enter unfolds it. Failures do not fold.
func TestPastTurnsFold(t *testing.T) {
	events := append(longRun(20), view.Event{Type: view.ToolStart, T: 30, Key: "bad", Name: "grep"},
		view.Event{Type: view.ToolEnd, T: 31, Key: "bad", IsError: true, Text: new("no")},
		view.Event{Type: view.TurnEnd, T: 32}, view.Event{Type: view.TurnStart, T: 33})
	s := watching(fold(events...), 80, 40)
	if got := s.View(start); !strings.Contains(got, "17 more done") || !strings.Contains(got, "✗ grep") || strings.Contains(got, "step 4 ") {
		t.Fatalf("not folded:\n%s", got)
	}
	s.Handle(Key("k"), start)
	s.Handle(Key("enter"), start)
	if got := s.View(start); !strings.Contains(got, "step 20 ") || !strings.Contains(got, "Show fewer") {
		t.Errorf("not unfolded:\n%s", got)
	}
}

// A run of 2000 cards draws what is on the screen, and no more.
func TestOnlyWhatIsVisibleIsDrawn(t *testing.T) {
	v := fold(longRun(2000)...)
	s := watching(v, 120, 40)
	for _, key := range []Key{"f", "pgup", "g", "j", "enter", "e"} {
		s.Handle(key, start)
		s.scene.drawn = 0
		s.View(start)
		if s.scene.drawn > 40 {
			t.Errorf("after %s %d blocks were drawn on 40 rows", key, s.scene.drawn)
		}
		s.scene.drawn = 0
		more(s, v)
		if s.scene.drawn > 0 {
			t.Errorf("after %s an update draws %d blocks", key, s.scene.drawn)
		}
	}
}

// What was opened in a run that goes on and on is forgotten with its card.
func TestOpenCardsAreForgotten(t *testing.T) {
	s := watching(fold(longRun(3)...), 80, 24)
	for i := range 5000 {
		s.scene.open[fmt.Sprintf("c/gone%d", i)] = true
	}
	more(s, fold(longRun(3)...))
	if len(s.scene.open) > 256 {
		t.Errorf("%d names are kept", len(s.scene.open))
	}
}

func BenchmarkUpdate2000(b *testing.B) {
	v := fold(longRun(2000)...)
	s := watching(v, 120, 40)
	for b.Loop() {
		more(s, v)
		s.View(start)
	}
}
