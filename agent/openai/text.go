package openai

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// joiner joins the pieces of one text that a server cuts anywhere: between the
// two escapes of one character (servers that count in UTF-16), or between its
// bytes. What may be the first half of a character waits for the next piece.
type joiner struct {
	held string // as it was in the JSON
}

// add takes a piece as a JSON string and returns what can be said so far.
func (j *joiner) add(raw string) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	body := raw[1 : len(raw)-1]
	if j.held != "" {
		body = j.held + body
	}
	n := len(body) - half(body)
	// A copy, so that what is kept does not keep the whole event alive.
	j.held = strings.Clone(body[n:])
	return unquote(body[:n])
}

// rest returns the half that has been waiting in vain, as U+FFFD.
func (j *joiner) rest() string {
	if j.held == "" {
		return ""
	}
	j.held = ""
	return string(utf8.RuneError)
}

func unquote(body string) string {
	if !strings.Contains(body, `\`) && utf8.ValidString(body) {
		return strings.Clone(body)
	}
	// The error tells of ill-formed text, which is replaced all the same.
	text, _ := jsontext.AppendUnquote(make([]byte, 0, len(body)), `"`+body+`"`)
	return strings.ToValidUTF8(string(text), string(utf8.RuneError))
}

// half returns how many bytes at the end of body may be the first half of a
// character.
func half(body string) int {
	const escape = len(`\ud83d`)
	if n := len(body) - escape; n >= 0 && isHighEscape(body[n:]) {
		backslashes := 1
		for n-backslashes >= 0 && body[n-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 1 {
			return escape
		}
	}
	for n := 1; n < utf8.UTFMax && n <= len(body); n++ {
		tail := body[len(body)-n:]
		if utf8.RuneStart(tail[0]) {
			if !utf8.FullRuneInString(tail) {
				return n
			}
			break
		}
	}
	return 0
}

// isHighEscape matches \ud800 to \udbff.
func isHighEscape(s string) bool {
	isHex := func(c byte) bool {
		return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	}
	return s[0] == '\\' && s[1] == 'u' && (s[2] == 'd' || s[2] == 'D') &&
		strings.IndexByte("89abAB", s[3]) >= 0 && isHex(s[4]) && isHex(s[5])
}
