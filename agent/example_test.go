package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/scripted"
)

// One tool, one hook, one listener.
func Example() {
	script, err := scripted.Parse([]byte(`{"responses": [
		{"steps": [{"call": {"name": "add", "arguments": {"a": 2, "b": "3"}}}]},
		{"steps": [{"text": "It is 5."}]}]}`))
	if err != nil {
		log.Fatal(err)
	}
	add := agent.Tool{
		Name:       "add",
		Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`),
		Execute: func(_ context.Context, _ string, args json.RawMessage, _ func(agent.ToolResult)) (agent.ToolResult, error) {
			var in struct{ A, B float64 }
			if err := json.Unmarshal(args, &in); err != nil {
				return agent.ToolResult{}, err
			}
			return agent.TextResult(fmt.Sprint(in.A + in.B)), nil
		},
	}
	a, err := agent.New(agent.Options{Model: scripted.New(script), Tools: []agent.Tool{add}, Hooks: agent.Hooks{
		BeforeToolCall: func(_ context.Context, c agent.Call) (agent.Verdict, error) {
			return agent.Verdict{Block: c.ToolCall.Name != "add", Reason: "only sums"}, nil
		}}})
	if err != nil {
		log.Fatal(err)
	}
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		if end, ok := ev.(agent.ToolExecutionEnd); ok {
			fmt.Println("the tool says", end.Result.Content[0].Text)
		}
		return nil
	})
	if err := a.Prompt(context.Background(), "What is 2 + 3?"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.State().Messages[3].Text())
	// Output:
	// the tool says 5
	// It is 5.
}

// A model is a function that streams updates and returns the whole message.
func ExampleLoop() {
	model := agent.ModelFunc(func(_ context.Context, req agent.Request, update func(agent.AssistantUpdate) error) (agent.Message, error) {
		var draft agent.Draft
		for _, u := range []agent.AssistantUpdate{
			{Type: agent.UpdateStart},
			{Type: agent.UpdateTextDelta, Delta: "You said: "},
			{Type: agent.UpdateTextDelta, Delta: req.Messages[0].Text()},
		} {
			draft.Apply(u)
			if err := update(u); err != nil {
				return agent.Message{}, err
			}
		}
		return agent.Message{Content: draft.Content()}, nil
	})
	for ev, err := range agent.Loop(context.Background(), agent.Options{Model: model}, agent.UserMessage("hello")) {
		if err != nil {
			log.Fatal(err)
		}
		switch ev := ev.(type) {
		case agent.MessageUpdate:
			fmt.Printf("%q\n", ev.Update.Delta)
		case agent.AgentEnd:
			fmt.Println(ev.Messages[1].Text())
		}
	}
	// Output:
	// "You said: "
	// "hello"
	// You said: hello
}
