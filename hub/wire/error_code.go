package wire

import (
	"strings"
	"unicode/utf8"
)

// Code names an error for programs, in `error` messages and in HTTP error
// bodies. The message beside it is for people and may change.
type Code string

// The error codes.
const (
	CodeBadMessage      Code = "bad_message"        // not what the schema allows
	CodeUnknownType     Code = "unknown_type"       // no such message type
	CodeBadRun          Code = "bad_run"            // not a run id
	CodeUnknownRun      Code = "unknown_run"        // the store does not know the run
	CodeUnknownOutput   Code = "unknown_output"     // no such whole output, or no longer
	CodeUnknownPosition Code = "unknown_position"   // the log does not reach there
	CodeNotWatching     Code = "not_watching"       // unwatch, check or look without a watch
	CodeLimit           Code = "limit"              // too many, or too fast: later
	CodeUnauthorized    Code = "unauthorized"       // no valid token
	CodeForbidden       Code = "forbidden"          // a valid token, but not for this
	CodeHeld            Code = "held"               // another writer holds the run
	CodeFenced          Code = "fenced"             // another writer has claimed the run
	CodeTooLarge        Code = "too_large"          // over a size limit
	CodeStoreFull       Code = "store_full"         // the store may forget nothing to make room
	CodeBadOutput       Code = "bad_output"         // not the name of an output
	CodeNeedCheckpoint  Code = "need_checkpoint"    // the log is full until a checkpoint comes
	CodeStoreDown       Code = "store_down"         // the hub cannot reach its store now
	CodeUnavailable     Code = "unavailable"        // the hub cannot serve this now
	CodeMediaType       Code = "media_type"         // a body that is not JSON where JSON is wanted
	CodeNotFound        Code = "not_found"          // no such address
	CodeMethod          Code = "method_not_allowed" // an address that does not take that method
	CodeBadRange        Code = "bad_range"          // a range that the whole output does not have
	CodeInternal        Code = "internal"           // our fault; logged by the hub
)

// Codes returns all error codes with what each means.
func Codes() map[Code]string {
	return map[Code]string{
		CodeBadMessage:      "not what the schema allows",
		CodeUnknownType:     "no such message type",
		CodeBadRun:          "not a run id",
		CodeUnknownRun:      "no such run",
		CodeUnknownOutput:   "no such whole output, or no longer",
		CodeUnknownPosition: "the log does not reach there",
		CodeNotWatching:     "this run is not watched",
		CodeLimit:           "too many, or too fast: try later",
		CodeUnauthorized:    "no valid token",
		CodeForbidden:       "not allowed",
		CodeHeld:            "another writer holds the run",
		CodeFenced:          "another writer has claimed the run",
		CodeTooLarge:        "over a size limit",
		CodeStoreFull:       "the store may forget nothing to make room",
		CodeBadOutput:       "not the name of an output",
		CodeNeedCheckpoint:  "the log is full: a checkpoint is needed first",
		CodeStoreDown:       "the hub cannot reach its store",
		CodeUnavailable:     "the hub cannot serve this now",
		CodeMediaType:       "the body has to be application/json",
		CodeNotFound:        "no such address",
		CodeMethod:          "this address does not take that method",
		CodeBadRange:        "a range that the whole output does not have",
		CodeInternal:        "internal error",
	}
}

// MessageError says what is wrong with something that came from outside. Its
// text is safe to send back and to log: short, on one line, in valid UTF-8.
type MessageError struct {
	Code Code
	// Re is the type of the refused message, as far as it is known.
	Re string
	// Run is the run that the refused message names, if it is a valid id.
	Run string
	// Pointer says where: a JSON Pointer into the message, or "".
	Pointer string
	// Close is the close code that a hub ends the connection with, or 0 where
	// an `error` answer is enough: text that is not JSON comes from something
	// that does not speak this protocol, a wrong field from one that almost does.
	Close CloseCode
	// Message says what, without the place.
	Message string
}

// Error gives type, place and what is wrong: "watch: /from/seq: must be …".
func (e *MessageError) Error() string {
	var b strings.Builder
	for _, s := range []string{e.Re, e.Pointer} {
		if s != "" {
			b.WriteString(s)
			b.WriteString(": ")
		}
	}
	b.WriteString(e.Message)
	return b.String()
}

// Reply is the `error` message that tells a client about e.
func (e *MessageError) Reply() Error {
	return Error{Type: TypeError, Re: e.Re, Run: e.Run, Code: string(e.Code), Message: e.Error()}
}

// maxErrorText bounds the parts of an error that come from outside.
const maxErrorText = 200

// clip makes foreign text safe to show: one line, valid UTF-8, at most n bytes.
func clip(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 {
			return '\uFFFD'
		}
		return r
	}, s)
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
