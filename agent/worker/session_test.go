package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/retry"
	"github.com/ringside-hub/ringside/agent/scripted"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/hub/view"
)

// session starts a session of the run "run" whose model plays a script.
func (b *bench) session(script string, change ...func(*SessionConfig)) *Session {
	b.t.Helper()
	parsed, err := scripted.Parse([]byte(script))
	must(b.t, err)
	cfg := SessionConfig{
		Agent:  agent.Options{Model: scripted.New(parsed)},
		Worker: Config{Run: "run", Store: b.store, Owner: "host/1", Logger: b.logger()},
	}
	for _, f := range change {
		f(&cfg)
	}
	s, err := NewSession(cfg)
	must(b.t, err)
	b.t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = s.Close(ctx)
	})
	return s
}

// conversation is what the messages of a view say, and why they stopped.
func conversation(v *view.View) string {
	var all []string
	for _, m := range v.Msgs {
		line := m.Text
		if m.Role == "assistant" {
			line += "/" + m.StopReason
		}
		all = append(all, line)
	}
	return strings.Join(all, " ")
}

// tool is a tool that does f.
func tool(name string, f func(ctx context.Context, update func(agent.ToolResult)) error) func(*SessionConfig) {
	return func(c *SessionConfig) {
		c.Agent.Tools = append(c.Agent.Tools, agent.Tool{Name: name, Execute: func(ctx context.Context, _ string, _ json.RawMessage, update func(agent.ToolResult)) (agent.ToolResult, error) {
			return agent.TextResult("ok"), f(ctx, update)
		}})
	}
}

func untilAborted(ctx context.Context, _ func(agent.ToolResult)) error {
	<-ctx.Done()
	return ctx.Err()
}

const callAndAnswer = `{"responses":[{"steps":[{"call":{"name":"act","arguments":{}}}]},{"steps":[{"text":"done"}]},{"steps":[{"text":"more"}]}]}`

// Failures are tried again where people see it: inside a request before it has
// said anything, and by a new request after an answer that broke off.
func TestSessionRetries(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		s := b.session(`{"responses":[
			{"steps":[{"fail":"busy","temporary":true}]},
			{"steps":[{"text":"half"},{"fail":"cut","temporary":true}]},
			{"steps":[{"text":"whole"}]},{"steps":[{"text":"next"}]}]}`)
		last, err := s.Prompt(t.Context(), "go")
		if err != nil || last.Text() != "whole" {
			t.Errorf("got %q, %v", last.Text(), err)
		}
		last, err = s.Prompt(t.Context(), "on")
		if err != nil || last.Text() != "next" {
			t.Errorf("got %q, %v", last.Text(), err)
		}
		time.Sleep(time.Second)
		v := b.view(s.Worker())
		if got, want := conversation(v), "go half/error whole/stop on next/stop"; got != want {
			t.Errorf("the run shows %q, want %q", got, want)
		}
		if len(v.Notices) != 2 || v.Outcome != view.OutcomeOK || v.RunStatus != view.Idle {
			t.Errorf("%d notices, outcome %s, %s", len(v.Notices), v.Outcome, v.RunStatus)
		}
		var will []bool
		idle := 0
		for _, e := range b.events() {
			switch e.Type {
			case view.AgentEnd:
				will = append(will, e.WillRetry)
			case view.AgentIdle:
				idle++
			}
		}
		if !slices.Equal(will, []bool{true, false, false}) || idle != 2 {
			t.Errorf("willRetry %v, idle %d times", will, idle)
		}
		// The model is not shown what it broke off.
		for _, m := range s.Agent().State().Messages {
			if m.Text() == "half" {
				t.Error("the broken answer is in the conversation")
			}
		}
		must(t, s.Close(t.Context()))
	})
}

// Answers that break off again and again are given up.
func TestSessionGivesUp(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		s := b.session(`{"repeat":true,"responses":[{"steps":[{"text":"half"},{"fail":"cut","temporary":true}]}]}`,
			func(c *SessionConfig) { c.Retry.Attempts = 3 })
		last, err := s.Prompt(t.Context(), "go")
		if err != nil || last.StopReason != agent.StopError || last.ErrorMessage != "cut" {
			t.Errorf("got %+v, %v", last, err)
		}
		time.Sleep(time.Second)
		v := b.view(s.Worker())
		if got, want := conversation(v), "go half/error half/error half/error"; got != want || v.Outcome != view.OutcomeError {
			t.Errorf("the run shows %q, outcome %s", got, v.Outcome)
		}
		must(t, s.Close(t.Context()))
	})
}

// An abort ends the wait before the next attempt, too.
func TestSessionAbortsWait(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		s := b.session(`{"repeat":true,"responses":[{"steps":[{"text":"half"},{"fail":"cut","temporary":true}]}]}`,
			func(c *SessionConfig) {
				c.Retry = retry.Policy{Base: time.Hour, Max: time.Hour, Rand: func() float64 { return 0.9 }}
			})
		time.AfterFunc(time.Second, s.Abort)
		began := time.Now()
		last, err := s.Prompt(t.Context(), "go")
		if err != nil || last.StopReason != agent.StopAborted || time.Since(began) != time.Second {
			t.Errorf("got %s, %v after %v", last.StopReason, err, time.Since(began))
		}
		time.Sleep(time.Second)
		if v := b.view(s.Worker()); v.Outcome != view.OutcomeAborted || v.RunStatus != view.Idle {
			t.Errorf("outcome %s, %s", v.Outcome, v.RunStatus)
		}
		must(t, s.Close(t.Context()))
	})
}

