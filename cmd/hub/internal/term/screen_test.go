package term

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/hub/wire"
)

var update = flag.Bool("update", false, "rewrite the golden screens")

// scenario is a fold file of the view: the events that Go and TypeScript fold.
type scenario struct {
	name   string
	events []view.Event
}

func scenarios(t testing.TB) []scenario {
	t.Helper()
	paths, err := filepath.Glob("../../../../hub/view/testdata/*.json")
	if err != nil || len(paths) < 10 {
		t.Fatalf("no fold files: %v", err)
	}
	var list []scenario
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		var f struct {
			Steps []struct {
				Event jsontext.Value `json:"event"`
			} `json:"steps"`
		}
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		s := scenario{name: strings.TrimSuffix(filepath.Base(p), ".json")}
		for _, step := range f.Steps {
			e, err := view.DecodeEvent(step.Event)
			if err != nil {
				t.Fatalf("%s: %v", p, err)
			}
			s.events = append(s.events, e)
		}
		list = append(list, s)
	}
	return list
}

func fold(events ...view.Event) *view.View {
	v := view.New()
	for i := range events {
		v.Apply(&events[i])
	}
	return v
}

// start is when the tests' screens connect.
var start = time.UnixMilli(1_700_000_000_000).UTC()

// watching is a screen without colour that shows v, live.
func watching(v *view.View, w, h int) *Screen {
	s := New(Config{Run: "run-1", Hub: "http://hub.test/"})
	s.Handle(Resize{w, h}, start)
	s.Handle(Connected{}, start)
	s.Handle(Update{View: v, Seq: 7, Snapshot: "join"}, start)
	return s
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	var trimmed []string
	for l := range strings.Lines(got) {
		trimmed = append(trimmed, strings.TrimRight(l, " \n"))
	}
	got = strings.TrimRight(strings.Join(trimmed, "\n"), "\n") + "\n"
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (-update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// Every scenario of the fold: while it goes on, at its end, and with all cards
// open.
func TestScenarioScreens(t *testing.T) {
	for _, sc := range scenarios(t) {
		t.Run(sc.name, func(t *testing.T) {
			half := watching(fold(sc.events[:(len(sc.events)+1)/2]...), 100, 24)
			golden(t, "screens/"+sc.name+"-half", half.View(start.Add(2500*time.Millisecond)))
			full := watching(fold(sc.events...), 100, 24)
			golden(t, "screens/"+sc.name, full.View(start.Add(2500*time.Millisecond)))
			open := watching(fold(sc.events...), 60, 60)
			for range sc.events {
				open.Handle(Key("j"), start)
				if !open.scene.open[open.chosen] {
					open.Handle(Key("enter"), start)
				}
			}
			golden(t, "screens/"+sc.name+"-open", open.View(start.Add(2500*time.Millisecond)))
		})
	}
}

// What is known beside the view.
func TestStatusScreens(t *testing.T) {
	busy := fold(busyRun()...)
	for name, prepare := range map[string]func(*Screen){
		"connecting": func(s *Screen) { *s = *New(Config{Run: "run-1"}); s.Handle(Resize{80, 24}, start) },
		"lost":       func(s *Screen) { s.Handle(Lost{"connection refused", start.Add(4 * time.Second)}, start) },
		"unknown": func(s *Screen) {
			*s = *New(Config{Run: "run-1"})
			s.Handle(Resize{80, 24}, start)
			s.Handle(Unknown{start.Add(3 * time.Second)}, start)
		},
		"unknown-now": func(s *Screen) { s.Handle(Unknown{start.Add(3 * time.Second)}, start) },
		"help-narrow": func(s *Screen) {
			s.Handle(Resize{40, 12}, start)
			for _, k := range []Key{"?", "pgdown", "j"} {
				s.Handle(k, start)
			}
		},
		"narrow": func(s *Screen) {
			s.Handle(Resize{40, 12}, start)
			s.Handle(wire.Presence{Watching: 3}, start)
			s.Handle(Lost{"the hub does not answer: a reason that is much longer than a narrow terminal has room for", start.Add(4 * time.Second)}, start)
		},
		"ended": func(s *Screen) { s.Handle(Ended{wordExpired}, start) },
		"stale": func(s *Screen) {
			s.Handle(wire.Status{Worker: &wire.WorkerStatus{HeardMs: 9000, Stale: true}, Store: "up"}, start)
		},
		"store-down": func(s *Screen) { s.Handle(wire.Status{Store: "down"}, start) },
		"slow": func(s *Screen) {
			s.Handle(wire.Status{Delivery: &wire.DeliveryStatus{Step: "merged", Behind: 1200}}, start)
		},
		"presence": func(s *Screen) {
			s.Handle(Resize{120, 24}, start)
			s.Handle(wire.Presence{Watching: 5, People: []wire.Person{{Name: "Ann"}, {Name: "\x1b[31mBo\u202e"}, {}}}, start)
		},
		"gap":   func(s *Screen) { s.Handle(Update{View: busy, Seq: 4321, Snapshot: "unknown_position"}, start) },
		"help":  func(s *Screen) { s.Handle(Key("?"), start) },
		"small": func(s *Screen) { s.Handle(Resize{30, 8}, start) },
		"tiny":  func(s *Screen) { s.Handle(Resize{12, 3}, start) },
	} {
		t.Run(name, func(t *testing.T) {
			s := watching(busy, 80, 24)
			prepare(s)
			golden(t, "status/"+name, s.View(start.Add(2500*time.Millisecond)))
		})
	}
}

// busyRun has every state of a card, a queue, a notice and messages at once.
func busyRun() []view.Event {
	t := start.UnixMilli() - 60_000
	text := func(s string) *string { return &s }
	events := []view.Event{
		{Type: view.RunInfo, Title: "Why does the build fail?", Model: "openai:gpt"},
		{Type: view.Worker, State: view.WorkerLive},
		{Type: view.AgentStart}, {Type: view.TurnStart},
		{Type: view.MessageEnd, ID: "m1", Role: "user", Text: text("Why does the build fail? Look into the logs, please, and say what has to be done about it.")},
		{Type: view.MessageStart, ID: "m2", Role: "assistant"},
		{Type: view.MessageEnd, ID: "m2", Role: "assistant", Text: text("I look at four places at once."), Thinking: "Where could it be?\nIn the logs."},
		{Type: view.ToolStart, Key: "c1", ID: "a", Name: "bash", Args: `{"command":"make build"}`},
		{Type: view.ToolStart, Key: "c2", ID: "b", Name: "grep", Args: `{"pattern":"error","path":"build.log"}`},
		{Type: view.ToolStart, Key: "c3", ID: "c", Name: "read", Args: `{"path":"日本語/설명.md"}`},
		{Type: view.ToolStart, Key: "c4", ID: "d", Name: "scan", Args: `{}`},
		{Type: view.ToolStart, Key: "c5", ID: "e", Name: "fetch", Args: `{"url":"http://example.test"}`},
		{Type: view.ToolUpdate, Key: "c1", Text: text("compiling\nlinking")},
		{Type: view.ToolUpdate, Key: "c4", Text: text(""), Done: new(int64(3)), Total: new(int64(8))},
		{Type: view.ToolEnd, Key: "c3", Text: text("contents"), DurationMs: 400},
		{Type: view.ToolEnd, Key: "c2", Text: text("grep: build.log: No such file\nusage: grep"), IsError: true, DurationMs: 1200},
		{Type: view.NoticeEvent, Kind: "retry", Text: text("trying again in 2 s")},
		{Type: view.Queue, Steering: []string{"Look at CI too"}, FollowUp: []string{"Then write it down"}},
		{Type: view.MessageStart, ID: "m3", Role: "assistant"},
		{Type: view.TextDelta, ID: "m3", Delta: "While these run, "},
		{Type: view.CallDelta, Key: "c6", ID: "f", Name: "write", Delta: `{"path":"not`},
	}
	for i := range events {
		events[i].T = t + int64(i)*3000
	}
	return events
}
