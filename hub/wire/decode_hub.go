package wire

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// MaxHubMessage bounds a message from a hub, in bytes: a snapshot of the largest
// view with its frame.
const MaxHubMessage = runlog.MaxViewBytes + 1<<20

// DecodeHub decodes a hub's message for a client. It is strict about JSON and
// about what the client relies on, and ignores members that it does not know:
// a newer hub may send more. A message of an unknown type is Unknown. Events
// and views stay JSON (view.DecodeEvent and view.Decode read them). The error
// is a *MessageError.
func DecodeHub(data []byte) (HubMessage, error) {
	if len(data) > MaxHubMessage {
		return nil, &MessageError{Code: CodeTooLarge, Message: fmt.Sprintf("%d bytes: at most %d", len(data), MaxHubMessage)}
	}
	kind, bad := peekType(data)
	if bad != nil {
		return nil, bad
	}
	decode, ok := hubDecoder(kind)
	if !ok {
		if !jsontext.Value(data).IsValid() {
			return nil, &MessageError{Code: CodeBadMessage, Re: clip(kind, 40), Message: "not JSON"}
		}
		return Unknown{Type: kind}, nil
	}
	m, err := decode(data)
	if err == nil {
		err = checkHub(m)
	}
	if err != nil {
		e := foreign(err)
		e.Re = kind
		return nil, e
	}
	return m, nil
}

// peekType finds the type of a message; in ours it comes first.
func peekType(data []byte) (string, *MessageError) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data))
	if tok, err := dec.ReadToken(); err != nil {
		return "", syntaxError(err)
	} else if tok.Kind() != '{' {
		return "", &MessageError{Code: CodeBadMessage, Message: "not a JSON object"}
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return "", syntaxError(err)
		}
		if name.String() != "type" {
			if err := dec.SkipValue(); err != nil {
				return "", syntaxError(err)
			}
			continue
		}
		if dec.PeekKind() != '"' {
			break
		}
		tok, err := dec.ReadToken()
		if err != nil {
			return "", syntaxError(err)
		}
		return tok.String(), nil
	}
	return "", &MessageError{Code: CodeBadMessage, Pointer: "/type", Message: "missing, or not a string"}
}

func hubDecoder(kind string) (func([]byte) (HubMessage, error), bool) {
	switch kind {
	case TypeWelcome:
		return intoHub[Welcome], true
	case TypeSnapshot:
		return intoHub[Snapshot], true
	case TypeEvents:
		return intoHub[Events], true
	case TypeMerged:
		return intoHub[Merged], true
	case TypeCheck:
		return intoHub[CheckAt], true
	case TypeStatus:
		return intoHub[Status], true
	case TypePresence:
		return intoHub[Presence], true
	case TypeRuns:
		return intoHub[Runs], true
	case TypeStats:
		return intoHub[Stats], true
	case TypeHeartbeat:
		return intoHub[Heartbeat], true
	case TypeError:
		return intoHub[Error], true
	case TypeBye:
		return intoHub[Bye], true
	}
	return nil, false
}

func intoHub[T HubMessage](data []byte) (HubMessage, error) {
	var m T
	err := json.Unmarshal(data, &m)
	return m, err
}

// checkHub checks what a client relies on: names, positions, and that entries
// are objects in order.
func checkHub(m HubMessage) error {
	switch m := m.(type) {
	case Snapshot:
		return firstOf(checkRun(m.Run), checkPosition(m.Position, 0), checkObject("/view", m.View), checkSet("/reason", string(m.Reason)))
	case Events:
		return firstOf(checkRun(m.Run), checkPosition(m.Position, 1), checkEvents(m.Events))
	case Merged:
		return firstOf(checkRun(m.Run), checkPosition(runlog.Position{Epoch: m.Epoch, Seq: m.To}, 1), checkMerged(m))
	case CheckAt:
		if len(m.Hash) != 64 || strings.Trim(m.Hash, "0123456789abcdef") != "" {
			return badBody("/hash", "not a SHA-256 in hex")
		}
		return firstOf(checkRun(m.Run), checkPosition(m.Position, 0))
	case Status:
		return checkRun(m.Run)
	case Presence:
		return checkRun(m.Run)
	case Error:
		return checkSet("/code", m.Code)
	case Bye:
		if m.Code < 1000 || m.Code > 4999 {
			return badBody("/code", "%d is not a close code", m.Code)
		}
	}
	return nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func checkRun(run string) error {
	if err := runlog.CheckRunID(run); err != nil {
		return badBody("/run", "%s", err)
	}
	return nil
}

func checkPosition(p runlog.Position, least int64) error {
	switch {
	case p.Epoch == "" || len(p.Epoch) > maxEpoch:
		return badBody("/epoch", "missing, empty or too long")
	case p.Seq < least || p.Seq > runlog.MaxSeq:
		return badBody("/seq", "missing, or out of range")
	}
	return nil
}

func checkObject(pointer string, v jsontext.Value) error {
	if v.Kind() != '{' {
		return badBody(pointer, "missing, or not an object")
	}
	return nil
}

func checkSet(pointer, s string) error {
	if s == "" {
		return badBody(pointer, "missing or empty")
	}
	return nil
}

func checkEvents(events []jsontext.Value) error {
	if len(events) == 0 {
		return badBody("/events", "missing or empty")
	}
	for i, e := range events {
		if e.Kind() != '{' {
			return badBody(fmt.Sprintf("/events/%d", i), "not an object")
		}
	}
	return nil
}

func checkMerged(m Merged) error {
	if m.From < 1 || m.From > m.To {
		return badBody("/from", "missing, or after to")
	}
	last := m.From - 1
	for i, entry := range m.Entries {
		var seq int64
		if err := json.Unmarshal(entry[0], &seq); err != nil || seq <= last || seq > m.To {
			return badBody(fmt.Sprintf("/entries/%d/0", i), "not a seq in order between from and to")
		}
		if err := checkObject(fmt.Sprintf("/entries/%d/1", i), entry[1]); err != nil {
			return err
		}
		last = seq
	}
	return nil
}
