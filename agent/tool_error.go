package agent

import "errors"

// ToolError is an error with which a tool also says what it had: a command that
// ended with exit code 1 has output and details all the same. Execute returns
// it as a *ToolError, wrapped or not; Result becomes the error result of the
// call, and Err is for whoever calls the tool without an Agent.
type ToolError struct {
	// Result is the error result. Without content, it gets the text of Err.
	Result ToolResult
	Err    error
}

// Error returns the text of Err.
func (e *ToolError) Error() string {
	if e.Err == nil {
		return "the tool failed"
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e *ToolError) Unwrap() error { return e.Err }

// failedResult is the error result that err gives.
func failedResult(err error) ToolResult {
	plain := errorResult(err.Error())
	t, ok := errors.AsType[*ToolError](err)
	if !ok {
		return plain
	}
	r := t.Result
	if r.Content == nil {
		r.Content = plain.Content
	}
	if r.Details == nil {
		r.Details = plain.Details
	}
	return r
}
