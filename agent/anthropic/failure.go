package anthropic

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/internal/provider"
)

// refusal is the SDK's middleware for answers with an error status.
func refusal(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	return provider.Refusal(req, next, said)
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
func said(body []byte, status int, header func(string) string) *provider.Problem {
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
		return &provider.Problem{Text: title, Failure: failure}
	}
	return &provider.Problem{Text: title + ": " + e.Error.Message, Failure: failure}
}
