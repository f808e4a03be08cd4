package term

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const (
	// maxMarks is the most combining marks that one character keeps: enough for
	// every language, too few to paint over the lines around it.
	maxMarks = 3
	// maxSequence bounds, in bytes, what a control string that is never closed
	// can swallow. It ends with its line in any case.
	maxSequence = 4096
	tabWidth    = 8
)

// Safe returns s as one line of visible characters. Escape sequences, control and
// format characters (those that change the direction of text or that nobody sees)
// are gone; line breaks and tabs are one space.
func Safe(s string) string {
	if isPlain(s, false) {
		return s
	}
	c := cleaner{one: true}
	c.write(s)
	return c.out.String()
}

// SafeText is Safe over several lines: it keeps \n, makes \n of other line
// breaks, and spaces of tabs. What a lone carriage return would overwrite is
// gone, as on a terminal.
func SafeText(s string) string {
	if isPlain(s, true) {
		return s
	}
	var c cleaner
	c.write(s)
	c.flush()
	return c.out.String()
}

// isPlain says that s is printable ASCII, and line feeds if those may be.
func isPlain(s string, lines bool) bool {
	for i := range len(s) {
		if b := s[i]; (b < ' ' || b > '~') && (b != '\n' || !lines) {
			return false
		}
	}
	return true
}

// cleaner builds a safe text rune by rune.
type cleaner struct {
	one   bool // one line
	out   strings.Builder
	line  []byte // the line that is being built
	col   int    // its width
	marks int    // combining marks since the last character; -1: there is none
	back  bool   // a carriage return: the next character starts the line anew
}

func (c *cleaner) write(s string) {
	c.marks = -1
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if skip := sequence(s[i:]); skip > 0 {
			i += skip
			continue
		}
		i += n
		c.add(r)
	}
	if c.one {
		c.out.Write(c.line)
	}
}

func (c *cleaner) add(r rune) {
	switch {
	case r == '\n', r == '\v', r == '\f', r == 0x85, r == 0x2028, r == 0x2029:
		if c.one {
			c.char(' ', 1)
			return
		}
		c.flush()
		c.out.WriteByte('\n')
	case r == '\r':
		if c.one {
			c.char(' ', 1)
			return
		}
		c.back = true
	case r == '\t':
		c.char(' ', 1)
		for !c.one && c.col%tabWidth != 0 {
			c.char(' ', 1)
		}
	case unseen(r):
	case regional(r): // half a flag: terminals disagree on its width
		c.char('A'+r-firstRegional, 1)
	case unicode.Is(unicode.Zs, r):
		c.char(' ', 1)
	case !unicode.IsPrint(r): // private, unassigned, or no UTF-8
		c.char(utf8.RuneError, 1)
	default:
		c.char(r, ansi.StringWidthWc(string(r)))
	}
}

// char adds a visible character, or a mark on the one before.
func (c *cleaner) char(r rune, width int) {
	if width <= 0 {
		if c.marks < 0 || c.marks == maxMarks || c.back {
			return // nothing to stand on, or too many
		}
		c.marks++
		c.line = utf8.AppendRune(c.line, r)
		return
	}
	if c.back {
		c.line, c.col, c.back = c.line[:0], 0, false
	}
	c.line = utf8.AppendRune(c.line, r)
	c.col += width
	c.marks = 0
}

func (c *cleaner) flush() {
	c.out.Write(c.line)
	c.line, c.col, c.back, c.marks = c.line[:0], 0, false, -1
}

const firstRegional, lastRegional = 0x1F1E6, 0x1F1FF

func regional(r rune) bool { return r >= firstRegional && r <= lastRegional }

// unseen are characters that act without being seen: controls, direction and
// format characters, variation selectors, fillers, and what changes the colour
// of the emoji before it.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) ||
		r >= 0x1F3FB && r <= 0x1F3FF
}

// The 8-bit forms of ESC followed by a letter, as characters.
const (
	esc    = '\x1b'
	c1CSI  = '\u009b'
	c1DCS  = '\u0090'
	c1SOS  = '\u0098'
	c1ST   = '\u009c'
	c1OSC  = '\u009d'
	c1PM   = '\u009e'
	c1APC  = '\u009f'
	bell   = '\a'
	c1Size = 2 // bytes of each in UTF-8
)

// sequence returns how many bytes of s are an escape sequence at its beginning,
// 0 if none is. What breaks off a sequence is not part of it.
func sequence(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch r {
	case esc:
	case c1CSI:
		return n + control(s[n:])
	case c1DCS, c1SOS, c1OSC, c1PM, c1APC:
		return n + controlString(s[n:])
	default:
		return 0
	}
	if len(s) < 2 {
		return 1
	}
	switch b := s[1]; {
	case b == '[':
		return 2 + control(s[2:])
	case b == 'P' || b == 'X' || b == ']' || b == '^' || b == '_':
		return 2 + controlString(s[2:])
	case b >= 0x20 && b <= 0x2f: // such as the choice of a character set
		return 1 + escape(s[1:])
	case b >= 0x30 && b <= 0x7e:
		return 2
	}
	return 1
}

// control is the rest of a control sequence: parameters, then one final byte.
func control(s string) int {
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	return i + final(s[i:], 0x40)
}

// escape is the rest of an escape sequence: intermediates, then one final byte.
func escape(s string) int {
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	return i + final(s[i:], 0x30)
}

func final(s string, least byte) int {
	if s != "" && s[0] >= least && s[0] <= 0x7e {
		return 1
	}
	return 0
}

// controlString is the rest of a string such as a title or a link: up to BEL,
// ST, another ESC, or the end of its line.
func controlString(s string) int {
	for i, r := range s {
		switch {
		case r == bell:
			return i + 1
		case r == c1ST:
			return i + c1Size
		case r == esc && strings.HasPrefix(s[i+1:], `\`):
			return i + 2
		case r == esc, r == '\n', r == '\r', i > maxSequence:
			return i
		}
	}
	return len(s)
}
