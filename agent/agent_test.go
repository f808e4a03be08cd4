package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ringside-hub/ringside/agent"
)

func TestOptionsThatCannotWork(t *testing.T) {
	model := script(t, bye)
	good := agent.Tool{Name: "a", Execute: noop}
	for want, o := range map[string]agent.Options{
		"Model is nil":             {},
		"Execution is \"both\"":    {Model: model, Execution: "both"},
		"unknown queue mode \"x\"": {Model: model, FollowUpMode: "x"},
		"MaxAnswer is -1":          {Model: model, MaxAnswer: -1},
		"it has no name":           {Model: model, Tools: []agent.Tool{{Execute: noop}}},
		"it has no Execute":        {Model: model, Tools: []agent.Tool{{Name: "x"}}},
		"tool 1 \"a\": there is another tool of that name": {Model: model, Tools: []agent.Tool{good, good}},
		"its ExecutionMode is \"fast\"":                    {Model: model, Tools: []agent.Tool{{Name: "x", Execute: noop, ExecutionMode: "fast"}}},
	} {
		if _, err := agent.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New: %v, want %q", err, want)
		}
		for _, err := range agent.Loop(t.Context(), o, agent.UserMessage("Go.")) {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("Loop: %v, want %q", err, want)
			}
		}
	}
}

func TestContinue(t *testing.T) {
	cut := `{"cut":"lost"}`
	a := newAgent(t, agent.Options{Model: script(t, cut, bye, bye, bye)})
	if err := a.Continue(t.Context()); err == nil {
		t.Error("continued from nothing")
	}
	if err := a.SetMessages(agent.UserMessage("Go.")); err != nil {
		t.Fatal(err)
	}
	var d diary
	a.Subscribe(func(_ context.Context, ev agent.Event) error { d.write(ev); return nil })
	must(a.Continue(t.Context()))
	d.expect(t, "agent_start", "turn_start", "message_start assistant", `message_end assistant error "" lost`, "turn_end", "agent_end")
	if err := a.Continue(t.Context()); err == nil || !strings.Contains(err.Error(), "assistant") {
		t.Errorf("continued after an answer: %v", err)
	}
	a.FollowUp(agent.UserMessage("f1"), agent.UserMessage("f2"))
	a.Steer(agent.UserMessage("s1"), agent.UserMessage("s2"))
	must(a.Continue(t.Context()))
	var texts []string
	for _, m := range a.State().Messages {
		texts = append(texts, m.Text())
	}
	// s1 is the prompt; s2 waits for the next turn, f1 and f2 until then.
	if want := []string{"Go.", "", "s1", "Bye.", "s2", "Bye.", "f1", "Bye.", "f2", ""}; !slices.Equal(texts, want) {
		t.Errorf("messages %q, want %q", texts, want)
	}
}

func TestEmptyPrompt(t *testing.T) {
	if err := newAgent(t, agent.Options{Model: script(t, bye)}).PromptMessages(t.Context()); err == nil {
		t.Error("a prompt of no messages was accepted")
	}
}

// Observers see one order, also while tools run side by side and queues change.
func TestObserveIsTheOrderOfState(t *testing.T) {
	var a *agent.Agent
	var inside sync.Mutex
	pending, queued := map[string]bool{}, 0
	observe := func(ev agent.Event) {
		if !inside.TryLock() {
			t.Error("Observe was called concurrently")
			return
		}
		defer inside.Unlock()
		s := a.State()
		switch ev := ev.(type) {
		case agent.ToolExecutionStart:
			pending[ev.ToolCallID] = true
		case agent.ToolExecutionEnd:
			delete(pending, ev.ToolCallID)
		case agent.QueueUpdate:
			queued = len(ev.FollowUp)
		}
		if len(s.PendingToolCalls) != len(pending) || len(s.FollowUp) != queued {
			t.Errorf("at %s: state has %v and %d queued, the events say %v and %d", short(ev), s.PendingToolCalls, len(s.FollowUp), pending, queued)
		}
	}
	var calls []string
	for i := range 16 {
		calls = append(calls, fmt.Sprintf(`{"call":{"name":"a","id":"c%d"}}`, i))
	}
	busy := tool("a", func(_ context.Context, onUpdate func(agent.ToolResult)) (agent.ToolResult, error) {
		for range 20 {
			onUpdate(agent.TextResult("…"))
		}
		a.FollowUp(agent.UserMessage("more"))
		return agent.TextResult("done"), nil
	})
	a = newAgent(t, agent.Options{Model: script(t, strings.Join(calls, ","), bye, bye), Tools: []agent.Tool{busy}, Observe: observe, FollowUpMode: agent.AllAtOnce})
	a.Subscribe(func(context.Context, agent.Event) error { return nil })
	prompt(t, a)
	if len(pending) != 0 || queued != 0 {
		t.Errorf("pending %v, queued %d", pending, queued)
	}
}

