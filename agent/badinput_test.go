package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ringside-hub/ringside/agent"
)

// reports collects what is reported.
type reports struct {
	mu     sync.Mutex
	panics []string
}

func (r *reports) add(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, ok := errors.AsType[*agent.PanicError](err)
	if !ok || len(p.Stack) == 0 {
		panic(fmt.Sprintf("reported %v", err))
	}
	r.panics = append(r.panics, p.Where)
}

func boom(context.Context, func(agent.ToolResult)) (agent.ToolResult, error) { panic("boom") }

// ends returns the text of every call's end.
func ends(t *testing.T, o agent.Options) (texts map[string]string) {
	t.Helper()
	texts = map[string]string{}
	o.Observe = func(ev agent.Event) {
		if e, ok := ev.(agent.ToolExecutionEnd); ok {
			if !e.IsError {
				t.Errorf("call %s is no error", e.ToolCallID)
			}
			texts[e.ToolCallID] = e.Result.Content[0].Text
		}
	}
	a := newAgent(t, o)
	prompt(t, a)
	if m := a.State().Messages; m[len(m)-1].Text() != "Bye." {
		t.Errorf("the run did not go on: %+v", m[len(m)-1])
	}
	return texts
}

func TestPanicsInCallsAreTheirResults(t *testing.T) {
	var r reports
	fine := func() agent.Options {
		return agent.Options{Model: script(t, callA, bye), Tools: []agent.Tool{tool("a", func(context.Context, func(agent.ToolResult)) (agent.ToolResult, error) {
			return agent.TextResult("fine"), nil
		})}, Report: r.add}
	}
	for where, spoil := range map[string]func(*agent.Options){
		"tool a": func(o *agent.Options) { o.Tools = []agent.Tool{tool("a", boom)} },
		"PrepareArguments of tool a": func(o *agent.Options) {
			o.Tools[0].PrepareArguments = func(json.RawMessage) (json.RawMessage, error) { panic("boom") }
		},
		"BeforeToolCall hook": func(o *agent.Options) {
			o.Hooks.BeforeToolCall = func(context.Context, agent.Call) (agent.Verdict, error) { panic("boom") }
		},
		"AfterToolCall hook": func(o *agent.Options) {
			o.Hooks.AfterToolCall = func(context.Context, agent.Call) (agent.Override, error) { panic("boom") }
		},
	} {
		for _, mode := range []agent.ExecutionMode{agent.Parallel, agent.Sequential} {
			r.panics = nil
			o := fine()
			o.Execution = mode
			spoil(&o)
			if got := ends(t, o)["c1"]; got != where+" panicked: boom" {
				t.Errorf("%s, %s: result %q", where, mode, got)
			}
			if fmt.Sprint(r.panics) != "["+where+"]" {
				t.Errorf("%s: reported %v", where, r.panics)
			}
		}
	}
}

func TestPanicsElsewhereEndTheRun(t *testing.T) {
	for where, spoil := range map[string]func(*agent.Options){
		"model": func(o *agent.Options) {
			o.Model = agent.ModelFunc(func(context.Context, agent.Request, func(agent.AssistantUpdate) error) (agent.Message, error) {
				panic("boom")
			})
		},
		"ShouldStopAfterTurn hook": func(o *agent.Options) {
			o.Hooks.ShouldStopAfterTurn = func(context.Context, agent.Turn) (bool, error) { panic("boom") }
		},
		"PrepareNextTurn hook": func(o *agent.Options) {
			o.Hooks.PrepareNextTurn = func(context.Context, agent.Turn) (agent.NextTurn, error) { panic("boom") }
		},
		"TransformContext hook": func(o *agent.Options) {
			o.Hooks.TransformContext = func(context.Context, []agent.Message) ([]agent.Message, error) { panic("boom") }
		},
		"ConvertToModel hook": func(o *agent.Options) {
			o.Hooks.ConvertToModel = func(context.Context, []agent.Message) ([]agent.Message, error) { panic("boom") }
		},
		"listener": nil,
	} {
		var r reports
		var d diary
		o := agent.Options{Model: script(t, callA, bye), Tools: []agent.Tool{{Name: "a", Execute: noop}}, Report: r.add, Observe: d.write}
		if spoil != nil {
			spoil(&o)
		}
		a := newAgent(t, o)
		if spoil == nil {
			a.Subscribe(func(_ context.Context, ev agent.Event) error {
				if _, ok := ev.(agent.ToolExecutionEnd); ok {
					panic("boom")
				}
				return nil
			})
		}
		prompt(t, a)
		want := "message_start assistant\nmessage_end assistant error \"\" " + where + " panicked: boom\nturn_end\nagent_end"
		if !strings.HasSuffix(d.String(), want) || fmt.Sprint(r.panics) != "["+where+"]" {
			t.Errorf("%s: reported %v after\n%s", where, r.panics, d.String())
		}
	}
}

