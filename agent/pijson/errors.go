package pijson

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxPointer and maxTypeName bound what an error or a counter keeps of the
// line, in bytes: keys and types are data from outside.
const (
	maxPointer  = 256
	maxTypeName = 64
)

// LineError says why a line was quarantined.
type LineError struct {
	// Line is the line's number, counted from 1.
	Line int64
	// Type is the line's event type; empty if it is not known.
	Type string
	// Pointer is the JSON pointer (RFC 6901) of what was wrong; empty if it is
	// the line as a whole.
	Pointer string
	// Reason says what was wrong.
	Reason string
	// Record says that the line began as a JSON object: what it said is lost.
	// Other lines are not Pi's: a warning between the records, say.
	Record bool
}

// Error names line, type, place and reason.
func (e *LineError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "line %d", e.Line)
	if e.Type != "" {
		fmt.Fprintf(&b, " (%s)", e.Type)
	}
	if e.Pointer != "" {
		fmt.Fprintf(&b, ": at %s", e.Pointer)
	}
	return b.String() + ": " + e.Reason
}

// fieldError is a value that is not what an event needs.
type fieldError struct {
	pointer jsontext.Pointer
	reason  string
}

func (e *fieldError) Error() string { return string(e.pointer) + ": " + e.reason }

// fail fills in the line error for what decoding returned.
func (e *LineError) fail(err error) *LineError {
	if fe, ok := errors.AsType[*fieldError](err); ok {
		e.Pointer, e.Reason = cut(string(fe.pointer), maxPointer), fe.reason
		return e
	}
	se, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case !ok:
		e.Reason = err.Error()
	case errors.Is(se.Err, io.ErrUnexpectedEOF):
		e.Reason = "the JSON is cut off"
	default:
		e.Pointer = cut(string(se.JSONPointer), maxPointer)
		e.Reason = fmt.Sprintf("not valid JSON: %v (byte %d)", se.Err, se.ByteOffset)
	}
	return e
}

// cut shortens text from outside to at most n bytes, between characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