func TestObserverSeesQueuesAndNotices(t *testing.T) {
	var d diary
	o := agent.Options{Model: script(t, bye, bye), Observe: func(ev agent.Event) {
		switch ev.(type) {
		case agent.QueueUpdate, agent.Notice:
			d.write(ev)
		}
	}}
	a := newAgent(t, o)
	a.Steer(agent.UserMessage("one"))
	a.FollowUp(agent.UserMessage("two"))
	a.Notify(agent.Notice{Kind: "retry", Text: "again in 2 s"})
	prompt(t, a)
	a.Steer(agent.UserMessage("three"))
	a.ClearQueues()
	a.Steer()
	d.expect(t, "queue [one] []", "queue [one] [two]", "notice again in 2 s", "queue [] [two]", "queue [] []", "queue [three] []", "queue [] []")
}

func TestUnsubscribe(t *testing.T) {
	a := newAgent(t, agent.Options{Model: script(t, bye)})
	var seen []string
	var off func()
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		if _, ok := ev.(agent.TurnStart); ok {
			off()
			off()
		}
		return nil
	})
	off = a.Subscribe(func(_ context.Context, ev agent.Event) error { seen = append(seen, typeOf(ev)); return nil })
	prompt(t, a)
	if !slices.Equal(seen, []string{"agent_start"}) {
		t.Errorf("saw %v", seen)
	}
}

func TestStreamingState(t *testing.T) {
	var states []string
	a := newAgent(t, agent.Options{Model: script(t, `{"thinking":"hm"},{"text":"a b"},`+callA)})
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		if u, ok := ev.(agent.MessageUpdate); ok && u.Update.Type != agent.UpdateThinkingStart {
			content := a.State().Streaming.Content
			last := content[len(content)-1]
			states = append(states, fmt.Sprintf("%d %s", len(content), last.Text))
			if last.ToolCall != nil {
				states[len(states)-1] += string(last.ToolCall.Arguments)
			}
		}
		return nil
	})
	prompt(t, a)
	if want := []string{"1 hm", "1 hm", "2 ", "2 a ", "2 a b", "2 a b", "3 {}", "3 {}", "3 {}"}; !slices.Equal(states, want) {
		t.Errorf("states %q, want %q", states, want)
	}
	if a.State().Streaming != nil {
		t.Error("still streaming when idle")
	}
}

