package provider

import (
	"bufio"
	"encoding/json"
	"io"
)

// MaxEvent is what the SDKs take for one line of a stream, and what is taken of
// an answer in one piece, in bytes.
const MaxEvent = bufio.MaxScanTokenSize << 9

// FirstByte looks at the first byte that is no white space. Servers give their
// answers all kinds of content types.
func FirstByte(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.Peek(1)
		if err != nil {
			return 0, err
		}
		switch b[0] {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF: // or a byte order mark
			_, _ = r.Discard(1)
		default:
			return b[0], nil
		}
	}
}

// Whole reads an answer in one piece, up to MaxEvent. JSON that is not whole is
// an answer that was cut.
func Whole(body io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(body, MaxEvent+1))
	switch {
	case err != nil:
		return nil, err
	case len(raw) > MaxEvent:
		return nil, Broken("the answer has more than %d MiB", MaxEvent>>20)
	case !json.Valid(raw):
		return nil, ErrEarlyEnd
	}
	return raw, nil
}
