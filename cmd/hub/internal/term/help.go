package term

import "strings"

// helpKeys is what ? shows.
var helpKeys = [][2]string{
	{"j k", "select the next or previous card"},
	{"Enter", "open or close the selected card"},
	{"e E", "next or previous failure"},
	{"r", "next running card"},
	{"[ ]", "previous or next turn"},
	{"Up Down PgUp PgDn", "scroll; any move upwards ends following"},
	{"g Home", "to the beginning"},
	{"f G End", "follow what is new"},
	{"t", "show or hide what the model thought"},
	{"Esc", "close the card, the note or this help; back to the list"},
	{"?", "this help"},
	{"q", "quit"},
}

// helpColumn is how wide the names of the keys are, where there is room.
const helpColumn = 20

// helpRows is the help for the width; on a narrow terminal an explanation is
// under its keys.
func (s *Screen) helpRows() []line {
	rows := []line{{text(roleStrong, "  Keys")}}
	for _, k := range helpKeys {
		name, under := "  "+k[0], line{text(rolePlain, strings.Repeat(" ", helpColumn+2))}
		if s.scene.w < 3*helpColumn {
			under = line{text(rolePlain, "    ")}
		}
		what := spread(roleDim, under, wrap(k[1], s.scene.w-under.width()))
		if s.scene.w < 3*helpColumn {
			rows = append(rows, line{text(roleStrong, name)})
		} else {
			what[0][0] = text(roleStrong, name+strings.Repeat(" ", helpColumn+2-width(name)))
		}
		rows = append(rows, what...)
	}
	return rows
}

func (s *Screen) drawHelp(h int, row func(line, bool)) {
	rows := s.helpRows()
	s.fill(h, rows[min(s.helpTop, max(0, len(rows)-h)):], row)
}

// helpKey is a key while help is shown: it moves what has no room, or closes the
// help. It returns whether that was all.
func (s *Screen) helpKey(k string) bool {
	page := max(1, s.bodyHeight()-1)
	step := map[string]int{
		"j": 1, "down": 1, "k": -1, "up": -1, "pgdown": page, "space": page, "pgup": -page, "g": -1000, "home": -1000, "G": 1000, "end": 1000,
	}[k]
	if last := len(s.helpRows()) - s.bodyHeight(); last > 0 && step != 0 {
		s.helpTop = min(max(s.helpTop+step, 0), last)
		return true
	}
	s.help, s.helpTop = false, 0
	return k == "?" || k == "esc" || k == "enter"
}

func (s *Screen) helpFooter() line {
	left := line{text(roleFaint, "Esc closes this")}
	all, h := len(s.helpRows()), s.bodyHeight()
	if all <= h {
		return left.cut(s.scene.w)
	}
	end := min(s.helpTop+h, all)
	return join(left, line{text(roleFaint, "j/k  "+grouped(end)+" of "+grouped(all))}, s.scene.w, s.scene.w)
}