func TestHooksOfTurnsAndRequests(t *testing.T) {
	var requests []string
	say := func(name string) agent.Model {
		return agent.ModelFunc(func(_ context.Context, r agent.Request, _ func(agent.AssistantUpdate) error) (agent.Message, error) {
			var text strings.Builder
			text.WriteString(name + " " + r.System)
			for _, m := range r.Messages {
				text.WriteString(" " + m.Text())
			}
			requests = append(requests, text.String())
			return agent.Message{Content: agent.UserMessage(name).Content}, nil
		})
	}
	hooks := agent.Hooks{
		PrepareNextTurn: func(_ context.Context, turn agent.Turn) (agent.NextTurn, error) {
			if turn.Message.Text() != "one" || len(turn.Added) != 2 || len(turn.Context.Messages) != 2 {
				t.Errorf("turn %+v", turn)
			}
			return agent.NextTurn{
				Context:  &agent.Context{System: "new", Messages: []agent.Message{agent.UserMessage("summary")}},
				Model:    say("two"),
				Messages: []agent.Message{agent.UserMessage("prepared")},
			}, nil
		},
		TransformContext: func(_ context.Context, m []agent.Message) ([]agent.Message, error) {
			return append(m, agent.Message{Role: "custom", Content: agent.UserMessage("custom").Content}), nil
		},
		ConvertToModel: func(_ context.Context, m []agent.Message) ([]agent.Message, error) {
			return append(m, agent.UserMessage("converted")), nil
		},
	}
	a := newAgent(t, agent.Options{Model: say("one"), System: "old", Hooks: hooks})
	a.FollowUp(agent.UserMessage("queued"))
	prompt(t, a)
	want := []string{"one old Go. custom converted", "two new summary prepared queued custom converted"}
	if !slices.Equal(requests, want) {
		t.Errorf("requests %q, want %q", requests, want)
	}
	var texts []string
	for _, m := range a.State().Messages {
		texts = append(texts, m.Text())
	}
	if want := []string{"Go.", "one", "prepared", "queued", "two"}; !slices.Equal(texts, want) {
		t.Errorf("conversation %q, want %q", texts, want)
	}
}

func TestStrangeMessagesAreNotForModels(t *testing.T) {
	var roles []agent.Role
	model := agent.ModelFunc(func(_ context.Context, r agent.Request, _ func(agent.AssistantUpdate) error) (agent.Message, error) {
		for _, m := range r.Messages {
			roles = append(roles, m.Role)
		}
		return agent.Message{}, nil
	})
	a := newAgent(t, agent.Options{Model: model, Messages: []agent.Message{{Role: "note"}, agent.UserMessage("x")}})
	prompt(t, a)
	if !slices.Equal(roles, []agent.Role{"user", "user"}) {
		t.Errorf("roles %v", roles)
	}
}

func TestSettersWantAnIdleAgent(t *testing.T) {
	a := newAgent(t, agent.Options{Model: script(t, bye, bye)})
	check := func(want error) {
		for _, err := range []error{a.SetModel(script(t, bye)), a.SetSystem("s"), a.SetTools(), a.SetMessages()} {
			if !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
	}
	off := a.Subscribe(func(context.Context, agent.Event) error { check(agent.ErrBusy); return nil })
	prompt(t, a)
	off()
	check(nil)
	if err := a.SetTools(agent.Tool{Name: "x"}); err == nil {
		t.Error("a tool that cannot work was accepted")
	}
	prompt(t, a)
	if got := a.State(); got.System != "s" || len(got.Messages) != 2 {
		t.Errorf("system %q, %d messages", got.System, len(got.Messages))
	}
}

// Content that an after-hook replaced must not survive in the whole output.
func TestOverrideDropsOutput(t *testing.T) {
	secret := tool("a", func(context.Context, func(agent.ToolResult)) (agent.ToolResult, error) {
		r := agent.TextResult("secret")
		r.Output, r.Details = "secret, in full", json.RawMessage(`{"n":1}`)
		return r, nil
	})
	var end agent.ToolExecutionEnd
	o := agent.Options{Model: script(t, callA, bye), Tools: []agent.Tool{secret}, Observe: func(ev agent.Event) {
		if e, ok := ev.(agent.ToolExecutionEnd); ok {
			end = e
		}
	}}
	o.Hooks.AfterToolCall = func(context.Context, agent.Call) (agent.Override, error) {
		return agent.Override{Content: agent.TextResult("hidden").Content}, nil
	}
	prompt(t, newAgent(t, o))
	want := agent.TextResult("hidden")
	want.Details = json.RawMessage(`{"n":1}`)
	if !reflect.DeepEqual(end.Result, want) || end.DurationMs == nil {
		t.Errorf("result %+v", end.Result)
	}
}
