package term

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// role says what a text is for; a theme gives it a look.
type role uint8

const (
	rolePlain role = iota
	roleStrong
	roleDim
	roleFaint
	rolePrep
	roleRun
	roleOK
	roleErr
	roleIdle
	roles
)

// Theme is how roles look. The zero value has no colour, and writes no escape.
type Theme struct {
	styles, chosen []lipgloss.Style
}

// NewTheme is the page's colours, for a dark or a light background. The greys are
// such that they are greys on a terminal of 256 colours, too.
func NewTheme(dark bool) Theme {
	pick := lipgloss.LightDark(dark)
	of := func(darkHex, lightHex string) lipgloss.Style {
		return lipgloss.NewStyle().Foreground(pick(lipgloss.Color(lightHex), lipgloss.Color(darkHex)))
	}
	t := Theme{styles: make([]lipgloss.Style, roles), chosen: make([]lipgloss.Style, roles)}
	for r, s := range map[role]lipgloss.Style{
		rolePlain:  lipgloss.NewStyle(), // the terminal knows best what can be read on it
		roleStrong: lipgloss.NewStyle().Bold(true),
		roleDim:    of("#c4c8cd", "#3f4955"),
		roleFaint:  of("#9ba5b1", "#586371"),
		rolePrep:   of("#e3b34d", "#755200"),
		roleRun:    of("#6faaff", "#1655b5"),
		roleOK:     of("#5fcb8d", "#14683a"),
		roleErr:    of("#ff857c", "#b0241c"),
		roleIdle:   of("#9ba5b1", "#515c69"),
	} {
		t.styles[r] = s
		if r == rolePlain || r == roleStrong {
			s = s.Foreground(pick(lipgloss.Color("#14181d"), lipgloss.Color("#e8edf3")))
		}
		t.chosen[r] = s.Background(pick(lipgloss.Color("#eceef0"), lipgloss.Color("#26292e")))
	}
	return t
}

// Plain says that the theme has no colour.
func (t Theme) Plain() bool { return t.styles == nil }

// draw writes one row of at most w columns. A chosen one is marked over its whole
// width.
func (t Theme) draw(b *strings.Builder, l line, w int, chosen bool) {
	l = l.clean().cut(w)
	if t.Plain() {
		for _, s := range l {
			b.WriteString(s.text)
		}
		return
	}
	styles := t.styles
	if chosen {
		styles = t.chosen
		l = append(l, span{strings.Repeat(" ", max(0, w-l.width())), rolePlain})
	}
	for _, s := range l {
		if s.text != "" {
			b.WriteString(styles[s.role].Render(s.text))
		}
	}
}
