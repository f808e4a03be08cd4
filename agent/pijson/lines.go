package pijson

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

const (
	readSize = 64 << 10
	// keepBuffer is how large a line buffer may stay between lines, so that
	// one huge line does not hold its memory for the rest of the stream.
	keepBuffer = 1 << 20
	// edgeSize is how much is kept of either end of a line that is too long.
	edgeSize = 64
)

var byteOrderMark = []byte("\ufeff")

// line is one physical line without its ending.
type line struct {
	// data is the line, valid until the next call of next; nil if tooLong.
	data []byte
	// size is the line's length in bytes.
	size int64
	// tooLong says that the line was discarded; head and tail are its ends.
	tooLong    bool
	head, tail []byte
	// ended says that the line's LF was seen.
	ended bool
}

// lineReader cuts a stream into lines at LF and nothing else.
type lineReader struct {
	r     *bufio.Reader
	max   int
	buf   []byte
	first bool
}

func newLineReader(r io.Reader, maxBytes int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, readSize), max: maxBytes, first: true}
}

// next returns the next line. With an error there may still be a last line
// that had no LF; without one, ln.size is 0.
func (l *lineReader) next() (ln line, err error) {
	l.buf = l.buf[:0]
	for {
		var part []byte
		part, err = l.r.ReadSlice('\n')
		part = l.take(&ln, part)
		l.collect(&ln, part)
		if !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
	}
	l.finish(&ln)
	return ln, err
}

// release gives a huge line's memory back.
func (l *lineReader) release() {
	if cap(l.buf) > keepBuffer {
		l.buf = nil
	}
}

// take strips the byte order mark and the LF from a part.
func (l *lineReader) take(ln *line, part []byte) []byte {
	if l.first && len(part) > 0 {
		l.first = false
		part = bytes.TrimPrefix(part, byteOrderMark)
	}
	if n := len(part); n > 0 && part[n-1] == '\n' {
		ln.ended = true
		part = part[:n-1]
	}
	return part
}

// collect adds a part to the line, or to its tail once it is too long. One
// byte more than the limit is allowed for until finish: it may be a CR.
func (l *lineReader) collect(ln *line, part []byte) {
	ln.size += int64(len(part))
	if !ln.tooLong && len(l.buf)+len(part) <= l.max+1 {
		l.buf = append(l.buf, part...)
		return
	}
	if !ln.tooLong {
		l.discard(ln)
		ln.head = append(ln.head, part[:min(edgeSize-len(ln.head), len(part))]...)
	}
	ln.tail = lastBytes(ln.tail, part)
}

// discard gives up the line that is in buf, keeping its two ends.
func (l *lineReader) discard(ln *line) {
	ln.tooLong = true
	ln.head = bytes.Clone(l.buf[:min(edgeSize, len(l.buf))])
	ln.tail = lastBytes(nil, l.buf)
	l.buf = nil
}

func (l *lineReader) finish(ln *line) {
	if !ln.tooLong {
		data := bytes.TrimSuffix(l.buf, []byte("\r"))
		if ln.size = int64(len(data)); len(data) <= l.max {
			ln.data = data
			return
		}
		l.discard(ln)
	}
	ln.tail = bytes.TrimRight(ln.tail, " \t\r")
}

// lastBytes returns the last edgeSize bytes of tail and part together.
func lastBytes(tail, part []byte) []byte {
	if len(part) >= edgeSize {
		return append(tail[:0], part[len(part)-edgeSize:]...)
	}
	if over := len(tail) + len(part) - edgeSize; over > 0 {
		tail = append(tail[:0], tail[over:]...)
	}
	return append(tail, part...)
}
