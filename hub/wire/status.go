package wire

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// ErrorBody is what every HTTP address answers where it cannot serve.
type ErrorBody struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	// Owner and AgeMs go with CodeHeld.
	Owner string `json:"owner,omitzero"`
	AgeMs int64  `json:"ageMs,omitzero"`
}

// Encode returns the body as JSON.
func (b ErrorBody) Encode() []byte {
	data, err := marshal(b)
	if err != nil { // unreachable: clipped strings and a number
		return []byte(`{"code":"internal","message":"internal error"}`)
	}
	return data
}

// APIError is an HTTP answer that no error of the run log stands for: a bad
// request, a token that does not do.
type APIError struct {
	Status  int
	Code    Code
	Message string
}

// Final says that the same request will be answered so again, as where there is
// no hub: a worker does not try to claim its run again.
func (e *APIError) Final() bool { return !later(e.Status) }

// later are the statuses that say "not now".
func later(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500
}

func (e *APIError) Error() string {
	switch {
	case e.Code == "" && e.Message == "":
		return fmt.Sprintf("hub answered %d %s, and not as a hub does", e.Status, http.StatusText(e.Status))
	case e.Code == "":
		return fmt.Sprintf("hub answered %d %s: %s", e.Status, http.StatusText(e.Status), e.Message)
	}
	return fmt.Sprintf("hub answered %d %s: %s", e.Status, e.Code, e.Message)
}

// meaning joins an error of the run log with its status and code. Both
// directions read this one table.
type meaning struct {
	err    error
	status int
	code   Code
}

// meanings lists the more exact errors first: where an answer's code has
// several, the first one counts.
func meanings() []meaning {
	return []meaning{
		{runlog.ErrFenced, http.StatusConflict, CodeFenced},
		{runlog.ErrTooLarge, http.StatusRequestEntityTooLarge, CodeTooLarge},
		{runlog.ErrNeedCheckpoint, http.StatusInsufficientStorage, CodeNeedCheckpoint},
		{runlog.ErrFull, http.StatusInsufficientStorage, CodeStoreFull},
		{runlog.ErrDenied, http.StatusForbidden, CodeForbidden},
		{runlog.ErrBadBlobName, http.StatusBadRequest, CodeBadOutput},
		{runlog.ErrBadRunID, http.StatusBadRequest, CodeBadRun},
		{runlog.ErrNoRun, http.StatusNotFound, CodeUnknownRun},
		{runlog.ErrNoBlob, http.StatusNotFound, CodeUnknownOutput},
		{runlog.ErrUnknownPosition, http.StatusGone, CodeUnknownPosition},
		{runlog.ErrUnavailable, http.StatusServiceUnavailable, CodeUnavailable},
		// A store that is closed belongs to a hub that is stopping: the caller
		// comes back to another one.
		{runlog.ErrClosed, http.StatusServiceUnavailable, CodeUnavailable},
	}
}

// StatusOf returns the HTTP status and body for an error. An error that it does
// not know is an internal one: its text stays in the hub's log.
func StatusOf(err error) (int, ErrorBody) {
	if held, ok := errors.AsType[*runlog.HeldError](err); ok {
		return http.StatusConflict, ErrorBody{
			Code: CodeHeld, Message: clip(held.Error(), 2*maxErrorText),
			Owner: clip(held.Owner, maxOwner), AgeMs: held.Age.Milliseconds(),
		}
	}
	if bad, ok := errors.AsType[*MessageError](err); ok {
		return statusOfCode(bad.Code), ErrorBody{Code: bad.Code, Message: bad.Error()}
	}
	if api, ok := errors.AsType[*APIError](err); ok {
		return api.Status, ErrorBody{Code: api.Code, Message: clip(api.Message, 2*maxErrorText)}
	}
	for _, m := range meanings() {
		if errors.Is(err, m.err) {
			return m.status, ErrorBody{Code: m.code, Message: m.err.Error()}
		}
	}
	return http.StatusInternalServerError, ErrorBody{Code: CodeInternal, Message: Codes()[CodeInternal]}
}

func statusOfCode(c Code) int {
	switch c {
	case CodeUnauthorized:
		return http.StatusUnauthorized
	case CodeForbidden:
		return http.StatusForbidden
	case CodeLimit:
		return http.StatusTooManyRequests
	case CodeMediaType:
		return http.StatusUnsupportedMediaType
	case CodeNotFound:
		return http.StatusNotFound
	case CodeMethod:
		return http.StatusMethodNotAllowed
	case CodeBadRange:
		return http.StatusRequestedRangeNotSatisfiable
	case CodeInternal:
		return http.StatusInternalServerError
	case CodeStoreDown:
		return http.StatusServiceUnavailable
	}
	for _, m := range meanings() {
		if m.code == c {
			return m.status
		}
	}
	return http.StatusBadRequest
}

// ErrorOf is StatusOf's way back: the error that an answer with this status and
// body stands for. Statuses that say "not now" (429, 502, 503, 504 and 5xx
// without a known body) are runlog.ErrUnavailable, so that a worker keeps its
// events and tries again; 401 and 403 are runlog.ErrDenied. Both wrap the
// *APIError, for what the hub said.
func ErrorOf(run string, status int, body []byte) error {
	var b ErrorBody
	// A proxy's page instead of a body is told by its status alone.
	if json.Unmarshal(body, &b) != nil {
		b = ErrorBody{}
	}
	b.Message = clip(b.Message, 2*maxErrorText)
	if b.Code == CodeHeld && status == http.StatusConflict {
		return &runlog.HeldError{Run: run, Owner: clip(b.Owner, maxOwner), Age: time.Duration(max(b.AgeMs, 0)) * time.Millisecond}
	}
	for _, m := range meanings() {
		if m.code == b.Code && m.status == status && m.err != runlog.ErrDenied {
			return m.err
		}
	}
	api := &APIError{Status: status, Code: Code(clip(string(b.Code), 64)), Message: b.Message}
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		return fmt.Errorf("%w: %w", runlog.ErrDenied, api)
	}
	if later(status) {
		return fmt.Errorf("%w: %w", runlog.ErrUnavailable, api)
	}
	return api
}
