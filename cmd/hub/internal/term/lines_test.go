package term

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/hub/wire"
)

// What a pipe is told of every scenario of the fold.
func TestScenarioLines(t *testing.T) {
	for _, sc := range scenarios(t) {
		t.Run(sc.name, func(t *testing.T) {
			l := NewLines(time.UTC)
			var b strings.Builder
			for i := range sc.events {
				b.WriteString(l.Event(&sc.events[i]))
			}
			golden(t, "lines/"+sc.name, b.String())
			if want := fold(sc.events...); l.View().Hash() != want.Hash() {
				t.Error("what was told is not the run's view")
			}
		})
	}
}

// What ended while nobody listened is told with the snapshot; what goes on is
// not called settled.
func TestSnapshotLines(t *testing.T) {
	events := busyRun()
	l := NewLines(time.UTC)
	for i := range events[:12] {
		l.Event(&events[i])
	}
	got := l.Snapshot(fold(events...), 1234, "slow", start)
	for _, want := range []string{"snapshot at event 1 234 (the connection was too slow): running, turn 1", "read (c3) done after 0.4 s", "grep (c2) failed after 1.2 s: grep: build.log: No such file"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	if strings.Contains(got, "settled") || strings.Contains(got, "bash") {
		t.Errorf("tells too much: %q", got)
	}
}

func FuzzLines(f *testing.F) {
	hostile(f)
	f.Fuzz(func(t *testing.T, s string) {
		l := NewLines(time.UTC)
		for i := range hostileRun(s) {
			e := hostileRun(s)[i]
			for line := range strings.Lines(l.Event(&e)) {
				harmless(t, string(e.Type), strings.TrimSuffix(line, "\n"))
			}
		}
		note := l.Note(start, "%s", s)
		if harmless(t, "note", strings.TrimSuffix(note, "\n")); !strings.HasSuffix(note, "\n") {
			t.Fatalf("no line: %q", note)
		}
		harmless(t, "why", Why(errors.New(s)))
		table := RunsTable([]runlog.RunSummary{{Run: "r", Summary: view.Summary{Title: s, RunStatus: s, Outcome: s, Worker: s}}}, start, time.UTC)
		if harmless(t, "table", table, '\n'); strings.Count(table, "\n") != 2 {
			t.Fatalf("table: %q", table)
		}
		p := NewPicker(Config{})
		p.Handle(Resize{60, 8})
		p.Handle(wire.Runs{Full: true, Runs: []runlog.RunSummary{{Run: "r", Summary: view.Summary{Title: s, RunStatus: s}}}})
		p.Handle(Lost{Why: s})
		checkScreen(t, "picker", p.View(start), 60, 8)
	})
}

// Over only where an event said so.
func TestOver(t *testing.T) {
	for _, c := range []struct {
		name string
		v    view.View
		code int
		over bool
	}{
		{"nobody has prompted it", view.View{RunStatus: view.Idle, Worker: view.WorkerLive}, 0, false},
		{"nothing is known", view.View{}, 0, false},
		{"running", view.View{RunStatus: view.Running}, 0, false},
		{"the loop has ended, its host has not", view.View{RunStatus: view.Settling}, 0, false},
		{"will be tried again", view.View{RunStatus: view.Idle, Outcome: view.OutcomeRetrying, Worker: view.WorkerLive}, 0, false},
		{"finished", view.View{RunStatus: view.Idle, Outcome: view.OutcomeOK, Worker: view.WorkerLive}, ExitFinished, true},
		{"finished, and the worker left", view.View{RunStatus: view.Idle, Outcome: view.OutcomeOK, Worker: view.WorkerGone}, ExitFinished, true},
		{"failed", view.View{RunStatus: view.Idle, Outcome: view.OutcomeError}, ExitRunFailed, true},
		{"aborted", view.View{RunStatus: view.Idle, Outcome: view.OutcomeAborted}, ExitRunAborted, true},
		{"the worker is lost", view.View{RunStatus: view.Idle, Worker: view.WorkerLost}, ExitWorkerLost, true},
		{"the worker left before the end", view.View{RunStatus: view.Idle, Worker: view.WorkerGone}, ExitWorkerLost, true},
		{"lost while it was tried again", view.View{RunStatus: view.Idle, Outcome: view.OutcomeRetrying, Worker: view.WorkerLost}, ExitWorkerLost, true},
	} {
		if code, over := Over(&c.v); code != c.code || over != c.over {
			t.Errorf("%s: %d %v, want %d %v", c.name, code, over, c.code, c.over)
		}
	}
}

func someRuns() []runlog.RunSummary {
	return []runlog.RunSummary{
		{Run: "old", Summary: view.Summary{Title: "An old one", RunStatus: view.Idle, Outcome: view.OutcomeOK, Worker: view.WorkerGone, Turn: 3, LastAt: 1_600_000_000_000}, HeardMs: -1},
		{Run: "busy", Summary: view.Summary{Title: "日本語 \x1b[31mred", RunStatus: view.Running, Worker: view.WorkerLive, Turn: 12, Tools: map[string]int64{view.CardRunning: 3, view.Preparing: 1, view.Done: 7}, Errors: 2, LastAt: start.UnixMilli()}, HeardMs: 100},
		{Run: "stale", Summary: view.Summary{RunStatus: view.Running, Worker: view.WorkerLive, LastAt: start.UnixMilli() - 5000}, HeardMs: 20_000},
		{Run: "failed", Summary: view.Summary{Title: strings.Repeat("long ", 100), RunStatus: view.Idle, Outcome: view.OutcomeError, Worker: view.WorkerLost, Turn: 1, LastAt: start.UnixMilli() - 60_000}, HeardMs: -1},
	}
}

func TestRunsTable(t *testing.T) {
	runs := someRuns()
	SortRuns(runs)
	golden(t, "runs/table", RunsTable(runs, start, time.UTC))
}

func TestPicker(t *testing.T) {
	p := NewPicker(Config{})
	p.Handle(Resize{90, 8})
	golden(t, "runs/picker-connecting", p.View(start))
	p.Handle(Connected{})
	p.Handle(wire.Runs{Full: true})
	golden(t, "runs/picker-empty", p.View(start))
	p.Handle(Key("enter"))
	if p.Picked() != "" {
		t.Error("picked from an empty list")
	}
	p.Handle(wire.Runs{Full: true, Runs: someRuns()})
	p.Handle(Key("j"))
	golden(t, "runs/picker", p.View(start))
	// Rows do not move under who moves among them.
	moved := someRuns()[0]
	moved.RunStatus, moved.LastAt = view.Running, start.UnixMilli()+1000
	p.Handle(wire.Runs{Runs: []runlog.RunSummary{moved, {Run: "new", HeardMs: 1}}, Gone: []string{"failed"}})
	p.Handle(Lost{"gone", start.Add(3 * time.Second)})
	golden(t, "runs/picker-moved", p.View(start))
	p.Handle(Key("enter"))
	if p.Picked() != "stale" {
		t.Errorf("picked %q", p.Picked())
	}
	many := NewPicker(Config{Run: "r777"})
	var list []runlog.RunSummary
	for i := range 1000 {
		list = append(list, runlog.RunSummary{Run: fmt.Sprintf("r%d", i)})
	}
	many.Handle(wire.Runs{Full: true, Runs: list})
	for _, size := range []Resize{{0, 0}, {1, 1}, {5, 2}, {30, 3}, {80, 4}, {80, 24}, {200, 60}} {
		many.Handle(size)
		got := many.View(start)
		checkScreen(t, fmt.Sprint(size), got, size.W, size.H)
		if size.H > 3 && !strings.Contains(got, "r777") {
			t.Errorf("%v: the selected run is not shown", size)
		}
	}
	many.Handle(Key("q"))
	if !many.Quit() {
		t.Error("q does not quit")
	}
}

// What is typed after / finds runs by id and title, and Enter takes the one that
// is selected; q and j are letters then.
func TestPickerFind(t *testing.T) {
	p := NewPicker(Config{Run: "r77"})
	p.Handle(Resize{80, 8})
	var list []runlog.RunSummary
	for i := range 100 {
		list = append(list, runlog.RunSummary{Run: fmt.Sprintf("r%d", i), Summary: view.Summary{Title: fmt.Sprintf("\x1b[31mJob Q%d", i)}})
	}
	p.Handle(wire.Runs{Full: true, Runs: list})
	press := func(keys ...Key) {
		for _, k := range keys {
			p.Handle(k)
			checkScreen(t, string(k), p.View(start), 80, 8)
		}
	}
	press("/", "j", "o", "b", "space", "q", "4")
	golden(t, "runs/picker-found", p.View(start))
	if p.Quit() {
		t.Error("q ended the list while something was typed")
	}
	press("x")
	golden(t, "runs/picker-not-found", p.View(start))
	press("enter")
	if p.Picked() != "" {
		t.Errorf("picked %q of none", p.Picked())
	}
	press("backspace", "\u202e", "1", "enter")
	if p.Picked() != "r41" {
		t.Errorf("picked %q, want r41", p.Picked())
	}
	press("esc", "esc")
	if !p.Quit() {
		t.Error("Esc does not quit once nothing is typed")
	}
}

func TestWhy(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&wire.RefusedError{Run: "r", Code: wire.CodeUnknownRun, Message: "x"}, wordUnknownRun},
		{&wire.RefusedError{Run: "r", Code: wire.CodeForbidden, Message: "x"}, wordForbidden},
		{&wire.CloseError{Code: wire.CloseToken}, wordExpired},
		{&wire.CloseError{Code: wire.CloseLost}, "connection lost"},
		{&wire.CloseError{Code: wire.CloseDraining, Reason: "\x1b[31mbye"}, "bye"},
		{fmt.Errorf("%w: connection refused", runlog.ErrUnavailable), "the hub does not answer: connection refused"},
		{
			fmt.Errorf("%w: %w", runlog.ErrUnavailable, &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv6loopback, Port: 1}, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}),
			"the hub does not answer: connection refused",
		},
		{
			fmt.Errorf("%w: %w", runlog.ErrUnavailable, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "hub.test"}}),
			"the hub does not answer: lookup hub.test: no such host",
		},
		{fmt.Errorf("%w: no answer within 10s", runlog.ErrUnavailable), "the hub does not answer: no answer within 10s"},
		{errors.New("\x1b]0;x\x07other"), "other"},
	} {
		if got := Why(c.err); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}

// A run's time is its worker's: a recorded or skewed one does not count wrong.
func TestRunClock(t *testing.T) {
	var c runClock
	old := fold(view.Event{Type: view.AgentStart, T: 1000}, view.Event{Type: view.TurnStart, T: 1000})
	c.joined(old, start)
	if got := c.at(start.Add(2 * time.Second)); got != 3000 {
		t.Errorf("a recorded run: %d, want 3000", got)
	}
	c.heard(start.UnixMilli()-7000, start)
	if got := c.at(start.Add(time.Second)); got != start.UnixMilli()-6000 {
		t.Errorf("after an event: %d", got)
	}
	c.stop(start.Add(time.Second))
	if got := c.at(start.Add(time.Minute)); got != start.UnixMilli()-6000 {
		t.Errorf("a clock whose link is lost goes on: %d", got)
	}
	c.run()
	if got := c.at(start.Add(time.Minute)); got != start.UnixMilli()+53_000 {
		t.Errorf("the link is back: %d", got)
	}
}
