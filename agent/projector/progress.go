package projector

import (
	"strings"
	"unicode/utf8"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/hub/view"
)

// progress is what a card shows of its running call.
type progress struct {
	// epoch is the one in which shown was said, plus one; 0: never.
	epoch int64
	shown string // the progress text in the view
	cut   bool   // shown is only the end of the tool's text
	text  growing
	rest  details
}

// toolUpdate says what changed since the last update: the text's growth while it
// only grew, else the whole of it.
func (p *Projector) toolUpdate(o *out, e *agent.ToolExecutionUpdate) {
	c := p.calls.forEvent(shortID(e.ToolCallID, p.limits.Name))
	if c == nil {
		o.add(view.Event{Type: view.ToolUpdate, Key: StrayKey})
		return
	}
	if c.state.over() {
		o.add(view.Event{Type: view.ToolUpdate, Key: c.key})
		return
	}
	g := &c.progress
	first := g.epoch != p.epoch+1
	g.epoch = p.epoch + 1
	before, was := g.rest, g.text.rest
	if string(e.Partial.Details) != g.rest.raw || first {
		g.rest = p.readDetails(e.Partial.Details)
	}
	grew := g.text.take(p.redactor, joinText(e.Partial.Content, agent.BlockText))
	c.hidden.progress, c.hidden.details = g.text.hidden(), g.rest.hidden

	u := view.Event{Type: view.ToolUpdate, Key: c.key, Redacted: c.redacted()}
	if grew && !first && !g.rest.drops(before) {
		if added := g.text.rest[len(was):]; len(g.shown)+len(added) <= p.limits.Progress {
			g.shown += added
			if p.fillAppend(&u, g, before, added) {
				o.add(u)
			}
			g.text.advance(p.redactor)
			return
		}
	}
	p.fillText(&u, g, was)
	o.add(u)
	g.text.advance(p.redactor)
}

// fillText makes u the whole progress.
func (p *Projector) fillText(u *view.Event, g *progress, was string) {
	text, cut := g.text.rest, false
	if g.text.settled > 0 {
		// The view has what came before the part that was redacted anew, as far
		// as anybody still sees it.
		if before, ok := strings.CutSuffix(g.shown, was); ok {
			text, cut = before+text, g.cut
		} else {
			cut = true
		}
	}
	if len(text) > p.limits.Progress {
		text, cut = tailLines(text, p.limits.ProgressTail), true
	}
	g.shown, g.cut = text, cut
	u.Text, u.Phase, u.Done, u.Total, u.Details = &text, g.rest.phase, g.rest.done, g.rest.total, g.rest.text
	u.Truncated = g.truncated()
}

// fillAppend makes u what is new, and tells whether anything is.
func (p *Projector) fillAppend(u *view.Event, g *progress, before details, added string) bool {
	news := added != ""
	if news {
		u.Append = &added
		if g.cut {
			u.Truncated = g.truncated()
		}
	}
	if g.rest.phase != before.phase {
		u.Phase, news = g.rest.phase, true
	}
	if !same(g.rest.done, before.done) {
		u.Done, news = g.rest.done, true
	}
	if !same(g.rest.total, before.total) {
		u.Total, news = g.rest.total, true
	}
	if g.rest.text != before.text || g.rest.cut != before.cut {
		u.Details, news = g.rest.text, true
		u.Truncated = g.truncated()
	}
	return news
}

func (g *progress) truncated() *view.Truncated {
	t := view.Truncated{Details: g.rest.cut}
	if g.cut {
		t.Progress = g.text.length()
	}
	if t == (view.Truncated{}) {
		return nil
	}
	return &t
}

func same(a, b *int64) bool { return a == b || a != nil && b != nil && *a == *b }

// growing is a text that is said anew as a whole each time, redacted without
// reading all of it again.
type growing struct {
	raw string
	// settled is how much of raw, whole lines, is not redacted anew; its clean
	// form has settledLen bytes and hides settledHidden secrets.
	settled                   int
	settledLen, settledHidden int64
	// rest is the clean form of what follows.
	rest       string
	restHidden int64
}

func (g *growing) length() int64 { return g.settledLen + int64(len(g.rest)) }
func (g *growing) hidden() int64 { return g.settledHidden + g.restHidden }

// take takes the text as it is now, and tells whether its clean form only grew.
func (g *growing) take(r *Redactor, raw string) bool {
	was, grew := g.rest, true
	if more, ok := strings.CutPrefix(raw, g.raw); !ok {
		*g, grew = growing{raw: repair(raw)}, false
	} else if utf8.ValidString(more) {
		g.raw = raw
	} else {
		g.raw += repair(more)
	}
	g.rest, g.restHidden = r.Text(g.raw[g.settled:])
	return grew && strings.HasPrefix(g.rest, was)
}

// advanceAfter is how much text is redacted anew, at most, with each update of
// a text that grows by lines.
const advanceAfter = 4 * kib

// advance settles whole lines. No secret goes over a line break, except keys
// in blocks: those stay until they have ended.
func (g *growing) advance(r *Redactor) {
	if len(g.raw)-g.settled < advanceAfter {
		return
	}
	end := strings.LastIndexByte(g.raw, '\n') + 1
	if end <= g.settled {
		return
	}
	lines := g.raw[g.settled:end]
	spans, _ := r.scan(lines, true)
	if n := len(spans); n > 0 && spans[n-1].edge == edgePEM {
		return
	}
	clean, hidden := splice(lines, spans)
	g.settled += len(lines)
	g.settledLen += int64(len(clean))
	g.settledHidden += hidden
	g.rest, g.restHidden = r.Text(g.raw[g.settled:])
}
