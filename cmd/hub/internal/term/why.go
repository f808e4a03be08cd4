package term

import (
	"errors"
	"strings"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

// Why says in words why a hub shows nothing, or nothing more.
func Why(err error) string {
	if refused, ok := errors.AsType[*wire.RefusedError](err); ok {
		switch refused.Code {
		case wire.CodeUnknownRun:
			return wordUnknownRun
		case wire.CodeForbidden:
			return wordForbidden
		}
		return Safe("The hub cannot show this run now. It says: " + refused.Message)
	}
	if closed, ok := errors.AsType[*wire.CloseError](err); ok {
		switch closed.Code {
		case wire.CloseToken:
			return wordExpired
		case wire.CloseForbidden:
			return wordForbidden
		}
		if closed.Reason != "" {
			return Safe(closed.Reason)
		}
		return closed.Code.Describe().Reason
	}
	if errors.Is(err, runlog.ErrUnavailable) {
		why := strings.Trim(strings.TrimPrefix(err.Error(), runlog.ErrUnavailable.Error()), ": ")
		return Safe(strings.Join(nonEmpty(wordSilent, causeOf(why)), ": "))
	}
	return Safe(err.Error())
}

// causeOf is the end of "dial tcp 127.0.0.1:8737: connect: connection refused":
// the rest is known, or says nothing to people.
func causeOf(why string) string {
	for _, call := range []string{"dial tcp", "read tcp", "write tcp"} {
		if !strings.HasPrefix(why, call) {
			continue
		}
		if _, cause, ok := strings.Cut(why, ": "); ok {
			for _, op := range []string{"connect: ", "read: ", "write: "} {
				cause = strings.TrimPrefix(cause, op)
			}
			return cause
		}
	}
	return why
}
