package projector_test

import (
	"strings"
	"testing"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/projector"
	"github.com/ringside-hub/ringside/hub/view"
)

func TestIdle(t *testing.T) {
	var (
		start, settled = agent.AgentStart{}, agent.Settled{}
		end, retry     = agent.AgentEnd{}, agent.AgentEnd{WillRetry: true}
		aborted        = assistantEnd(agent.StopAborted)
	)
	for _, c := range []struct {
		name   string
		events []agent.Event
		want   string // the lifecycle events, with Close at the end
	}{
		{"settled", []agent.Event{start, end, settled}, "start end idle"},
		{"settled twice", []agent.Event{start, end, settled, settled}, "start end idle"},
		{"settled, next", []agent.Event{start, end, settled, start, end, settled}, "start end idle start end idle"},
		{"old Pi", []agent.Event{start, end, start, end}, "start end idle start end idle"},
		{"old Pi, retry", []agent.Event{start, retry, start, end}, "start retry start end idle"},
		{"retry at the end", []agent.Event{start, retry}, "start retry idle"},
		{"retry, settled", []agent.Event{start, retry, start, end, settled}, "start retry start end idle"},
		{"cut off", []agent.Event{start}, "start"},
		{"settled without an end", []agent.Event{start, settled}, "start idle"},
		{"settled alone", []agent.Event{settled, settled}, "idle"},
		{"aborted, told", []agent.Event{start, end, agent.Settled{Aborted: true}}, "start end aborted"},
		{"aborted, seen", []agent.Event{start, aborted, end}, "start end aborted"},
		{"aborted, seen, settled", []agent.Event{start, aborted, end, settled, start, end}, "start end aborted start end idle"},
		{"aborted, then not", []agent.Event{start, aborted, assistantEnd(agent.StopStop), end}, "start end idle"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDrive(t, projector.Config{})
			var got []string
			for _, e := range append(d.do(c.events...), d.close()...) {
				switch {
				case e.Type == view.AgentStart:
					got = append(got, "start")
				case e.Type == view.AgentEnd && e.WillRetry:
					got = append(got, "retry")
				case e.Type == view.AgentEnd:
					got = append(got, "end")
				case e.Type == view.AgentIdle && e.Aborted:
					got = append(got, "aborted")
				case e.Type == view.AgentIdle:
					got = append(got, "idle")
				}
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("got %q, want %q", s, c.want)
			}
		})
	}
}

func TestRunInfo(t *testing.T) {
	r := projector.NewRedactor(projector.RedactConfig{Home: "/home/ada", Cwd: "/home/ada/demo"})
	d := newDrive(t, projector.Config{Source: "pi", Redactor: r})
	info := agent.SessionInfo{ID: "s", Cwd: "/home/ada/demo", Provider: "fake", Model: "one"}
	want(t, d.do(info, info), `{"type":"run_info","source":"pi","model":"fake/one","cwd":"~/demo"}`)
}

func TestRunInfoIsSaidOnce(t *testing.T) {
	d := newDrive(t, projector.Config{Source: "pi"})
	want(t, d.do(agent.AgentStart{}, agent.AgentStart{}), `{"type":"run_info","source":"pi"}`, `{"type":"agent_start"}`, `{"type":"agent_start"}`)
	d.do(userSays("first")...)
	with := func(model string) agent.Event {
		return agent.MessageStart{Message: agent.Message{Role: agent.RoleAssistant, Model: model}}
	}
	want(t, d.do(with("a"), with("a"), with(""), with("b"))[0:1], `{"type":"run_info","model":"a"}`)
	if got := *d.v.Run; got.Model != "b" || got.Title != "first" || got.Source != "pi" {
		t.Errorf("%+v", got)
	}
	want(t, d.do(agent.SessionInfo{Title: "named"}), `{"type":"run_info","title":"named"}`)
	// What a snapshot knows is not said again.
	again := newDrive(t, projector.Config{Source: "pi", Run: *d.v.Run})
	want(t, again.do(agent.SessionInfo{Model: "b"}))
	want(t, again.do(userSays("second")...)[2:])
}

func TestTitleIsBounded(t *testing.T) {
	d := newDrive(t, projector.Config{})
	e := d.do(userSays(strings.Repeat("ü", 500) + "\nmore")...)
	if title := e[2].Title; title != strings.Repeat("ü", 120) {
		t.Errorf("title %q", title)
	}
}

func TestTurnEnd(t *testing.T) {
	d := newDrive(t, projector.Config{})
	with := func(u *agent.Usage) agent.Event {
		return agent.TurnEnd{Message: agent.Message{StopReason: agent.StopStop, Usage: u}}
	}
	want(t, d.do(with(&agent.Usage{Input: 900, Output: 120, Total: 1020, Cost: 42, CacheRead: -5})),
		`{"type":"turn_end","stopReason":"stop","usage":{"input":900,"output":120,"total":1020,"cost":42}}`)
	want(t, d.do(with(&agent.Usage{}), with(nil)), `{"type":"turn_end","stopReason":"stop"}`, `{"type":"turn_end","stopReason":"stop"}`)
}

func TestNoticesAndQueues(t *testing.T) {
	d := newDrive(t, projector.Config{})
	e := d.do(agent.Notice{Kind: "info", Text: "key ghp_" + strings.Repeat("a1", 18) + strings.Repeat(" é", 1000)})[0]
	if len(*e.Text) > 1<<10 || e.Truncated == nil || e.Redacted != 1 || strings.Contains(*e.Text, "a1a1") {
		t.Errorf("notice of %d bytes, truncated %+v, redacted %d", len(*e.Text), e.Truncated, e.Redacted)
	}
	want(t, d.do(agent.QueueUpdate{Steering: []string{"stop"}, FollowUp: []string{"then", "sk-ant-abcdefghijklmnop1"}}),
		`{"type":"queue","steering":["stop"],"followUp":["then","[redacted:anthropic-key]"]}`)
	want(t, d.do(agent.QueueUpdate{}), `{"type":"queue"}`)
}

func TestTimesAreClamped(t *testing.T) {
	p := projector.New(projector.Config{})
	for _, at := range []int64{-1, 1 << 62} {
		for _, e := range p.Project(at, agent.AgentStart{}).Events {
			roundTrip(t, &e)
		}
	}
}
