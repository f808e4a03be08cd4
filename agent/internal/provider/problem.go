package provider

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/ringside-hub/ringside/agent"
)

// Problem is what went wrong at or on the way to a provider.
type Problem struct {
	Text    string
	Failure *agent.Failure
}

func (p *Problem) Error() string { return p.Text }

// Cut is a connection that broke.
func Cut(text string) *Problem {
	return &Problem{text, &agent.Failure{Temporary: true}}
}

// Broken is an answer that makes no sense, and would not the next time either.
func Broken(format string, args ...any) *Problem {
	return &Problem{fmt.Sprintf(format, args...), &agent.Failure{}}
}

// ErrEarlyEnd is an answer that ended before it was complete.
var ErrEarlyEnd = Cut("the connection was cut before the answer was complete")

// Refusal makes the request with next, and a problem of an answer with an error
// status, which said reads. An SDK would read the body however long it is, and
// might forget the status if it is no JSON.
func Refusal(
	req *http.Request, next func(*http.Request) (*http.Response, error),
	said func(body []byte, status int, header func(string) string) *Problem,
) (*http.Response, error) {
	res, err := next(req)
	if err != nil || res.StatusCode < 400 {
		return res, err
	}
	defer res.Body.Close()
	const enough = 64 << 10
	body, _ := io.ReadAll(io.LimitReader(res.Body, enough))
	return nil, said(body, res.StatusCode, res.Header.Get)
}

// Lost makes a problem of an error of the connection or of an SDK. An address
// may hold secrets, so that only what happened to it is said.
func Lost(err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ErrEarlyEnd
	case errors.Is(err, bufio.ErrTooLong):
		return Broken("the answer has an event of more than %d MiB", MaxEvent>>20)
	case errors.Is(err, context.DeadlineExceeded):
		return Cut("the server did not answer in time")
	}
	return Cut("the connection failed: " + err.Error())
}
