package agent_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringside-hub/ringside/agent"
)

// A tool does not wait for listeners at its updates, until very many wait.
func TestUpdatesDoNotHoldUpTheTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most, waiting = 1000, 256
		reported := 0
		chatty := tool("a", func(_ context.Context, onUpdate func(agent.ToolResult)) (agent.ToolResult, error) {
			for i := range most {
				onUpdate(agent.TextResult(strconv.Itoa(i)))
				reported++
			}
			return agent.TextResult("done"), nil
		})
		a := newAgent(t, agent.Options{Model: script(t, callA, bye), Tools: []agent.Tool{chatty}})
		release := make(chan struct{})
		var got []string
		a.Subscribe(func(_ context.Context, ev agent.Event) error {
			switch ev := ev.(type) {
			case agent.ToolExecutionUpdate:
				<-release
				got = append(got, ev.Partial.Content[0].Text)
			case agent.ToolExecutionEnd:
				got = append(got, "end")
			}
			return nil
		})
		done := make(chan error)
		go func() { done <- a.Prompt(t.Context(), "Go.") }()
		synctest.Wait()
		if reported < waiting || reported > waiting+1 {
			t.Errorf("%d updates reported while none is delivered, want about %d", reported, waiting)
		}
		close(release)
		must(<-done)
		for i := range most {
			if got[i] != strconv.Itoa(i) {
				t.Fatalf("update %d is %s", i, got[i])
			}
		}
		if len(got) != most+1 || got[most] != "end" {
			t.Errorf("%d events of the call", len(got))
		}
	})
}

// onUpdate may be called from any goroutine, and around the end of Execute.
func TestUpdatesFromGoroutines(t *testing.T) {
	var late sync.WaitGroup
	many := tool("a", func(_ context.Context, onUpdate func(agent.ToolResult)) (agent.ToolResult, error) {
		for range 8 {
			late.Go(func() {
				for range 100 {
					onUpdate(agent.TextResult("…"))
				}
			})
		}
		return agent.TextResult("done"), nil
	})
	var d diary
	a := newAgent(t, agent.Options{Model: script(t, callA, bye), Tools: []agent.Tool{many}})
	a.Subscribe(func(_ context.Context, ev agent.Event) error { d.write(ev); return nil })
	prompt(t, a)
	late.Wait()
	seen := false
	for _, line := range d.lines {
		if seen && line == "tool_execution_update c1" {
			t.Fatal("an update after the end")
		}
		seen = seen || line == "tool_execution_end c1 false done"
	}
	if !seen {
		t.Error("no end")
	}
}

// A call that its failed run has left behind learns of it by its context.
func TestLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cause error
		waits := tool("b", func(ctx context.Context, _ func(agent.ToolResult)) (agent.ToolResult, error) {
			<-ctx.Done()
			cause = context.Cause(ctx)
			time.Sleep(time.Hour) // cleaning up
			return agent.ToolResult{}, nil
		})
		a := newAgent(t, agent.Options{Model: script(t, callA+","+callB, bye), Tools: []agent.Tool{{Name: "a", Execute: noop}, waits}})
		off := a.Subscribe(func(_ context.Context, ev agent.Event) error {
			if _, ok := ev.(agent.ToolExecutionEnd); ok {
				return errors.New("listener broke")
			}
			return nil
		})
		prompt(t, a)
		off()
		prompt(t, a)
		began := time.Now()
		must(a.Shutdown(t.Context()))
		if time.Since(began) != time.Hour || cause == nil || errors.Is(cause, agent.ErrAborted) {
			t.Errorf("shutdown after %v, cause %v", time.Since(began), cause)
		}
	})
}
