package pijson

import (
	"bytes"
	"unicode/utf8"
)

// repair returns src as valid UTF-8 without lone surrogate escapes, and notes in
// h those that may be half of a character. It works in place where it can and
// copies only if ill-formed UTF-8 has to grow.
func repair(src []byte, h *halves) []byte {
	if !utf8.Valid(src) {
		src = repairUTF8(src)
	}
	h.found = h.found[:0]
	repairSurrogates(src, h)
	return src
}

// repairUTF8 replaces each ill-formed sequence as the WHATWG decoder does: one
// U+FFFD for the longest part that could have begun a character.
func repairUTF8(src []byte) []byte {
	out := make([]byte, 0, len(src)+len(src)/8+utf8.UTFMax)
	for len(src) > 0 {
		r, n := utf8.DecodeRune(src)
		if r == utf8.RuneError && n == 1 {
			out = utf8.AppendRune(out, utf8.RuneError)
			n = illFormed(src)
		} else {
			out = append(out, src[:n]...)
		}
		src = src[n:]
	}
	return out
}

// illFormed returns the length of the ill-formed sequence at the start of src:
// 1, or the bytes that agree with a longer character up to where it breaks off.
func illFormed(src []byte) int {
	more, lo, hi := continuation(src[0])
	n := 1
	for n <= more && n < len(src) && lo <= src[n] && src[n] <= hi {
		lo, hi = 0x80, 0xBF
		n++
	}
	return n
}

// continuation says how many bytes follow a lead byte, and between which
// bounds the first of them lies (Unicode, table 3-7).
func continuation(lead byte) (more int, lo, hi byte) {
	switch {
	case 0xC2 <= lead && lead <= 0xDF:
		return 1, 0x80, 0xBF
	case lead == 0xE0:
		return 2, 0xA0, 0xBF
	case lead == 0xED:
		return 2, 0x80, 0x9F
	case 0xE1 <= lead && lead <= 0xEF:
		return 2, 0x80, 0xBF
	case lead == 0xF0:
		return 3, 0x90, 0xBF
	case 0xF1 <= lead && lead <= 0xF3:
		return 3, 0x80, 0xBF
	case lead == 0xF4:
		return 3, 0x80, 0x8F
	}
	return 0, 0, 0
}

// repairSurrogates turns every \uD800–\uDFFF escape that is not half of a pair
// into \ufffd, in place: both have the same length. Backslashes occur in
// strings only, so that no other grammar needs to be known.
func repairSurrogates(src []byte, h *halves) {
	for at := 0; ; {
		i := bytes.IndexByte(src[at:], '\\')
		if i < 0 || at+i+1 >= len(src) {
			return
		}
		at += i
		switch unit, ok := escape(src[at:]); {
		case !ok:
			at += 2
		case isHigh(unit) && isLowEscape(src[at+6:]):
			at += 12
		case isHigh(unit) || isLow(unit):
			h.note(src, at, unit)
			copy(src[at+2:], "fffd")
			at += 6
		default:
			at += 6
		}
	}
}

func isHigh(unit uint32) bool { return 0xD800 <= unit && unit <= 0xDBFF }
func isLow(unit uint32) bool  { return 0xDC00 <= unit && unit <= 0xDFFF }

func isLowEscape(src []byte) bool {
	unit, ok := escape(src)
	return ok && isLow(unit)
}

// escape reads a \uXXXX escape at the start of src.
func escape(src []byte) (unit uint32, ok bool) {
	if len(src) < 6 || src[0] != '\\' || src[1] != 'u' {
		return 0, false
	}
	for _, c := range src[2:6] {
		switch {
		case '0' <= c && c <= '9':
			unit = unit<<4 | uint32(c-'0')
		case 'a' <= c && c <= 'f':
			unit = unit<<4 | uint32(c-'a'+10)
		case 'A' <= c && c <= 'F':
			unit = unit<<4 | uint32(c-'A'+10)
		default:
			return 0, false
		}
	}
	return unit, true
}
