package projector

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// repair returns s as valid UTF-8: what is broken becomes U+FFFD.
func repair(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// splitIncomplete cuts off a character at the end of s whose remaining bytes
// may still come.
func splitIncomplete(s string) (whole, rest string) {
	for i := len(s) - 1; i >= 0 && i >= len(s)-utf8.UTFMax; i-- {
		if !utf8.RuneStart(s[i]) {
			continue
		}
		if utf8.FullRuneInString(s[i:]) {
			break
		}
		return s[:i], s[i:]
	}
	return s, ""
}

// head returns at most the first n bytes of s, never cut inside a character.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)]
}

// tail returns at most the last n bytes of s, never cut inside a character.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := len(s) - max(n, 0)
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return s[i:]
}

// tailLines is tail, beginning at a line where one begins in its first quarter.
func tailLines(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = tail(s, n)
	if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)/4 {
		return s[i+1:]
	}
	return s
}

// markerRoom is what the marker line of headTail takes at most.
const markerRoom = 64

// headTail returns at most n bytes of s: its first quarter and its end, at line
// breaks where there are some near, and between them a line that says how many
// bytes are hidden. The end is the larger part: that is where tools say what
// came of it.
func headTail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if n < 2*markerRoom {
		return head(s, n)
	}
	first := head(s, n/4)
	if i := strings.LastIndexByte(first, '\n'); i > len(first)*3/4 {
		first = first[:i]
	}
	last := tailLines(s, n-len(first)-markerRoom)
	return fmt.Sprintf("%s\n[… %d bytes hidden …]\n%s", first, len(s)-len(first)-len(last), last)
}

// shortID bounds an id and keeps different ids different.
func shortID(id string, n int) string {
	id = repair(id)
	if len(id) <= n {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	suffix := "~" + hex.EncodeToString(sum[:8])
	return head(id, n-len(suffix)) + suffix
}

// firstLine returns the first line of s that is not blank, trimmed, at most n
// runes of it.
func firstLine(s string, n int) string {
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		for i := range line {
			if n--; n < 0 {
				return line[:i]
			}
		}
		return line
	}
	return ""
}
