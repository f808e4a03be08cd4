package runlogtest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/ringside-hub/ringside/hub/view"
)

// Script makes an endless, plausible and repeatable sequence of events: turns
// with streamed messages and parallel tools. Not safe for concurrent use.
type Script struct {
	rnd   *rand.Rand
	t     int64
	calls int64
	msgs  int64

	todo []view.Event
	open []string
}

// NewScript returns the script of a seed.
func NewScript(seed uint64) *Script {
	return &Script{rnd: rand.New(rand.NewPCG(seed, 1)), t: 1_700_000_000_000}
}

// Continue makes the script's keys and ids go on after those of v, as a worker
// does that takes a run over.
func (s *Script) Continue(v *view.View) {
	for key := range v.Tools {
		s.calls = max(s.calls, number(key))
	}
	for _, item := range v.Timeline {
		if item.Kind == view.KindMessage {
			s.msgs = max(s.msgs, number(item.Key))
		}
	}
	s.todo, s.open = nil, nil
}

func number(key string) (n int64) {
	fmt.Sscanf(key[1:], "%d", &n)
	return n
}

// Next returns the next event.
func (s *Script) Next() view.Event {
	s.t += s.rnd.Int64N(20)
	if len(s.todo) == 0 {
		s.plan()
	}
	// Running tools speak at any time.
	if len(s.open) > 0 && s.rnd.IntN(3) > 0 {
		return s.tool()
	}
	e := s.todo[0]
	if e.Type == view.TurnEnd && len(s.open) > 0 && s.rnd.IntN(10) > 0 {
		return s.tool()
	}
	s.todo = s.todo[1:]
	e.T = s.t
	if e.Type == view.ToolStart {
		s.open = append(s.open, e.Key)
	}
	if e.Type == view.TurnEnd {
		s.open = nil
	}
	return e
}

// plan lays out one prompt of one turn.
func (s *Script) plan() {
	add := func(e view.Event) { s.todo = append(s.todo, e) }
	s.msgs += 2
	user, answer := fmt.Sprintf("m%d", s.msgs-1), fmt.Sprintf("m%d", s.msgs)
	add(view.Event{Type: view.AgentStart})
	add(view.Event{Type: view.MessageEnd, ID: user, Role: "user", Text: new(s.words(6))})
	add(view.Event{Type: view.TurnStart})
	add(view.Event{Type: view.MessageStart, ID: answer, Role: "assistant"})
	var text strings.Builder
	for range 1 + s.rnd.IntN(8) {
		w := s.words(3)
		text.WriteString(w)
		add(view.Event{Type: view.TextDelta, ID: answer, Delta: w})
	}
	add(view.Event{Type: view.MessageEnd, ID: answer, Role: "assistant", Text: new(text.String()), StopReason: "toolUse"})
	for range s.rnd.IntN(4) {
		s.calls++
		key := fmt.Sprintf("c%d", s.calls)
		add(view.Event{Type: view.ToolStart, Key: key, ID: "call_" + key, Name: "bash", Args: `{"command":"ls"}`})
	}
	add(view.Event{Type: view.TurnEnd, StopReason: "stop", Usage: &view.Usage{Input: s.rnd.Int64N(1000)}})
	if s.rnd.IntN(4) == 0 {
		add(view.Event{Type: view.NoticeEvent, Kind: "info", Text: new(s.words(4))})
	}
	add(view.Event{Type: view.AgentEnd})
	add(view.Event{Type: view.AgentIdle})
}

// tool lets one of the running tools say something, or end.
func (s *Script) tool() view.Event {
	i := s.rnd.IntN(len(s.open))
	e := view.Event{T: s.t, Key: s.open[i], Type: view.ToolUpdate}
	switch s.rnd.IntN(4) {
	case 0:
		e.Text = new(s.words(5))
		e.Done, e.Total = new(s.rnd.Int64N(10)), new(int64(10))
	case 1, 2:
		e.Append = new(s.words(2))
	case 3:
		e.Type, e.Text = view.ToolEnd, new(s.words(8))
		e.IsError, e.DurationMs = s.rnd.IntN(5) == 0, s.rnd.Int64N(5000)
		s.open = append(s.open[:i:i], s.open[i+1:]...)
	}
	return e
}

func (s *Script) words(n int) string {
	var b strings.Builder
	for range n {
		b.WriteString([]string{"alpha ", "бета ", "🚀 ", "<b>", "\u2028", "\"q\" ", "x"}[s.rnd.IntN(7)])
	}
	return b.String()
}
