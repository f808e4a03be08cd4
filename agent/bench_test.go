package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/ringside-hub/ringside/agent"
)

// BenchmarkEvents measures events per second through an agent: one turn of
// parallel tools with a hundred updates each, in turns of their own messages.
func BenchmarkEvents(b *testing.B) {
	for _, tools := range []int{1, 8} {
		for _, listeners := range []int{0, 1} {
			b.Run(fmt.Sprintf("tools=%d/listeners=%d", tools, listeners), func(b *testing.B) { benchmarkEvents(b, tools, listeners) })
		}
	}
}

func benchmarkEvents(b *testing.B, tools, listeners int) {
	const updates = 100
	partial := agent.TextResult("half of it")
	reports := tool("a", func(_ context.Context, onUpdate func(agent.ToolResult)) (agent.ToolResult, error) {
		for range updates {
			onUpdate(partial)
		}
		return partial, nil
	})
	var calls []agent.Block
	for i := range tools {
		calls = append(calls, agent.Block{Type: agent.BlockToolCall, ToolCall: &agent.ToolCall{ID: fmt.Sprint("c", i), Name: "a", Arguments: json.RawMessage(`{}`)}})
	}
	turn := 0
	model := agent.ModelFunc(func(context.Context, agent.Request, func(agent.AssistantUpdate) error) (agent.Message, error) {
		if turn++; turn%2 == 0 {
			return agent.Message{}, nil
		}
		return agent.Message{Content: calls}, nil
	})
	events := 0
	a := newAgent(b, agent.Options{Model: model, Tools: []agent.Tool{reports}, Observe: func(agent.Event) { events++ }})
	for range listeners {
		a.Subscribe(func(context.Context, agent.Event) error { return nil })
	}
	b.ReportAllocs()
	for b.Loop() {
		must(a.SetMessages())
		must(a.Prompt(b.Context(), "Go."))
	}
	perSecond(b, events)
}

// BenchmarkDeltas measures streamed text.
func BenchmarkDeltas(b *testing.B) {
	const deltas = 1000
	model := agent.ModelFunc(func(_ context.Context, _ agent.Request, update func(agent.AssistantUpdate) error) (agent.Message, error) {
		must(update(agent.AssistantUpdate{Type: agent.UpdateStart}))
		for range deltas {
			must(update(agent.AssistantUpdate{Type: agent.UpdateTextDelta, Delta: "word "}))
		}
		return agent.Message{}, nil
	})
	events := 0
	a := newAgent(b, agent.Options{Model: model, Observe: func(agent.Event) { events++ }})
	b.ReportAllocs()
	for b.Loop() {
		must(a.SetMessages())
		must(a.Prompt(b.Context(), "Go."))
	}
	perSecond(b, events)
}

// BenchmarkLoop is the same through the low-level loop.
func BenchmarkLoop(b *testing.B) {
	o := agent.Options{Model: script(b, bye)}
	events := 0
	b.ReportAllocs()
	for b.Loop() {
		o.Model = script(b, bye)
		for _, err := range agent.Loop(b.Context(), o, agent.UserMessage("Go.")) {
			must(err)
			events++
		}
	}
	perSecond(b, events)
}

// BenchmarkArguments measures converting and checking, with something to convert
// and without.
func BenchmarkArguments(b *testing.B) {
	const schema = `{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer","minimum":1},"all":{"type":"boolean"}},"required":["path"],"additionalProperties":false}`
	check := agent.ArgumentChecker(schema)
	for name, args := range map[string]string{"as-is": `{"path":"src/main.go","limit":20,"all":true}`, "converted": `{"path":"src/main.go","limit":"20","all":"true"}`} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := check([]byte(args)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func perSecond(b *testing.B, events int) {
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
}
