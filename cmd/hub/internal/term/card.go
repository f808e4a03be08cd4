package term

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/hub/view"
)

// narrow is the width below which what a card says takes a row of its own.
const narrow = 64

// card draws one card. The scene is what it is drawn in.
type card struct {
	*scene
	*block
	t *view.Tool
}

func (s *scene) card(b *block) card { return card{s, b, b.tool} }

// indent is the columns in front of the glyph, deeper calls further in.
func (c card) indent() int { return 2 + 2*min(c.depth, 8) }

// rows is how many rows the card has while it is closed.
func (c card) rows() int {
	n := 1
	if c.second() {
		n++
	}
	return n
}

// second says that the card has a second row.
func (c card) second() bool {
	t := c.t
	switch t.Status {
	case view.Failed:
		return !c.open[c.id]
	case view.CardRunning: // where it has more to say than that
		return c.w < narrow && (t.Total > 0 || t.Done > 0 || t.Phase != "" || t.ProgressText != "")
	}
	return c.w < narrow && t.Status != view.Done
}

// draw returns the card's rows.
func (c card) draw(chosen bool) []line {
	look := stateOf(c.t.Status)
	lead := strings.Repeat(" ", c.indent())
	if chosen {
		lead = ">" + lead[1:]
	}
	left := line{text(roleStrong, lead), text(look.role, look.glyph), text(rolePlain, " "), text(roleStrong, shorten(c.name(), max(8, c.w/3)))}
	if args := oneLine(c.t.RawArgs); args != "" {
		left = append(left, text(roleDim, "  "+args))
	}
	says := c.says(look)
	right := line{}
	if c.w >= narrow || c.t.Status == view.Done {
		right = append(right, says...)
	} else { // what it says is in the second row, or in the open card
		right = append(right, text(look.role, look.word))
	}
	if c.inside > 0 {
		right = append(right, text(roleFaint, "  "+grouped(c.inside)+" inside"))
	}
	if d := c.time(); d != "" {
		right = append(right, text(roleDim, "  "+pad(d, 6)))
	}
	rows := []line{join(left, right, c.w, c.indent()+14)}
	if c.second() {
		under := strings.Repeat(" ", c.indent()+2)
		if c.t.Status == view.Failed {
			first := headline(c.t.ResultText)
			if first == "" {
				first = wordNoOutput
			}
			rows = append(rows, line{text(roleErr, under+first)}.clean())
		} else {
			words := append(line{text(rolePlain, under)}, says...)
			words[1].text = strings.TrimPrefix(words[1].text, look.word+", ") // it is above
			rows = append(rows, words)
		}
	}
	return rows
}

func (c card) name() string {
	for _, s := range []string{c.t.Label, c.t.Name} {
		if s = strings.TrimSpace(Safe(s)); s != "" {
			return s
		}
	}
	return wordUnnamed
}

// says is what the card says about itself, in words that claim no more than is
// known.
func (c card) says(look stateLook) line {
	t := c.t
	word := line{text(look.role, look.word)}
	switch t.Status {
	case view.Composing:
		if !c.writing(t) {
			return line{text(look.role, wordWritten)}
		}
		return line{text(look.role, wordComposing)}
	case view.Preparing:
		if t.StartedAt > 0 && c.at-t.StartedAt >= 1000 {
			return line{text(look.role, wordNoProgress)}
		}
	case view.CardRunning:
		return c.progress(look)
	case view.Lost:
		return line{text(look.role, lostWord(t.Cause, shortTime(t.EndedAt, c.at, c.loc)))}
	case view.Skipped:
		return line{text(look.role, wordSkipped)}
	case view.Done, view.Failed:
		switch {
		case t.Conflict != nil:
			return append(word, text(roleErr, ", "+wordConflict))
		case t.Late:
			return append(word, text(roleIdle, ", "+wordLate))
		case c.finish != "":
			finish := c.finish
			if c.w < narrow {
				finish, _, _ = strings.Cut(finish, " ")
			}
			return append(word, text(roleFaint, ", "+finish))
		}
	}
	return word
}

// progress is what a running call reports. A bar only where a total is known.
func (c card) progress(look stateLook) line {
	t := c.t
	says := line{text(look.role, look.word)}
	if t.Total > 0 {
		of := grouped(t.Done) + " of " + grouped(t.Total)
		return append(says, text(roleRun, "  "+bar(t.Done, t.Total, max(4, min(16, c.w/8)))), text(roleDim, " "+of))
	}
	word := strings.TrimSpace(Safe(clipBytes(t.Phase, 1000)))
	if word == "" {
		word = lastLine(t.ProgressText)
	}
	if word == "" && t.Done > 0 {
		word = grouped(t.Done)
	}
	if word == "" || word == look.word {
		return says
	}
	return append(says, text(roleDim, "  "+shorten(word, max(10, c.w/3))))
}

// bar is n columns wide. It is full only when all is done.
func bar(done, total int64, n int) string {
	full := int(float64(min(max(done, 0), total)) / float64(total) * float64(n))
	return strings.Repeat("█", full) + strings.Repeat("░", n-full)
}

// time is how long the call took, or has taken so far.
func (c card) time() string {
	t := c.t
	switch {
	case t.Status == view.Composing || t.Status == view.Skipped:
		return ""
	case t.DurationMs > 0:
		return duration(t.DurationMs)
	case t.StartedAt <= 0:
		return ""
	case t.EndedAt > 0:
		return duration(t.EndedAt - t.StartedAt)
	}
	return ticking(c.at - t.StartedAt)
}

func pad(s string, n int) string { return strings.Repeat(" ", max(0, n-width(s))) + s }

// oneLine says most of the arguments in one line: a command alone where there is
// one, else the raw text.
func oneLine(rawArgs string) string {
	s := rawArgs
	if strings.Contains(s, `"command"`) {
		var a struct {
			Command *string `json:"command"`
		}
		if json.Unmarshal([]byte(s), &a, jsontext.AllowDuplicateNames(true)) == nil && a.Command != nil {
			s = *a.Command
		}
	}
	return strings.Join(strings.Fields(Safe(clipBytes(s, 2000))), " ")
}

// pretty lays JSON out over several lines: only space between its tokens
// changes. What is no JSON stays as it is.
func pretty(s string) string {
	v := jsontext.Value(s)
	if err := v.Indent(jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true), jsontext.WithIndent("  ")); err != nil {
		return s
	}
	return string(v)
}
