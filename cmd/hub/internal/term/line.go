package term

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// span is a piece of text in one role; line is what stands in one row.
type (
	span struct {
		text string
		role role
	}
	line []span
)

func text(r role, s string) span { return span{s, r} }

// width is the columns of a text as wcwidth counts them.
func width(s string) int { return ansi.StringWidthWc(s) }

// clean makes every span harmless: the last thing before a line is laid out,
// whoever made it.
func (l line) clean() line {
	for i, s := range l {
		l[i].text = Safe(s.text)
	}
	return l
}

func (l line) width() int {
	n := 0
	for _, s := range l {
		n += width(s.text)
	}
	return n
}

// cut returns l with at most w columns; an ellipsis says that something is gone.
func (l line) cut(w int) line {
	if l.width() <= w {
		return l
	}
	out := make(line, 0, len(l))
	for _, s := range l {
		n := width(s.text)
		if n < w {
			out, w = append(out, s), w-n
			continue
		}
		return append(out, span{ellipsis(s.text, w), s.role})
	}
	return out
}

// ellipsis cuts s to w columns, the last of which says that there is more.
func ellipsis(s string, w int) string {
	if w <= 0 {
		return ""
	}
	return head(s, w-1) + "…"
}

// head returns the beginning of s that has at most w columns, with the marks of
// its last character.
func head(s string, w int) string {
	col := 0
	for i, r := range s {
		n := runeWidth(r)
		if col+n > w {
			return s[:i]
		}
		col += n
	}
	return s
}

func runeWidth(r rune) int {
	if r >= ' ' && r <= '~' {
		return 1
	}
	return width(string(r))
}

// shorten is ellipsis for a text that is one span.
func shorten(s string, w int) string {
	s = Safe(s)
	if width(s) <= w {
		return s
	}
	return ellipsis(s, w)
}

// join puts right at the end of a row of w columns. What is at the left gives
// way, down to least columns; then the right does.
func join(left, right line, w, least int) line {
	left, right = left.clean(), right.clean()
	r := right.width()
	if r == 0 {
		return left.cut(w)
	}
	if room := w - r - 1; room >= min(least, left.width()) {
		left = left.cut(room)
		gap := w - r - left.width()
		return append(append(left, span{strings.Repeat(" ", gap), rolePlain}), right...)
	}
	left = left.cut(min(least, w))
	if room := w - left.width() - 1; room > 0 {
		left = append(left, span{" ", rolePlain})
		left = append(left, right.cut(room)...)
	}
	return left
}

// wrap breaks a text into rows of at most w columns: at its own line breaks, at
// spaces, and inside a word only where that alone is too long. Indentation
// stays. It cleans the text.
func wrap(s string, w int) []string {
	w = max(w, 1)
	var rows []string
	for l := range strings.SplitSeq(SafeText(s), "\n") {
		rows = appendWrapped(rows, strings.TrimRight(l, " "), w)
	}
	return rows
}

func appendWrapped(rows []string, l string, w int) []string {
	for {
		first := head(l, w)
		if len(first) == len(l) {
			return append(rows, l)
		}
		if first == "" { // a wide character in a narrow place
			_, n := utf8.DecodeRuneInString(l)
			rows, l = append(rows, "?"), l[n:]
			for l != "" && markAt(l) {
				_, n := utf8.DecodeRuneInString(l)
				l = l[n:]
			}
			if l == "" {
				return rows
			}
			continue
		}
		at := len(first)
		if l[at] != ' ' {
			if space := strings.LastIndexByte(first, ' '); space > 0 && strings.TrimLeft(first[:space], " ") != "" {
				at = space
			}
		}
		rows = append(rows, strings.TrimRight(l[:at], " "))
		l = strings.TrimLeft(l[at:], " ")
		if l == "" {
			return rows
		}
	}
}

func markAt(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return runeWidth(r) == 0
}

// spread puts texts into lines of one role.
func spread(r role, prefix line, rows []string) []line {
	lines := make([]line, 0, len(rows))
	for _, row := range rows {
		lines = append(lines, append(append(line{}, prefix...), span{row, r}))
	}
	return lines
}
