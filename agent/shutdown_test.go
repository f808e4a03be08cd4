package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringside-hub/ringside/agent"
)

func TestAbort(t *testing.T) {
	var a *agent.Agent
	var d diary
	model := agent.ModelFunc(func(ctx context.Context, _ agent.Request, update func(agent.AssistantUpdate) error) (agent.Message, error) {
		must(update(agent.AssistantUpdate{Type: agent.UpdateStart}))
		must(update(agent.AssistantUpdate{Type: agent.UpdateTextDelta, Delta: "so far"}))
		a.Abort()
		<-ctx.Done()
		return agent.Message{}, context.Cause(ctx)
	})
	a = newAgent(t, agent.Options{Model: model, Observe: d.write})
	prompt(t, a)
	d.expect(t, "agent_start", "turn_start", "message_start user", `message_end user`,
		"message_start assistant", "message_update text_delta",
		`message_end assistant aborted "so far" agent: aborted`, "turn_end", "agent_end")
	a.Abort() // of nothing
}

func TestEndOfPromptsContextAborts(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("user left"))
	a := newAgent(t, agent.Options{Model: script(t, bye)})
	must(a.Prompt(ctx, "Go."))
	if m := a.State().Messages[1]; m.StopReason != agent.StopAborted {
		t.Errorf("%+v", m)
	}
}

func TestWaitForIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, agent.Options{Model: script(t, `{"pause":"1m"}`)})
		must(a.WaitForIdle(t.Context()))
		began := time.Now()
		go func() { must(a.Prompt(t.Context(), "Go.")) }()
		synctest.Wait()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := a.WaitForIdle(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("WaitForIdle: %v", err)
		}
		must(a.WaitForIdle(t.Context()))
		if took := time.Since(began); took != time.Minute {
			t.Errorf("idle after %v", took)
		}
	})
}

func TestShutdownOfAnObedientRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits := tool("a", func(ctx context.Context, _ func(agent.ToolResult)) (agent.ToolResult, error) {
			<-ctx.Done()
			time.Sleep(time.Second)
			return agent.TextResult("cleaned up"), nil
		})
		var d diary
		a := newAgent(t, agent.Options{Model: script(t, callA, bye), Tools: []agent.Tool{waits}, Observe: d.write})
		done := make(chan error)
		go func() { done <- a.Prompt(t.Context(), "Go.") }()
		synctest.Wait()
		must(a.Shutdown(t.Context()))
		must(a.Shutdown(t.Context()))
		must(<-done)
		if got := d.String(); !strings.Contains(got, "tool_execution_end c1 false cleaned up\n") || !strings.HasSuffix(got, "\nagent_end") {
			t.Error(got)
		}
		if err := a.Prompt(t.Context(), "More."); !errors.Is(err, agent.ErrClosed) {
			t.Errorf("a prompt after the shutdown: %v", err)
		}
	})
}

// Whatever ignores the abort, the run is closed for who observes it, and what is
// still running is named.
func TestShutdownGivesUp(t *testing.T) {
	for name, tt := range map[string]struct {
		options func(t *testing.T, hang func()) agent.Options
		listen  bool
		stuck   string
		open    bool
	}{
		"tool": {func(t *testing.T, hang func()) agent.Options {
			return agent.Options{Model: script(t, callA+","+callB), Tools: []agent.Tool{
				tool("a", func(context.Context, func(agent.ToolResult)) (agent.ToolResult, error) {
					hang()
					return agent.ToolResult{}, nil
				}),
				tool("b", func(context.Context, func(agent.ToolResult)) (agent.ToolResult, error) {
					return agent.TextResult("ok"), nil
				}),
			}}
		}, false, "run, tool a (call c1)", true},
		"model": {func(_ *testing.T, hang func()) agent.Options {
			return agent.Options{Model: agent.ModelFunc(func(context.Context, agent.Request, func(agent.AssistantUpdate) error) (agent.Message, error) {
				hang()
				return agent.Message{}, nil
			})}
		}, false, "run", false},
		"listener": {func(t *testing.T, _ func()) agent.Options { return agent.Options{Model: script(t, bye)} }, true, "run", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				hang := func() { <-release }
				var d diary
				o := tt.options(t, hang)
				o.Observe = d.write
				a := newAgent(t, o)
				if tt.listen {
					a.Subscribe(func(context.Context, agent.Event) error { hang(); return nil })
				}
				prompted := make(chan error)
				go func() { prompted <- a.Prompt(t.Context(), "Go.") }()
				synctest.Wait()
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				began := time.Now()
				err := a.Shutdown(ctx)
				stuck, ok := errors.AsType[*agent.StuckError](err)
				if !ok || strings.Join(stuck.What, ", ") != tt.stuck {
					t.Fatalf("shutdown: %v, want %s", err, tt.stuck)
				}
				if took := time.Since(began); took != 5*time.Second {
					t.Errorf("shutdown took %v", took)
				}
				if err := <-prompted; !errors.Is(err, stuck) {
					t.Errorf("prompt: %v", err)
				}
				got := d.String()
				if !strings.HasSuffix(got, "\nturn_end\nagent_end") || !strings.Contains(got, "assistant aborted") {
					t.Error(got)
				}
				if want := "tool_execution_end c1 true Tool a did not stop after the abort and was given up\n"; strings.Contains(got, want) != tt.open {
					t.Error(got)
				}
				if s := a.State(); s.IsStreaming || len(s.PendingToolCalls) > 0 {
					t.Errorf("state %+v", s)
				}
				close(release) // what comes now is not seen
				synctest.Wait()
				if now := d.String(); now != got {
					t.Errorf("seen after the end: %s", strings.TrimPrefix(now, got))
				}
			})
		})
	}
}
