package term

import (
	"strings"
	"unicode/utf8"
)

// maxTyped bounds, in bytes, what is looked for.
const maxTyped = 64

// typeKey is a key while something is typed to look for. It returns whether that
// was all: keys that do not type move as ever.
func (p *Picker) typeKey(k string) bool {
	if k == "space" {
		k = " "
	}
	switch {
	case k == "esc", k == "backspace" && p.typed == "":
		p.typing, p.typed = false, ""
	case k == "backspace":
		_, n := utf8.DecodeLastRuneInString(p.typed)
		p.typed = p.typed[:len(p.typed)-n]
	case k == "ctrl+u":
		p.typed = ""
	case utf8.RuneCountInString(k) == 1 && len(p.typed)+len(k) <= maxTyped:
		p.typed += Safe(k)
	default:
		return utf8.RuneCountInString(k) == 1
	}
	p.narrow()
	return true
}

// narrow shows the runs that have what was typed in their id or title; upper and
// lower case are one.
func (p *Picker) narrow() {
	p.shown = p.order
	if p.typed == "" {
		return
	}
	p.shown = nil
	typed := strings.ToLower(p.typed)
	for _, id := range p.order {
		if strings.Contains(strings.ToLower(id+"\n"+Safe(clipBytes(p.runs[id].Title, 2000))), typed) {
			p.shown = append(p.shown, id)
		}
	}
}

// head says how many runs there are, and which one is selected where they do not
// all have room.
func (p *Picker) head() line {
	words := count(len(p.order), "run", "runs")
	switch {
	case p.typing:
		return line{text(roleStrong, "/"+p.typed+"_"), text(roleFaint, "  "+grouped(len(p.shown))+" of "+words)}
	case len(p.shown) > max(0, p.h-3):
		return line{text(roleStrong, grouped(p.index()+1)+" of "+words)}
	}
	return line{text(roleStrong, words)}
}
