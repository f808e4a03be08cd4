package term

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ringside-hub/ringside/hub/view"
)

// What a long output shows: its beginning and its end.
const (
	firstLines = 3
	lastLines  = 200
)

// body returns what an open card shows under its row.
func (c card) body() []line {
	t := c.t
	b := bodyLines{prefix: line{text(roleFaint, strings.Repeat(" ", c.indent()+2)+"| ")}}
	b.w = max(1, c.w-b.prefix.width())
	settled := t.Status == view.Done || t.Status == view.Failed
	switch {
	case settled:
		name, role := "Output", rolePlain
		if t.Status == view.Failed {
			name, role = "Error", roleErr
		}
		b.block(name, cmp.Or(t.ResultText, wordNoOutput), role, cutFact(t, func(c *view.Truncated) int64 { return c.Result }, t.ResultText))
		if t.Output && c.hub != "" {
			b.row(roleFaint, fmt.Sprintf("The whole output: %s/api/runs/%s/tools/%s/output", c.hub, c.run, t.Key))
		}
	case t.ProgressText != "":
		b.block("Progress", t.ProgressText, rolePlain, cutFact(t, func(c *view.Truncated) int64 { return c.Progress }, t.ProgressText))
	}
	if t.Conflict != nil {
		role := rolePlain
		if t.Conflict.IsError {
			role = roleErr
		}
		b.block("Second result", cmp.Or(t.Conflict.Text, wordNoOutput), role, "")
	}
	if t.RawArgs == "" {
		b.row(roleFaint, wordNoArgs)
	} else {
		facts := wordArgsRaw
		if cut := cutFact(t, func(c *view.Truncated) int64 { return c.Args }, t.RawArgs); cut != "" {
			facts += ", " + cut
		}
		b.block("Arguments", pretty(t.RawArgs), roleDim, facts)
	}
	if t.Details != "" {
		b.block("Details", pretty(t.Details), roleDim, cutFact(t, func(c *view.Truncated) int64 { return c.Details }, t.Details))
	}
	b.foot(c)
	return b.lines
}

// cutFact says how much of a part is shown, where it was cut.
func cutFact(t *view.Tool, of func(*view.Truncated) int64, shown string) string {
	if t.Truncated == nil || of(t.Truncated) <= int64(len(shown)) {
		return ""
	}
	return fmt.Sprintf("showing %s of %s", bytesText(len(shown)), bytesText(of(t.Truncated)))
}

type bodyLines struct {
	prefix line
	w      int
	lines  []line
}

func (b *bodyLines) row(r role, s string) {
	b.lines = append(b.lines, spread(r, b.prefix, wrap(s, b.w))...)
}

// block is a titled text. The middle of a long one is left out, and that is said.
func (b *bodyLines) block(title, body string, r role, facts string) {
	head := append(append(line{}, b.prefix...), text(roleStrong, title))
	if facts != "" {
		head = append(head, text(roleFaint, " ("+facts+")"))
	}
	b.lines = append(b.lines, head)
	rows := wrap(strings.TrimRight(body, "\n"), b.w)
	if hidden := len(rows) - firstLines - lastLines; hidden > 1 {
		b.lines = append(b.lines, spread(r, b.prefix, rows[:firstLines])...)
		b.row(roleFaint, "… "+count(hidden, "line", "lines")+" hidden …")
		rows = rows[firstLines+hidden:]
	}
	b.lines = append(b.lines, spread(r, b.prefix, rows)...)
}

// foot has the small facts.
func (b *bodyLines) foot(c card) {
	t := c.t
	var attachments []string
	for _, a := range t.Attachments[:min(len(t.Attachments), 20)] {
		mime := a.MimeType
		if mime == "" {
			mime = "?"
		}
		attachments = append(attachments, mime+" "+bytesText(a.Bytes))
	}
	if len(attachments) > 0 {
		b.row(roleFaint, "Attachments: "+strings.Join(attachments, ", "))
	}
	facts := []string{shorten(cmp.Or(t.ID, t.Key), 60)}
	if t.Label != "" && t.Name != "" {
		facts = append(facts, shorten(t.Name, 60))
	}
	if t.Late {
		facts = append(facts, wordLate)
	}
	if t.Redacted > 0 {
		facts = append(facts, count(t.Redacted, "value", "values")+" hidden")
	}
	if t.EndedAt > 0 {
		facts = append(facts, "ended "+shortTime(t.EndedAt, c.at, c.loc))
	}
	b.row(roleFaint, strings.Join(facts, ", "))
}
