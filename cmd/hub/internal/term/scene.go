package term

import (
	"fmt"
	"strings"
	"time"

	"github.com/ringside-hub/ringside/hub/view"
)

// scene is what blocks are drawn in. Heights come from it too, so that what is
// counted is what is drawn.
type scene struct {
	w        int
	at       int64 // the run's time
	loc      *time.Location
	run, hub string
	// active is the message that is being written, nil for none.
	active   *view.Active
	open     map[string]bool
	thinking bool // shown in full

	// wrapped keeps the rows of texts: entities never change, so they are found
	// by their address. older are those from before the last layout: what that
	// did not want again is forgotten with the next.
	wrapped, older map[any][]line
	// drawn counts the blocks that were drawn or wrapped.
	drawn int
}

// writing says that the model still writes the call, as far as is known.
func (s *scene) writing(t *view.Tool) bool { return s.active != nil && s.active.Turn == t.Turn }

// height is how many rows the block has.
func (s *scene) height(b *block) int {
	switch {
	case b.tool != nil:
		n := s.card(b).rows()
		if s.open[b.id] {
			n += len(s.keep(bodyOf{b.tool}, func() []line { return s.card(b).body() }))
		}
		return n
	case b.heading != nil:
		return 2
	case b.message != nil, b.active != nil, b.notice != nil:
		return len(s.prose(b))
	}
	return 1
}

// bodyOf is the key of an open card's rows.
type bodyOf struct{ t *view.Tool }

func (s *scene) keep(key any, make func() []line) []line {
	if rows, ok := s.wrapped[key]; ok {
		return rows
	}
	rows, ok := s.older[key]
	if !ok {
		s.drawn++
		rows = make()
	}
	s.wrapped[key] = rows
	return rows
}

// age makes the rows that are kept the older ones; forget drops them all.
func (s *scene) age()    { s.older, s.wrapped = s.wrapped, make(map[any][]line, len(s.wrapped)) }
func (s *scene) forget() { s.older, s.wrapped = nil, map[any][]line{} }

// draw returns the block's rows.
func (s *scene) draw(b *block, chosen bool) []line {
	s.drawn++
	lead := "  "
	if chosen {
		lead = "> "
	}
	switch {
	case b.tool != nil:
		rows := s.card(b).draw(chosen)
		if s.open[b.id] {
			rows = append(rows, s.keep(bodyOf{b.tool}, func() []line { return s.card(b).body() })...)
		}
		return rows
	case b.heading != nil:
		return []line{{}, s.heading(b.heading)}
	case b.message != nil, b.active != nil, b.notice != nil:
		return s.prose(b)
	}
	return []line{{text(roleStrong, lead), text(roleFaint, b.words)}}
}

// heading is "Turn 4 · 6 tools in parallel · 4 running, 1 preparing".
func (s *scene) heading(h *heading) line {
	var facts []string
	if n := len(h.cards); n > 0 {
		if overlap(h.cards) {
			facts = append(facts, grouped(n)+" tools in parallel")
		} else {
			facts = append(facts, count(n, "tool", "tools"))
		}
		states := countStates(h.cards)
		if len(states) > 1 || h.turn != nil && h.turn.EndedAt == 0 {
			facts = append(facts, strings.Join(states, ", "))
		}
	}
	if t := h.turn; t != nil && t.EndedAt > 0 && t.StartedAt > 0 {
		facts = append(facts, duration(t.EndedAt-t.StartedAt))
	}
	l := line{text(roleStrong, "Turn "+grouped(h.number))}
	if len(facts) > 0 {
		l = append(l, text(roleFaint, " · "+strings.Join(facts, " · ")))
	}
	return l
}

func countStates(cards []*view.Tool) []string {
	n := map[string]int{}
	for _, t := range cards {
		n[t.Status]++
	}
	var states []string
	for _, status := range countOrder {
		if n[status] > 0 {
			states = append(states, fmt.Sprintf("%s %s", grouped(n[status]), stateOf(status).word))
		}
	}
	return states
}

// proseWidth is the most columns a message is wide: longer lines are hard to
// read.
const proseWidth = 96

// prose returns the rows of a message or notice.
func (s *scene) prose(b *block) []line {
	switch {
	case b.message != nil:
		return s.keep(b.message, func() []line { return s.message(b.message) })
	case b.active != nil:
		return s.keep(b.active, func() []line { return s.writingMessage(b.active) })
	}
	return s.keep(b.notice, func() []line { return s.notice(b.notice) })
}

// bubble is a message's rows: who, and a rule beside the text.
func (s *scene) bubble(who string, r role) bodyLines {
	b := bodyLines{prefix: line{text(r, "  | ")}}
	b.w = max(1, min(proseWidth, s.w-b.prefix.width()))
	b.lines = append(b.lines, line{text(roleFaint, "  "+who)})
	return b
}

func (s *scene) message(m *view.Message) []line {
	who, rule := "Assistant", roleFaint
	if m.Role == "user" {
		who, rule = "User", roleRun
	}
	b := s.bubble(who, rule)
	s.thoughts(&b, m.Thinking, false)
	if m.Text != "" {
		b.row(rolePlain, strings.Trim(m.Text, "\n"))
	}
	if stop := stopWord(m.StopReason); stop != "" || m.Error != "" {
		r := roleErr
		if m.StopReason == "length" || m.StopReason == "aborted" || m.StopReason == "lost" {
			r = rolePrep
		}
		b.row(r, strings.Join(nonEmpty(stop, m.Error), ", "))
	}
	var marks []string
	if m.Truncated != nil && m.Truncated.Text > 0 {
		marks = append(marks, "cut: the whole text has "+bytesText(m.Truncated.Text))
	}
	if m.Redacted > 0 {
		marks = append(marks, count(m.Redacted, "value", "values")+" hidden")
	}
	if len(marks) > 0 {
		b.row(roleFaint, strings.Join(marks, ", "))
	}
	return b.lines
}

func (s *scene) writingMessage(a *view.Active) []line {
	b := s.bubble("Assistant, writing", roleFaint)
	s.thoughts(&b, a.Thinking, a.Text == "")
	if a.Text != "" {
		b.row(rolePlain, strings.TrimLeft(a.Text, "\n"))
	}
	if a.Text == "" && a.Thinking == "" {
		b.row(roleFaint, "…")
	}
	return b.lines
}

// thoughts is what the model thought: one row until someone asks.
func (s *scene) thoughts(b *bodyLines, thinking string, live bool) {
	switch {
	case thinking == "":
	case s.thinking:
		b.row(roleFaint, "Thinking:")
		b.row(roleFaint, strings.Trim(thinking, "\n"))
	case live:
		b.lines = append(b.lines, append(append(line{}, b.prefix...), text(roleFaint, shorten("Thinking: "+lastLine(thinking), b.w))))
	default:
		b.lines = append(b.lines, append(append(line{}, b.prefix...), text(roleFaint, shorten("Thinking: "+headline(thinking), b.w))))
	}
}

func (s *scene) notice(n *view.Notice) []line {
	b := bodyLines{prefix: line{text(roleFaint, "  - ")}}
	b.w = max(1, s.w-b.prefix.width())
	words := strings.Join(nonEmpty(strings.ReplaceAll(n.Kind, "_", " "), n.Text), ": ")
	if n.Redacted > 0 {
		words += " (" + count(n.Redacted, "value", "values") + " hidden)"
	}
	b.row(roleDim, words)
	return b.lines
}

func nonEmpty(list ...string) []string {
	var out []string
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}
