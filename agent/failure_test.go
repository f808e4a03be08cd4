package agent_test

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/ringside-hub/ringside/agent"
)

func TestHTTPFailure(t *testing.T) {
	for _, c := range []struct {
		status    int
		name, val string
		temporary bool
		after     time.Duration
	}{
		{400, "", "", false, 0},
		{401, "", "", false, 0},
		{429, "", "", true, 0},
		{429, "Retry-After", "7", true, 7 * time.Second},
		{429, "Retry-After", "0.5", true, 500 * time.Millisecond},
		{429, "Retry-After-Ms", "1500", true, 1500 * time.Millisecond},
		{429, "Retry-After", "-3", true, 0},
		{429, "Retry-After", "soon", true, 0},
		{429, "Retry-After", "NaN", true, 0},
		{429, "Retry-After", "1e300", true, math.MaxInt64},
		{429, "Retry-After", "1e999", true, math.MaxInt64},
		{429, "X-Should-Retry", "false", false, 0},
		{400, "X-Should-Retry", "true", true, 0},
		{500, "", "", true, 0},
		{501, "", "", false, 0},
		{529, "", "", true, 0},
	} {
		h := http.Header{}
		if c.name != "" {
			h.Set(c.name, c.val)
		}
		want := agent.Failure{Status: c.status, Temporary: c.temporary, RetryAfter: c.after}
		if got := *agent.HTTPFailure(c.status, h.Get); got != want {
			t.Errorf("%d %s %s: %+v, want %+v", c.status, c.name, c.val, got, want)
		}
	}
	if got := *agent.HTTPFailure(503, nil); got != (agent.Failure{Status: 503, Temporary: true}) {
		t.Errorf("without a header: %+v", got)
	}
}

func TestHTTPFailureDate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := func(d time.Duration) func(string) string {
			h := http.Header{"Retry-After": {time.Now().Add(d).UTC().Format(http.TimeFormat)}}
			return h.Get
		}
		if got := agent.HTTPFailure(503, at(90*time.Second)).RetryAfter; got != 90*time.Second {
			t.Errorf("a date in 90 s: %v", got)
		}
		if got := agent.HTTPFailure(503, at(-time.Hour)).RetryAfter; got != 0 {
			t.Errorf("a date that is over: %v", got)
		}
	})
}

func TestErrorText(t *testing.T) {
	for in, want := range map[string]string{
		"401: bad key sk-12345, use another than sk-12345": "401: bad key [hidden], use another than [hidden]",
		"two\n lines\tand\x00 \x1b[31mmore":                "two lines and [31mmore",
		"half a \xe2\x82":                                  "half a \uFFFD",
		"":                                                 "",
	} {
		if got := agent.ErrorText(in, "sk-12345", "", "a"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	long := agent.ErrorText(strings.Repeat("€", 1000))
	if len(long) > 500 || len(long) < 490 || !utf8.ValidString(long) || !strings.HasSuffix(long, "€ …") {
		t.Errorf("a long text is %d bytes: …%q", len(long), long[len(long)-20:])
	}
}
