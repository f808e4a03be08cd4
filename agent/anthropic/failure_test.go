package anthropic_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/anthropic"
)

func TestStatus(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		header map[string]string
		body   string
		text   string
		want   agent.Failure
	}{
		"rate limit": {429, map[string]string{"Retry-After": "20"},
			`{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your rate limit"},"request_id":"req_1"}`,
			"429 rate_limit_error: This request would exceed your rate limit", agent.Failure{Status: 429, Temporary: true, RetryAfter: 20 * time.Second}},
		"overloaded":        {529, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "529 overloaded_error: Overloaded", agent.Failure{Status: 529, Temporary: true}},
		"the key is echoed": {401, nil, `{"type":"error","error":{"type":"authentication_error","message":"invalid key ` + key + `"}}`, "401 authentication_error: invalid key [hidden]", agent.Failure{Status: 401}},
		"not found":         {404, nil, `{"type":"error","error":{"type":"not_found_error","message":"model: x"}}`, "404 not_found_error: model: x", agent.Failure{Status: 404}},
		"another shape":     {400, nil, `{"error":"secret"}`, "400 Bad Request", agent.Failure{Status: 400}},
		"a page":            {502, nil, "<html><body>secret backend</body></html>", "502 Bad Gateway", agent.Failure{Status: 502, Temporary: true}},
		"nothing":           {503, nil, "", "503 Service Unavailable", agent.Failure{Status: 503, Temporary: true}},
		"an unknown one":    {599, nil, "{", "599", agent.Failure{Status: 599, Temporary: true}},
		"endless":           {500, nil, strings.Repeat("x", 1<<20), "500 Internal Server Error", agent.Failure{Status: 500, Temporary: true}},
		"not to be tried":   {500, map[string]string{"X-Should-Retry": "false"}, "", "500 Internal Server Error", agent.Failure{Status: 500}},
		"a page with 200":   {200, nil, "\n <!DOCTYPE html>", "the server answered with a page, not with an event stream: is the base URL right?", agent.Failure{}},
		"other JSON":        {200, nil, `{"models":[]}`, "the answer is JSON, but no message", agent.Failure{}},
		"an error as 200":   {200, nil, `{"type":"error","error":{"message":"overloaded","type":"overloaded_error"}}`, "529 overloaded_error: overloaded", agent.Failure{Status: 529, Temporary: true}},
		"no bytes":          {200, nil, "", "the connection was cut before the answer was complete", agent.Failure{Temporary: true}},
		"only comments":     {200, nil, ": hi\n\n: ho\n\n", "the connection was cut before the answer was complete", agent.Failure{Temporary: true}},
		"not an object":     {200, nil, "data: [1]\n\n", "the answer has an event that is no JSON object", agent.Failure{}},
		"too deep":          {200, nil, "data: {\"type\":\"x\",\"y\":" + strings.Repeat("[", 100_000) + "\n\n", "the answer has an event that is no JSON object", agent.Failure{}},
		"a very long line":  {200, nil, "data: " + strings.Repeat("x", 33<<20), "the answer has an event of more than 32 MiB", agent.Failure{}},
	} {
		t.Run(name, func(t *testing.T) {
			m := serve(t, func(w http.ResponseWriter, r *http.Request) {
				for k, v := range c.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			msg, _ := ask(t.Context(), t, m)
			if msg.StopReason != agent.StopError || msg.ErrorMessage != c.text || msg.Failure == nil || *msg.Failure != c.want {
				t.Errorf("got %s %q %+v, want %q %+v", msg.StopReason, msg.ErrorMessage, msg.Failure, c.text, c.want)
			}
		})
	}
}

func TestNobodyThere(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	m := model(t, anthropic.Options{BaseURL: srv.URL + "/secret-path", Client: srv.Client()})
	srv.Close()
	msg, _ := ask(t.Context(), t, m)
	if msg.Failure == nil || !msg.Failure.Temporary || !strings.Contains(msg.ErrorMessage, "refused") || strings.Contains(msg.ErrorMessage, "secret-path") {
		t.Errorf("got %q %+v", msg.ErrorMessage, msg.Failure)
	}
}

// endless streams the same event until its client has gone.
func endless(first, event string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, first)
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, event); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
		}
	}
}

const (
	begin = `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n"
	word  = `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"and "}}` + "\n\n"
)

func TestAbort(t *testing.T) {
	m := serve(t, endless(begin, word))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	msg, err := m.Stream(ctx, hello, func(u agent.AssistantUpdate) error {
		if n++; n == 100 {
			cancel()
		}
		return nil
	})
	if err != nil || msg.StopReason != agent.StopAborted || msg.ErrorMessage != "Request was aborted" || msg.Failure != nil {
		t.Errorf("got %s %q %+v %v", msg.StopReason, msg.ErrorMessage, msg.Failure, err)
	}
	if !strings.HasPrefix(msg.Text(), "and and ") {
		t.Errorf("what was streamed is lost: %q", msg.Text())
	}
}

// A server that says nothing more does not hold up an abort, neither before it
// has answered nor after.
func TestAbortSilence(t *testing.T) {
	for _, before := range []string{"", ": waiting\n\n", begin + word} {
		asked := make(chan struct{})
		m := serve(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, before)
			if before != "" {
				_ = http.NewResponseController(w).Flush()
			}
			close(asked)
			<-r.Context().Done()
		})
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-asked; cancel() }()
		msg, _ := ask(ctx, t, m)
		if msg.StopReason != agent.StopAborted {
			t.Errorf("after %q: %s %q", before, msg.StopReason, msg.ErrorMessage)
		}
	}
}

func TestRefusedUpdate(t *testing.T) {
	m := serve(t, endless(begin, word))
	broke, n := errors.New("listener broke"), 0
	_, err := m.Stream(t.Context(), hello, func(agent.AssistantUpdate) error {
		if n++; n >= 3 {
			return broke
		}
		return nil
	})
	if !errors.Is(err, broke) || n != 3 {
		t.Errorf("got %v after %d updates, want the error after 3", err, n)
	}
}

func TestTooManyBlocks(t *testing.T) {
	m := serve(t, endless("", `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"f"}}`+"\n\n"))
	msg, err := m.Stream(t.Context(), hello, func(agent.AssistantUpdate) error { return nil })
	if err != nil || msg.ErrorMessage != "the answer has more than 10000 blocks" || len(msg.Content) != 10_000 {
		t.Errorf("got %q and %d blocks, %v", msg.ErrorMessage, len(msg.Content), err)
	}
}

func TestTooLong(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	m := serve(t, endless(begin, `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"`+long+`"}}`+"\n\n"))
	msg, err := m.Stream(t.Context(), hello, func(agent.AssistantUpdate) error { return nil })
	if err != nil || msg.ErrorMessage != "the answer has more than 64 MiB" || len(msg.Text()) != 64<<20 {
		t.Errorf("got %q and %d bytes, %v", msg.ErrorMessage, len(msg.Text()), err)
	}
}
