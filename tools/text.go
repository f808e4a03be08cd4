package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxLine is how much of a line a result shows.
const maxLine = 2000 // bytes

// valid replaces what is no UTF-8.
func valid(text []byte) string { return strings.ToValidUTF8(string(text), "\uFFFD") }

// whole cuts text to most bytes, not inside a character.
func whole(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// wholeTail is the last most bytes of text, from the beginning of a character.
func wholeTail(text string, most int) string {
	if len(text) <= most {
		return text
	}
	from := len(text) - most
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from:]
}

// clip writes a line for a result, shortened if it is long. line may be only the
// beginning of it; n is its whole length.
func clip(line []byte, n int) string {
	if n <= maxLine {
		return valid(line)
	}
	head := whole(string(line), maxLine)
	return fmt.Sprintf("%s… (%d bytes more)", strings.ToValidUTF8(head, "\uFFFD"), n-len(head))
}

// lines is text of a result that is put together line by line, up to a size.
type lines struct {
	strings.Builder
	most int
	full bool
}

// add appends a line if it has room and no other had to be left out before.
func (l *lines) add(line string) bool {
	if l.full = l.full || l.Len()+len(line)+1 > l.most; l.full {
		return false
	}
	l.WriteString(line)
	l.WriteByte('\n')
	return true
}

// plural writes a number and what it counts.
func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
