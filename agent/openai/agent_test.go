package openai_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/openai"
	"github.com/ringside-hub/ringside/agent/retry"
)

// An agent whose provider is busy, then breaks off, then asks for three calls at
// once, does its work all the same, and says what happened.
func TestAgentOnBadServer(t *testing.T) {
	var bodies []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(body))
		switch len(bodies) {
		case 1:
			w.Header().Set("Retry-After-Ms", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`)
		case 2:
			_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`+"\n\n")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case 3:
			_, _ = w.Write(read(t, "testdata/parallel.sse"))
		default:
			_, _ = w.Write(read(t, "testdata/text.sse"))
		}
	}))
	defer srv.Close()

	var notices, ends []string
	var a *agent.Agent
	m, err := retry.New(model(t, openai.Options{BaseURL: srv.URL + "/v1", Client: srv.Client()}), retry.Policy{Base: time.Millisecond}, func(r retry.Retry) {
		a.Notify(agent.Notice{Kind: "retry", Text: r.Reason})
	})
	if err != nil {
		t.Fatal(err)
	}
	echo := func(name string) agent.Tool {
		return agent.Tool{Name: name, Execute: func(_ context.Context, id string, args json.RawMessage, _ func(agent.ToolResult)) (agent.ToolResult, error) {
			return agent.TextResult(name + " " + string(args)), nil
		}}
	}
	a, err = agent.New(agent.Options{Model: m, Tools: []agent.Tool{echo("read"), echo("ls")}, Observe: func(ev agent.Event) {
		switch ev := ev.(type) {
		case agent.Notice:
			notices = append(notices, ev.Text)
		case agent.ToolExecutionEnd:
			ends = append(ends, ev.ToolCallID+" "+ev.Result.Content[0].Text)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Prompt(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	want := []string{"429 rate_limit_exceeded: slow down", "the connection was cut before the answer was complete"}
	if !slices.Equal(notices, want) {
		t.Errorf("notices %q, want %q", notices, want)
	}
	slices.Sort(ends)
	want = []string{`call_a read {"path":"a.go"}`, `call_b ls {"path":"src"}`, "call_c Tool grep not found"}
	if !slices.Equal(ends, want) {
		t.Errorf("calls %q, want %q", ends, want)
	}
	messages := a.State().Messages
	if last := messages[len(messages)-1]; last.Text() != "Hello, world – 世界 🌍" || len(bodies) != 4 {
		t.Errorf("the last of %d answers is %q %q", len(bodies), last.Text(), last.ErrorMessage)
	}
	if !strings.Contains(bodies[3], `"tool_call_id":"call_c"`) {
		t.Errorf("the last request has not all results: %s", bodies[3])
	}
}