func TestPanicInObserveIsOnlyReported(t *testing.T) {
	var r reports
	a := newAgent(t, agent.Options{Model: script(t, bye), Report: r.add, Observe: func(agent.Event) { panic("boom") }})
	prompt(t, a)
	if len(r.panics) < 9 || a.State().Messages[1].Text() != "Bye." {
		t.Errorf("reported %v", r.panics)
	}
}

// A tool or listener may end its goroutine, as a test's FailNow does.
func TestGoexit(t *testing.T) {
	exit := tool("a", func(context.Context, func(agent.ToolResult)) (agent.ToolResult, error) {
		runtime.Goexit()
		return agent.ToolResult{}, nil
	})
	for _, mode := range []agent.ExecutionMode{agent.Parallel, agent.Sequential} {
		a := newAgent(t, agent.Options{Model: script(t, callA, bye), Tools: []agent.Tool{exit}, Execution: mode})
		prompt(t, a)
		if s := a.State(); !strings.Contains(s.ErrorMessage, "ended itself") || s.IsStreaming {
			t.Errorf("%s: %+v", mode, s)
		}
	}
	updating := tool("a", func(_ context.Context, onUpdate func(agent.ToolResult)) (agent.ToolResult, error) {
		onUpdate(agent.TextResult("…"))
		return agent.ToolResult{}, nil
	})
	a := newAgent(t, agent.Options{Model: script(t, callA, bye), Tools: []agent.Tool{updating}})
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		if _, ok := ev.(agent.ToolExecutionUpdate); ok {
			runtime.Goexit()
		}
		return nil
	})
	prompt(t, a)
	if s := a.State(); !strings.Contains(s.ErrorMessage, "ended itself") {
		t.Errorf("listener: %+v", s)
	}
}

func TestModelThatStreamsForever(t *testing.T) {
	for _, u := range []agent.AssistantUpdate{
		{Type: agent.UpdateTextDelta, Delta: "and "}, {Type: agent.UpdateTextDelta}, {Type: "nonsense"},
	} {
		model := agent.ModelFunc(func(_ context.Context, _ agent.Request, update func(agent.AssistantUpdate) error) (agent.Message, error) {
			for err := update(agent.AssistantUpdate{Type: agent.UpdateStart}); ; err = update(u) {
				if err != nil {
					return agent.Message{}, err
				}
			}
		})
		a := newAgent(t, agent.Options{Model: model, MaxAnswer: 1000})
		prompt(t, a)
		m := a.State().Messages[1]
		if m.StopReason != agent.StopError || m.ErrorMessage != "the model's answer is longer than 1000 bytes" || len(m.Text()) > 1000 {
			t.Errorf("%+v", m)
		}
	}
}

func TestModelThatDoesNotStopWhenToldTo(t *testing.T) {
	var late func(agent.AssistantUpdate) error
	model := agent.ModelFunc(func(_ context.Context, _ agent.Request, update func(agent.AssistantUpdate) error) (agent.Message, error) {
		late = update
		for range 3 {
			_ = update(agent.AssistantUpdate{Type: agent.UpdateStart})
			_ = update(agent.AssistantUpdate{Type: agent.UpdateTextDelta, Delta: "x"})
		}
		return agent.Message{}, nil
	})
	var d diary
	a := newAgent(t, agent.Options{Model: model, Observe: d.write})
	a.Subscribe(func(_ context.Context, ev agent.Event) error {
		if _, ok := ev.(agent.MessageUpdate); ok {
			return errors.New("enough")
		}
		return nil
	})
	prompt(t, a)
	if late(agent.AssistantUpdate{Type: agent.UpdateTextDelta, Delta: "x"}) == nil {
		t.Error("an update after the answer was accepted")
	}
	d.expect(t, "agent_start", "turn_start", "message_start user", "message_end user", "message_start assistant", "message_update text_delta",
		"message_start assistant", `message_end assistant error "" enough`, "turn_end", "agent_end")
}

