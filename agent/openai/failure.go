package openai

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/openai/openai-go/v3/option"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/internal/provider"
)

// refusal is the SDK's middleware for answers with an error status.
func refusal(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	return provider.Refusal(req, next, said)
}

// said reads an error as servers write it: {"error": {message, type, code}},
// {"error": "text"}, or the same without "error" around it. Of anything else
// nothing is shown: it may be a page, or an echo of the request.
func said(body []byte, status int, header func(string) string) *provider.Problem {
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
		return &provider.Problem{Text: title, Failure: failure}
	}
	return &provider.Problem{Text: title + ": " + text, Failure: failure}
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
