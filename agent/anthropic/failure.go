package anthropic

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/agent"
)

// problem is what went wrong at or on the way to the provider.
type problem struct {
	text    string
	failure *agent.Failure
}

func (p *problem) Error() string { return p.text }

// cut is a connection that broke.
func cut(text string) *problem {
	return &problem{text, &agent.Failure{Temporary: true}}
}

// broken is an answer that makes no sense, and would not the next time either.
func broken(format string, args ...any) *problem {
	return &problem{fmt.Sprintf(format, args...), &agent.Failure{}}
}

var errEarlyEnd = cut("the connection was cut before the answer was complete")

// refusal makes a problem of an answer with an error status. The SDK would read
// the body however long it is.
func refusal(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(req)
	if err != nil || res.StatusCode < 400 {
		return res, err
	}
	defer res.Body.Close()
	const enough = 64 << 10
	body, _ := io.ReadAll(io.LimitReader(res.Body, enough))
	return nil, said(body, res.StatusCode, res.Header.Get)
}

// statuses are those of the API's error types, for errors inside a stream.
var statuses = map[string]int{
	"invalid_request_error": 400,
	"authentication_error":  401,
	"billing_error":         402,
	"permission_error":      403,
	"not_found_error":       404,
	"request_too_large":     413,
	"rate_limit_error":      429,
	"api_error":             500,
	"timeout_error":         504,
	"overloaded_error":      529,
}

// said reads {"error": {"type", "message"}}. Of anything else nothing is shown:
// it may be a page, or an echo of the request. status is 0 inside a stream.
func said(body []byte, status int, header func(string) string) *problem {
	var e struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	_ = json.Unmarshal(body, &e, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	failure := agent.HTTPFailure(cmp.Or(status, statuses[e.Error.Type]), header)
	title := cmp.Or(e.Error.Type, http.StatusText(failure.Status))
	if failure.Status == 0 {
		failure.Temporary = true // the request had been accepted
		title = cmp.Or(title, "the provider reported an error")
	} else {
		title = fmt.Sprintf("%d %s", failure.Status, title)
	}
	if e.Error.Message == "" {
		return &problem{title, failure}
	}
	return &problem{title + ": " + e.Error.Message, failure}
}

// lost makes a problem of an error of the connection or of the SDK. An address
// may hold secrets, so that only what happened to it is said.
func lost(err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errEarlyEnd
	case errors.Is(err, bufio.ErrTooLong):
		return broken("the answer has an event of more than %d MiB", maxEvent>>20)
	case errors.Is(err, context.DeadlineExceeded):
		return cut("the server did not answer in time")
	}
	return cut("the connection failed: " + err.Error())
}