func TestOddArguments(t *testing.T) {
	odd := map[string]struct{ args, want string }{
		"ten megabytes":     {`{"x":"` + strings.Repeat("y", 10<<20) + `"}`, "10485768 bytes are too many, at most 8388608 are accepted"},
		"deep":              {strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "nested deeper than 64"},
		"not UTF-8":         {"{\"x\":\"\xff\"}", "invalid UTF-8"},
		"not an object":     {`[1]`, "root: expected object, but got array"},
		"null":              {`null`, "root: expected object, but got null"},
		"not JSON":          {`{"x":`, "not valid JSON"},
		"a huge number":     {`{"x":1e5000000}`, "out of range"},
		"twice the same":    {`{"x":1,"x":2}`, "duplicate object member name"},
		"an endless string": {`{"x":"`, "not valid JSON"},
	}
	for name, tt := range odd {
		message := agent.Message{Content: []agent.Block{{Type: agent.BlockToolCall, ToolCall: &agent.ToolCall{ID: "c1", Name: "a", Arguments: json.RawMessage(tt.args)}}}}
		for _, prepares := range []bool{false, true} {
			a := agent.Tool{Name: "a", Execute: noop}
			if prepares {
				a.PrepareArguments = func(args json.RawMessage) (json.RawMessage, error) { return args, nil }
			}
			got := ends(t, agent.Options{Model: answers(t, message), Tools: []agent.Tool{a}})["c1"]
			if !strings.HasPrefix(got, validationPrefix) || !strings.Contains(got, tt.want) || len(got) > 5000 {
				t.Errorf("%s: %.300q, want %q", name, got, tt.want)
			}
		}
	}
}

// answers is a model that gives the messages, and then says bye.
func answers(t *testing.T, messages ...agent.Message) agent.Model {
	last := script(t, bye)
	n := 0
	return agent.ModelFunc(func(ctx context.Context, r agent.Request, update func(agent.AssistantUpdate) error) (agent.Message, error) {
		if n == len(messages) {
			return last.Stream(ctx, r, update)
		}
		n++
		return messages[n-1], nil
	})
}

func TestSameIDTwiceAndNoID(t *testing.T) {
	call := func(id string) agent.Block {
		return agent.Block{Type: agent.BlockToolCall, ToolCall: &agent.ToolCall{ID: id, Name: "a"}}
	}
	for _, mode := range []agent.ExecutionMode{agent.Parallel, agent.Sequential} {
		var d diary
		a := newAgent(t, agent.Options{
			Model:     answers(t, agent.Message{Content: []agent.Block{call("same"), call("same"), call(""), call("")}}),
			Tools:     []agent.Tool{{Name: "a", Execute: noop}},
			Execution: mode, Observe: d.write,
		})
		prompt(t, a)
		for _, want := range []string{"message_end toolResult:same", "message_end toolResult:call-1", "message_end toolResult:call-2"} {
			if !strings.Contains(d.String(), want) {
				t.Errorf("no %q in\n%s", want, d.String())
			}
		}
		if n := strings.Count(d.String(), "tool_execution_end"); n != 4 || a.State().Messages[6].Text() != "Bye." {
			t.Errorf("%d ends", n)
		}
	}
}

func TestThousandToolsAndCalls(t *testing.T) {
	var o agent.Options
	var calls []agent.Block
	for i := range 1000 {
		name := fmt.Sprintf("tool-%d", i)
		o.Tools = append(o.Tools, agent.Tool{Name: name, Execute: noop, Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)})
		calls = append(calls, agent.Block{Type: agent.BlockToolCall, ToolCall: &agent.ToolCall{ID: name, Name: name, Arguments: json.RawMessage(`{"n":"1"}`)}})
	}
	o.Model = answers(t, agent.Message{Content: calls})
	a := newAgent(t, o)
	prompt(t, a)
	m := a.State().Messages
	if len(m) != 1003 {
		t.Fatalf("%d messages", len(m))
	}
	for i, r := range m[2:1002] {
		if r.ToolCallID != fmt.Sprintf("tool-%d", i) || r.IsError {
			t.Fatalf("result %d: %+v", i, r)
		}
	}
}
