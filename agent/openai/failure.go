package openai

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/openai/openai-go/v3/option"

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
// the body however long it is, and forget the status if it is no JSON.
func (m *Model) refusal(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(req)
	if err != nil || res.StatusCode < 400 {
		return res, err
	}
	defer res.Body.Close()
	const enough = 64 << 10
	body, _ := io.ReadAll(io.LimitReader(res.Body, enough))
	return nil, said(body, res.StatusCode, res.Header.Get)
}

// said reads an error as servers write it: {"error": {message, type, code}},
// {"error": "text"}, or the same without "error" around it. Of anything else
// nothing is shown: it may be a page, or an echo of the request.
func said(body []byte, status int, header func(string) string) *problem {
	e := members(body)
	text := words(e["error"])
	if inner := members(e["error"]); inner != nil {
		e = inner
	}
	text = cmp.Or(words(e["message"]), text, words(e["detail"]))
	code := cmp.Or(words(e["code"]), words(e["type"]))
	known := strings.Join([]string{words(e["code"]), words(e["type"])}, " ")
	failure := agent.HTTPFailure(cmp.Or(status, statusOf(known)), header)
	switch {
	case strings.Contains(known, "insufficient_quota"):
		failure.Temporary = false // it would take a payment
	case failure.Status == 0:
		failure.Temporary = true // the request had been accepted
	}
	title := strings.TrimSpace(strconv.Itoa(failure.Status) + " " + http.StatusText(failure.Status))
	switch {
	case failure.Status == 0:
		title = cmp.Or(code, "the provider reported an error")
	case code != "" && code != strconv.Itoa(failure.Status):
		title = fmt.Sprintf("%d %s", failure.Status, code)
	}
	if text == "" {
		return &problem{title, failure}
	}
	return &problem{title + ": " + text, failure}
}

// statusOf gives an error inside a stream the status that it would have had as
// an answer; 0 if it is not known.
func statusOf(known string) int {
	first, _, _ := strings.Cut(known, " ")
	if n, err := strconv.Atoi(first); err == nil && 400 <= n && n < 600 {
		return n
	}
	for _, c := range []struct {
		word   string
		status int
	}{
		{"rate_limit", http.StatusTooManyRequests},
		{"insufficient_quota", http.StatusTooManyRequests},
		{"overloaded", http.StatusServiceUnavailable},
		{"unavailable", http.StatusServiceUnavailable},
		{"timeout", http.StatusGatewayTimeout},
		{"server_error", http.StatusInternalServerError},
		{"internal", http.StatusInternalServerError},
		{"authentication", http.StatusUnauthorized},
		{"invalid", http.StatusBadRequest},
		{"context_length", http.StatusBadRequest},
	} {
		if strings.Contains(known, c.word) {
			return c.status
		}
	}
	return 0
}

// members returns the members of a JSON object, or nil.
func members(raw []byte) map[string]jsontext.Value {
	var m map[string]jsontext.Value
	if err := json.Unmarshal(raw, &m, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil
	}
	return m
}

// words returns a string or a number as text.
func words(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return unquote(string(v[1 : len(v)-1]))
	case '0':
		return string(v)
	}
	return ""
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
