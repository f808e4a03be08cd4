package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/openai"
)

// answers stands for a server: it gives one answer to each request.
func answers(answers ...string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, answers[0])
		answers = answers[1:]
	}))
}

// An agent with one tool, on a server that speaks chat completions.
func Example() {
	srv := answers(
		`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"add","arguments":"{\"a\":19,\"b\":23}"}}]}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

`,
		`data: {"choices":[{"index":0,"delta":{"content":"It is 42."}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: [DONE]

`)
	defer srv.Close()

	model, err := openai.New(openai.Options{Model: "local-model", BaseURL: srv.URL + "/v1", Client: srv.Client()})
	if err != nil {
		fmt.Println(err)
		return
	}
	add := agent.Tool{
		Name:       "add",
		Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}`),
		Execute: func(_ context.Context, _ string, args json.RawMessage, _ func(agent.ToolResult)) (agent.ToolResult, error) {
			var n struct{ A, B int }
			if err := json.Unmarshal(args, &n); err != nil {
				return agent.ToolResult{}, err
			}
			return agent.TextResult(fmt.Sprint(n.A + n.B)), nil
		},
	}
	for ev, err := range agent.Loop(context.Background(), agent.Options{Model: model, Tools: []agent.Tool{add}}, agent.UserMessage("What is 19 + 23?")) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch ev := ev.(type) {
		case agent.ToolExecutionEnd:
			fmt.Println(ev.ToolName, "gave", ev.Result.Content[0].Text)
		case agent.MessageEnd:
			if text := ev.Message.Text(); text != "" {
				fmt.Printf("%s: %s\n", ev.Message.Role, text)
			}
		}
	}
	// Output:
	// user: What is 19 + 23?
	// add gave 42
	// toolResult: 42
	// assistant: It is 42.
}
