package tools

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

const byteOrderMark = "\uFEFF"

// endings is a text without byte order mark and carriage returns before line
// feeds, and the way back: what is not edited stays as it is, byte by byte, also
// where line endings are mixed.
type endings struct {
	original string
	plain    string
	mark     int   // length of the byte order mark
	removed  []int // for each carriage return taken away, where in plain its line feed is
	crlf     bool  // new lines end in CRLF
}

func newEndings(original string) *endings {
	e := &endings{original: original}
	body := strings.TrimPrefix(original, byteOrderMark)
	e.mark = len(original) - len(body)
	e.plain = body
	if !strings.Contains(body, "\r\n") {
		return e
	}
	var plain strings.Builder
	plain.Grow(len(body))
	for line := range strings.Lines(body) {
		text, ok := strings.CutSuffix(line, "\r\n")
		plain.WriteString(text)
		if ok {
			e.removed = append(e.removed, plain.Len())
			plain.WriteByte('\n')
		}
	}
	e.plain = plain.String()
	e.crlf = 2*len(e.removed) >= strings.Count(body, "\n")
	return e
}

// restore turns edits of the plain text into edits of the original.
func (e *endings) restore(edits []udiff.Edit) []udiff.Edit {
	list := make([]udiff.Edit, len(edits))
	for i, edit := range edits {
		if e.crlf {
			edit.New = strings.ReplaceAll(edit.New, "\n", "\r\n")
		}
		edit.Start, edit.End = e.at(edit.Start), e.at(edit.End)
		list[i] = edit
	}
	return list
}

// at is the place in the original of a place in the plain text. Before a line
// feed, that is before its carriage return.
func (e *endings) at(plain int) int {
	before, _ := slices.BinarySearch(e.removed, plain)
	return e.mark + plain + before
}
