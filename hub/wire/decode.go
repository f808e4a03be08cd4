package wire

import (
	"errors"

	"github.com/go-json-experiment/json"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// MaxClientMessage bounds a message from a client, in bytes.
const MaxClientMessage = 16 << 10

// Decode decodes a client's message. The error is a *MessageError; its Reply is
// what the client is told.
func Decode(data []byte) (ClientMessage, error) {
	if bad := scan(data, MaxClientMessage); bad != nil {
		return nil, bad
	}
	var value map[string]any
	if err := json.Unmarshal(data, &value); err != nil {
		return nil, semanticError(err)
	}
	kind, ok := value["type"].(string)
	if !ok {
		return nil, &MessageError{Code: CodeBadMessage, Pointer: "/type", Message: "missing, or not a string"}
	}
	decode, ok := clientDecoder(kind)
	if !ok {
		return nil, &MessageError{Code: CodeUnknownType, Pointer: "/type", Message: "unknown type \"" + clip(kind, 40) + `"`}
	}
	run, _ := value["run"].(string)
	if runlog.CheckRunID(run) != nil {
		run = ""
	}
	if v := validate("client_"+kind, value); v != nil {
		code := CodeBadMessage
		if v.pointer == "/run" {
			code = CodeBadRun
		}
		return nil, &MessageError{Code: code, Re: kind, Run: run, Pointer: v.pointer, Message: v.message}
	}
	m, err := decode(data)
	if err != nil {
		e := semanticError(err)
		e.Re, e.Run = kind, run
		return nil, e
	}
	return m, nil
}

func clientDecoder(kind string) (func([]byte) (ClientMessage, error), bool) {
	switch kind {
	case TypeHello:
		return into[Hello], true
	case TypeWatch:
		return into[Watch], true
	case TypeUnwatch:
		return into[Unwatch], true
	case TypeCheck:
		return into[Check], true
	case TypeLook:
		return into[Look], true
	case TypeWatchRuns:
		return into[WatchRuns], true
	case TypeUnwatchRuns:
		return into[UnwatchRuns], true
	}
	return nil, false
}

func into[T ClientMessage](data []byte) (ClientMessage, error) {
	var m T
	err := json.Unmarshal(data, &m, json.RejectUnknownMembers(true))
	return m, err
}

// semanticError tells what a decoder refused, without naming Go types.
func semanticError(err error) *MessageError {
	e := &MessageError{Code: CodeBadMessage, Message: "not what is expected here"}
	s, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return syntaxError(err)
	}
	e.Pointer = clip(string(s.JSONPointer), maxErrorText)
	switch {
	case errors.Is(err, json.ErrUnknownName):
		e.Message = "unknown member"
	case s.JSONKind != 0:
		e.Message = "must not be " + kindName(s.JSONKind)
	}
	return e
}
