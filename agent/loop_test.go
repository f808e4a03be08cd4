package agent_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/ringside-hub/ringside/agent"
)

func TestLoopContinues(t *testing.T) {
	var d diary
	o := agent.Options{Model: script(t, bye), Messages: []agent.Message{agent.UserMessage("Go.")}}
	for ev, err := range agent.Loop(t.Context(), o) {
		must(err)
		d.write(ev)
	}
	if d.lines[0] != "agent_start" || d.lines[2] != "message_start assistant" || d.lines[len(d.lines)-1] != "agent_end" {
		t.Error(d.String())
	}
	for _, messages := range [][]agent.Message{nil, {{Role: agent.RoleAssistant}}} {
		o.Messages = messages
		for ev, err := range agent.Loop(t.Context(), o) {
			if err == nil {
				t.Errorf("%v from %v", ev, messages)
			}
		}
	}
}

func TestLoopFails(t *testing.T) {
	broke := errors.New("broke")
	o := agent.Options{Model: script(t, bye)}
	o.Hooks.ShouldStopAfterTurn = func(context.Context, agent.Turn) (bool, error) { return false, broke }
	var last agent.Event
	var failed error
	for ev, err := range agent.Loop(t.Context(), o, agent.UserMessage("Go.")) {
		if err != nil {
			failed = err
			continue
		}
		last = ev
	}
	if _, ok := last.(agent.TurnEnd); !ok || !errors.Is(failed, broke) {
		t.Errorf("%T, then %v", last, failed)
	}
}

// A reader that stops gets control back when the calls have returned.
func TestLoopReaderStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cause error
		waits := tool("a", func(ctx context.Context, onUpdate func(agent.ToolResult)) (agent.ToolResult, error) {
			onUpdate(agent.TextResult("begun"))
			<-ctx.Done()
			cause = context.Cause(ctx)
			return agent.ToolResult{}, nil
		})
		o := agent.Options{Model: script(t, callA, bye), Tools: []agent.Tool{waits}}
		for ev, err := range agent.Loop(t.Context(), o, agent.UserMessage("Go.")) {
			must(err)
			if _, ok := ev.(agent.ToolExecutionUpdate); ok {
				break
			}
		}
		if !errors.Is(cause, agent.ErrAborted) {
			t.Errorf("the tool's context ended with %v", cause)
		}
	})
}

// What is queued while the next turn is prepared comes with that turn.
func TestSteeringWhilePreparing(t *testing.T) {
	var a *agent.Agent
	o := agent.Options{Model: script(t, callA, bye), Tools: []agent.Tool{{Name: "a", Execute: noop}}}
	o.Hooks.PrepareNextTurn = func(context.Context, agent.Turn) (agent.NextTurn, error) {
		a.Steer(agent.UserMessage("quick"))
		return agent.NextTurn{}, nil
	}
	a = newAgent(t, o)
	prompt(t, a)
	if m := a.State().Messages; len(m) != 5 || m[3].Text() != "quick" || m[4].Text() != "Bye." {
		t.Errorf("%+v", m)
	}
}
