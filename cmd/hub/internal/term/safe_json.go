package term

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// SafeJSON appends a JSON text to dst as one line that is harmless on a terminal:
// the same value, with every control, format and otherwise invisible character of
// its strings as \uXXXX. (JSON itself asks for that only below U+0020.)
func SafeJSON(dst, data []byte) []byte {
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case r < ' ': // white space between tokens: no string has it
			dst = append(dst, ' ')
		case r == utf8.RuneError && n == 1:
			dst = append(dst, "\ufffd"...)
		case r < 0x7f || !unseen(r) && unicode.IsPrint(r):
			dst = append(dst, data[:n]...)
		case r > 0xffff:
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
		data = data[n:]
	}
	return dst
}
