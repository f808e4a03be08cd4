package projector

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// details is what a result's details give: JSON text for the people who watch,
// and the three members that a card draws.
type details struct {
	raw         string
	text        string // clean, and cut to the limit
	cut         int64  // the clean text's length, if it was cut
	hidden      int64
	phase       string
	done, total *int64
}

// drops tells whether something that was said before is gone: only a whole
// update can take it back.
func (d *details) drops(before details) bool {
	return before.phase != "" && d.phase == "" || before.done != nil && d.done == nil ||
		before.total != nil && d.total == nil || before.text != "" && d.text == "" || before.cut > 0 && d.cut == 0
}

func (p *Projector) readDetails(raw json.RawMessage) details {
	d := details{raw: string(raw)}
	trimmed := strings.TrimSpace(repair(d.raw))
	if trimmed == "" || trimmed == "null" {
		return d
	}
	d.text, d.hidden = p.redactor.JSON(trimmed)
	if len(d.text) > p.limits.Details {
		d.cut = int64(len(d.text))
		d.text = head(d.text, p.limits.Details)
	}
	p.readMembers(&d, trimmed)
	return d
}

// readMembers reads phase, done and total, as far as text is an object.
func (p *Projector) readMembers(d *details, text string) {
	dec := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return
		}
		member := name.String()
		kind := dec.PeekKind()
		switch {
		case member == "phase" && kind == '"':
			if t, err := dec.ReadToken(); err == nil {
				d.phase = p.short(t.String())
			}
		case (member == "done" || member == "total") && kind == '0':
			t, err := dec.ReadToken()
			if err != nil {
				return
			}
			if f, err := t.Float(); err == nil && member == "done" {
				d.done = whole53(f)
			} else if err == nil {
				d.total = whole53(f)
			}
		default:
			if dec.SkipValue() != nil {
				return
			}
		}
	}
}

// whole53 returns f as an integer if it is one, not negative, and every reader
// holds it exactly; else nil.
func whole53(f float64) *int64 {
	if f < 0 || f > maxSafe || f != math.Trunc(f) {
		return nil
	}
	return new(int64(f))
}
