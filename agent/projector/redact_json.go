package projector

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// JSON is Text for JSON text: valid JSON stays valid, and key order, number
// spelling and white space stay as they are. Values are also found where they
// are spelled with escapes. A number that is a secret becomes a string. What is
// not valid JSON is treated as text.
func (r *Redactor) JSON(s string) (string, int64) {
	if strings.IndexByte(s, '\\') < 0 {
		if spans, _ := r.scan(s, true); len(spans) == 0 {
			return s, 0
		}
	}
	if !isJSON(s) {
		return r.Text(s)
	}
	var spans []span
	var key string // the member name before the value at hand
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"':
			end := stringEnd(s, i)
			body := unescape(s[i+1 : end-1])
			if isKey(s, end) {
				key = body.text
				spans = append(spans, body.lift(i+1, r.found(body.text))...)
			} else {
				spans = append(spans, body.lift(i+1, r.member(key, body.text))...)
				key = ""
			}
			i = end
		case c == '-' || '0' <= c && c <= '9':
			end := scalarBytes.run(s, i)
			if found := r.found(s[i:end]); len(found) > 0 {
				spans = append(spans, span{start: i, end: end, with: `"` + found[0].with + `"`, secret: true})
			}
			key, i = "", end
		case c == ':' || c == ' ' || c == '\n' || c == '\r' || c == '\t':
			i++
		default:
			key = ""
			i++
		}
	}
	return splice(s, spans)
}

// found returns the spans of a whole text.
func (r *Redactor) found(s string) []span {
	spans, _ := r.scan(s, true)
	return spans
}

// member returns the spans of a string that is the value of a member named key.
func (r *Redactor) member(key, value string) []span {
	kind := secretKind(lastName(key))
	if kind == "" || len(value) < minSecret || harmless(value) || kind == kindToken && !hasDigit(value) {
		return r.found(value)
	}
	return []span{{start: 0, end: len(value), with: marker(kind), secret: true}}
}

// lastName returns the end of s that a name can be.
func lastName(s string) string { return tail(s, maxNameBefore) }

func isJSON(s string) bool {
	return jsontext.Value(s).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

var scalarBytes = classOf("09", "+-.eE")

// stringEnd returns the index after the string literal that begins at s[i].
func stringEnd(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// isKey tells whether the string that ends before s[i] names a member.
func isKey(s string, i int) bool {
	rest := strings.TrimLeft(s[i:], " \t\r\n")
	return rest != "" && rest[0] == ':'
}

// unescaped is the value of a string literal and where its bytes come from.
type unescaped struct {
	text string
	// from maps each byte of text, and its end, to the literal's body; nil when
	// the two are the same.
	from []int
}

// lift moves spans of the value to the literal's body, which begins at base.
func (u unescaped) lift(base int, spans []span) []span {
	for i := range spans {
		if u.from != nil {
			spans[i].start, spans[i].end = u.from[spans[i].start], u.from[spans[i].end]
		}
		spans[i].start += base
		spans[i].end += base
	}
	return spans
}

// unescape reads the body of a valid string literal.
func unescape(body string) unescaped {
	if strings.IndexByte(body, '\\') < 0 {
		return unescaped{text: body}
	}
	var text []byte
	from := make([]int, 0, len(body)+1)
	for i := 0; i < len(body); {
		c, n := rune(body[i]), 1
		if c == '\\' {
			c, n = escaped(body[i:])
			text = utf8.AppendRune(text, c)
		} else {
			text = append(text, body[i])
		}
		for len(from) < len(text) {
			from = append(from, i)
		}
		i += n
	}
	return unescaped{text: string(text), from: append(from, len(body))}
}

// escaped returns the character of the escape that s begins with, and its
// length in s.
func escaped(s string) (rune, int) {
	if len(s) < 2 {
		return utf8.RuneError, len(s)
	}
	switch s[1] {
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		c := unit(s)
		if c < 0 {
			return utf8.RuneError, 2
		}
		if utf16.IsSurrogate(c) {
			if both := utf16.DecodeRune(c, unit(s[6:])); both != utf8.RuneError {
				return both, 12
			}
			return utf8.RuneError, 6
		}
		return c, 6
	}
	return rune(s[1]), 2
}

// unit returns the UTF-16 unit of the \u escape that s begins with, or -1.
func unit(s string) rune {
	if len(s) < 6 || s[:2] != `\u` {
		return -1
	}
	n, err := strconv.ParseUint(s[2:6], 16, 32)
	if err != nil {
		return -1
	}
	return rune(n)
}
