package agent

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// PanicError is a panic in something that was handed to the agent: a tool, a
// hook, a listener, a model. It is the call's error result or the run's error.
type PanicError struct {
	Where string // "tool scan", "BeforeToolCall hook", …
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("%s panicked: %v", e.Where, e.Value) }

// guard calls f and makes an error of a panic, which it also reports.
func guard(report func(error), where string, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			p := &PanicError{Where: where, Value: v, Stack: debug.Stack()}
			err = p
			report(p)
		}
	}()
	return f()
}

// errGone is the failure of a goroutine that ended itself (runtime.Goexit) in
// the middle of a call.
var errGone = errors.New("the goroutine that served the call has ended itself")
