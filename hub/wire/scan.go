package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/hub/runlog"
)

const (
	maxDepth  = 32
	maxNumber = 20 // characters of a number's text
)

// scan refuses what no decoder here may ever see: more than limit bytes, text
// that is not UTF-8, anything but one JSON object, doubled members, deep
// nesting, and numbers that are not integers which JavaScript holds exactly.
// It allocates little and its time is linear.
func scan(data []byte, limit int) *MessageError {
	if len(data) > limit {
		return &MessageError{Code: CodeTooLarge, Close: CloseTooBig, Message: fmt.Sprintf("%d bytes: at most %d", len(data), limit)}
	}
	if !utf8.Valid(data) {
		return &MessageError{Code: CodeBadMessage, Close: CloseNotUTF8, Message: "not valid UTF-8"}
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(data))
	if k := dec.PeekKind(); k != '{' && k != 0 {
		return &MessageError{Code: CodeBadMessage, Close: CloseBadMessage, Message: "not a JSON object"}
	}
	for first := true; first || dec.StackDepth() > 0; first = false {
		tok, err := dec.ReadToken()
		if err != nil {
			return syntaxError(err)
		}
		if dec.StackDepth() > maxDepth {
			return badAt(dec, "nested deeper than "+strconv.Itoa(maxDepth))
		}
		if tok.Kind() == '0' {
			if text := tok.String(); !safeInteger(text) {
				return badAt(dec, "number "+clip(text, 24)+" is not an integer of at most 2^53-1")
			}
		}
	}
	if _, err := dec.ReadToken(); err == nil {
		return &MessageError{Code: CodeBadMessage, Close: CloseBadMessage, Message: "something follows the JSON object"}
	} else if !errors.Is(err, io.EOF) {
		return syntaxError(err)
	}
	return nil
}

func badAt(dec *jsontext.Decoder, message string) *MessageError {
	return &MessageError{Code: CodeBadMessage, Pointer: clip(string(dec.StackPointer()), maxErrorText), Message: message}
}

// safeInteger says whether a JSON number's text is an integer without fraction
// or exponent that a JavaScript number holds exactly.
func safeInteger(text string) bool {
	if len(text) > maxNumber {
		return false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && n <= runlog.MaxSeq && n >= -runlog.MaxSeq
}

// syntaxError tells what the JSON grammar forbids, without the library's words
// around it.
func syntaxError(err error) *MessageError {
	e := &MessageError{Code: CodeBadMessage, Close: CloseBadMessage, Message: "not JSON"}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		e.Message = "not JSON: ends too early"
		return e
	}
	if s, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		e.Pointer = clip(string(s.JSONPointer), maxErrorText)
		if errors.Is(err, jsontext.ErrDuplicateName) {
			e.Message = "member given twice"
		} else if s.Err != nil {
			e.Message = clip("not JSON: "+s.Err.Error(), maxErrorText) + " at byte " + strconv.FormatInt(s.ByteOffset, 10)
		}
	}
	return e
}

// kindName names a JSON kind for people.
func kindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	case '"':
		return "a string"
	case '0':
		return "this number"
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	return "this"
}
