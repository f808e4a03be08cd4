package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/anthropic"
)

// answers stands for a server: it gives one answer to each request.
func answers(answers ...string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, answers[0])
		answers = answers[1:]
	}))
}

// An agent with one tool, on a server that speaks the Messages API.
func Example() {
	srv := answers(
		`data: {"type":"message_start","message":{"role":"assistant","content":[],"usage":{"input_tokens":20}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"add","input":{}}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":19,\"b\":23}"}}

data: {"type":"content_block_stop","index":0}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}

data: {"type":"message_stop"}

`,
		`data: {"type":"message_start","message":{"role":"assistant","content":[],"usage":{"input_tokens":40}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"It is 42."}}

data: {"type":"content_block_stop","index":0}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}

data: {"type":"message_stop"}

`)
	defer srv.Close()

	model, err := anthropic.New(anthropic.Options{Model: "claude-x", BaseURL: srv.URL, Client: srv.Client()})
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
