package agent

import (
	"context"
	"fmt"
	"strings"
)

// StuckError says what did not stop although its context was cancelled. It goes
// on in goroutines of its own, but nothing it does is seen any more.
type StuckError struct {
	// What names it: "tool scan (call c1)", "run" (a model, a hook or a
	// listener in it).
	What []string
}

func (e *StuckError) Error() string {
	return "agent: still running after the abort: " + strings.Join(e.What, ", ")
}

// Shutdown ends the agent: it refuses further prompts, aborts the current run
// and waits until everything has stopped, also calls that failed runs have left
// behind. When ctx ends first, the run is given up: its open calls get an error
// end and the run an aborted message and its AgentEnd (the state and the
// observer see these; listeners, of which one may be what is stuck, are not
// called any more), Prompt returns, and the *StuckError names what was left
// running. Shutdown may be called again.
func (a *Agent) Shutdown(ctx context.Context) error {
	a.mu.Lock()
	a.closed = true
	r := a.run
	a.mu.Unlock()
	if r != nil {
		r.cancel(ErrAborted)
	}
	if r != nil {
		select {
		case <-r.idle:
		case <-ctx.Done():
		}
	}
	if a.tracker.wait(ctx) == nil {
		return nil
	}
	stuck := a.stuck()
	if stuck == nil { // it stopped at the last moment
		return nil
	}
	if r != nil {
		a.giveUp(r, stuck)
	}
	return stuck
}

func (a *Agent) stuck() *StuckError {
	var e StuckError
	for _, t := range a.tracker.running() {
		what := t.kind
		if t.name != "" {
			what = fmt.Sprintf("%s %s (call %s)", t.kind, t.name, t.id)
		}
		e.What = append(e.What, what)
	}
	if len(e.What) == 0 {
		return nil
	}
	return &e
}

// giveUp settles a run whose own goroutines do not.
func (a *Agent) giveUp(r *activeRun, why error) {
	s := a.takeOver(r)
	a.mu.Lock()
	open := a.pending
	a.mu.Unlock()
	var events []Event
	for _, c := range open {
		events = append(events, ToolExecutionEnd{
			ToolCallID: c.id, ToolName: c.name, IsError: true,
			Result: errorResult("Tool " + c.name + " did not stop after the abort and was given up"),
		})
	}
	events = append(events, endingEvents(Message{
		Role: RoleAssistant, Content: []Block{{Type: BlockText}}, StopReason: StopAborted,
		ErrorMessage: why.Error(), Timestamp: a.opts.Clock().UnixMilli(),
	})...)
	for _, ev := range events {
		if s.publish(ev) != nil {
			return // the run has ended meanwhile
		}
	}
	a.finish(r, why)
}