// A store that is away holds the agent up for MaxWait in all, however much it
// has to say.
func TestSessionIsNotHeldUp(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		b.fail(errors.New("away"), everything...)
		s := b.session(callAndAnswer, tool("act", func(_ context.Context, update func(agent.ToolResult)) error {
			for i := range 500 {
				update(agent.TextResult(fmt.Sprintf("%d %s", i, strings.Repeat("x", i%7))))
			}
			return nil
		}), func(c *SessionConfig) { c.Worker.BufferEvents = 4 })
		must(t, s.Begin(t.Context()))
		began := time.Now()
		for _, want := range []string{"done", "more"} {
			last, err := s.Prompt(t.Context(), "go")
			if err != nil || last.Text() != want {
				t.Errorf("got %q, %v", last.Text(), err)
			}
		}
		if d := time.Since(began); d > sessionWait {
			t.Errorf("the agent was held up for %v", d)
		}
		b.heal()
		time.Sleep(time.Minute)
		if lost, ok := errors.AsType[*LostError](s.Close(t.Context())); !ok || lost.Events == 0 {
			t.Error("nothing was lost?")
		}
		checkStats(t, s.Worker())
	})
}

// A worker whose run is taken stops its agent.
func TestSessionTaken(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		stopped := false
		s := b.session(callAndAnswer, tool("act", func(ctx context.Context, _ func(agent.ToolResult)) error {
			<-ctx.Done()
			stopped = true
			return ctx.Err()
		}))
		must(t, s.Begin(t.Context()))
		done := make(chan agent.Message, 1)
		go func() {
			last, _ := s.Prompt(t.Context(), "go")
			done <- last
		}()
		synctest.Wait()
		other := runlogtest.NewAuthor("run", 1)
		must(t, other.Claim(t.Context(), b.memory, runlog.ClaimOptions{Owner: "host/2", Takeover: true}))
		must(t, other.Append(t.Context(), 1))
		last := <-done
		if !stopped || last.StopReason != agent.StopAborted {
			t.Errorf("stopped %v: %+v", stopped, last)
		}
		if _, err := s.Prompt(t.Context(), "again"); !errors.Is(err, runlog.ErrFenced) {
			t.Errorf("a prompt after that: %v", err)
		}
		if err := s.Close(t.Context()); !errors.Is(err, runlog.ErrFenced) {
			t.Errorf("Close: %v", err)
		}
	})
}

// A run that another worker holds is refused before anything is done in it.
func TestSessionRefused(t *testing.T) {
	run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
		first := b.session(callAndAnswer)
		must(t, first.Begin(t.Context()))
		second := b.session(callAndAnswer)
		if _, ok := errors.AsType[*runlog.HeldError](second.Begin(t.Context())); !ok {
			t.Error("the second one was not refused")
		}
	})
}

// Close settles what runs: the end of the call, agent_idle, worker gone.
func TestSessionClose(t *testing.T) {
	for name, stuck := range map[string]bool{"obedient tool": false, "stuck tool": true} {
		t.Run(name, func(t *testing.T) {
			run(t, runlog.MemoryConfig{}, func(t *testing.T, b *bench) {
				release := make(chan struct{})
				defer close(release)
				act := untilAborted
				if stuck {
					act = func(context.Context, func(agent.ToolResult)) error { <-release; return nil }
				}
				s := b.session(callAndAnswer, tool("act", act))
				done := make(chan agent.Message, 1)
				go func() {
					last, _ := s.Prompt(t.Context(), "go")
					done <- last
				}()
				synctest.Wait()
				if _, err := s.Prompt(t.Context(), "too"); !errors.Is(err, agent.ErrBusy) {
					t.Errorf("a prompt beside: %v", err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				err := s.Close(ctx)
				if _, isStuck := errors.AsType[*agent.StuckError](err); isStuck != stuck || !stuck && err != nil {
					t.Errorf("Close: %v", err)
				}
				if last := <-done; last.StopReason != agent.StopAborted {
					t.Errorf("the prompt ended as %s", last.StopReason)
				}
				v := b.view(s.Worker())
				if c := v.Tools["c1"]; c.Status != view.Failed || v.Outcome != view.OutcomeAborted || v.RunStatus != view.Idle || v.Worker != view.WorkerGone {
					t.Errorf("card %s, outcome %s, %s, worker %s", c.Status, v.Outcome, v.RunStatus, v.Worker)
				}
				if _, err := s.Prompt(t.Context(), "after"); !errors.Is(err, agent.ErrClosed) {
					t.Errorf("a prompt after Close: %v", err)
				}
			})
		})
	}
}
