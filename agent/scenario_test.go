package agent_test

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/projector"
	"github.com/ringside-hub/ringside/agent/projector/scenariotest"
	"github.com/ringside-hub/ringside/hub/view"
)

// limit is how long a scenario may take; what takes longer waits for something
// that does not come.
const limit = 10 * time.Second

// What the real Pi did in each scenario, this agent does. The scenarios in more
// are our own, recorded with Pi 0.86.1 and, where tagged, 1.6.0. Besides, the
// folder that RINGSIDE_SCENARIOS names is played.
func TestScenarios(t *testing.T) {
	files := loadScenarios(t, "testdata/scenarios")

	files = append(files, loadScenarios(t, "testdata/more")...)
	if dir := os.Getenv("RINGSIDE_SCENARIOS"); dir != "" {
		files = append(files, loadScenarios(t, dir)...)
	}
	for _, f := range files {
		t.Run(f.name, func(t *testing.T) {
			if f.err != nil {
				t.Fatal(f.err)
			}
			// In a bubble time passes only when nothing else can happen: the
			// format's "settle" is exact, however busy the machine is, and a
			// scenario that waits in vain is found out at once.
			synctest.Test(t, func(t *testing.T) { playAndCompare(t, f) })
		})
	}
}

func playAndCompare(t *testing.T, f scenarioFile) {
	ctx, cancel := context.WithCancel(t.Context())
	p := newPlayer(ctx, &f.scenario)
	done := make(chan []any, 1)
	go func() { done <- p.run(t) }()
	select {
	case run := <-done:
		defer p.stop(t, cancel)
		p.compare(t, &f.expected, run)
	case <-time.After(limit):
		for i, ev := range p.snapshot() {
			t.Logf("event %d: %s", i, line(p.event(ev)))
		}
		p.stop(t, cancel)
		<-done
		t.Fatalf("not over after %v", limit)
	}
}

func (p *player) snapshot() []agent.Event {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.events[:len(p.events):len(p.events)]
}

// stop ends what may still run: calls that their run has left behind.
func (p *player) stop(t *testing.T, cancel context.CancelFunc) {
	cancel()
	if p.agent != nil {
		if err := p.agent.Shutdown(context.WithoutCancel(p.over)); err != nil {
			t.Errorf("shutdown: %v", err)
		}
	}
	p.scripts.Wait()
}

// run performs the host's script and returns how its prompts ended.
func (p *player) run(t *testing.T) []any {
	if p.sc.API == "loop" {
		return p.runLoop(t)
	}
	o := p.options()
	o.Observe = p.record
	a, err := agent.New(o)
	if err != nil {
		t.Error(err)
		return nil
	}
	p.agent, p.abort = a, a.Abort
	for i := range p.sc.Listeners {
		a.Subscribe(p.listener(&p.sc.Listeners[i]))
	}
	run := []any{}
	for i := range p.sc.Run {
		s := &p.sc.Run[i]
		if s.Do != "prompt" {
			if err := p.perform(p.over, "host", s); err != nil {
				return append(run, err.Error())
			}
			continue
		}
		m := agent.Message{Role: agent.RoleUser, Content: s.content()}
		if err := a.PromptMessages(p.over, m); err != nil {
			run = append(run, map[string]any{"rejected": err.Error()})
		} else {
			run = append(run, "resolved")
		}
	}
	return run
}

func (p *player) runLoop(t *testing.T) []any {
	ctx, cancel := context.WithCancelCause(p.over)
	p.abort = func() { cancel(agent.ErrAborted) }
	defer p.abort()
	read := func(context.Context, agent.Event) error { return nil }
	if len(p.sc.Listeners) > 0 {
		read = p.listener(&p.sc.Listeners[0])
	}
	var returned []agent.Message
	prompt := agent.Message{Role: agent.RoleUser, Content: p.sc.Run[0].content()}
	for ev, err := range agent.Loop(ctx, p.options(), prompt) {
		if err != nil {
			t.Error(err)
			break
		}
		p.record(ev)
		if end, ok := ev.(agent.AgentEnd); ok {
			returned = end.Messages
		}
		if err := read(ctx, ev); err != nil {
			t.Error(err)
			break
		}
	}
	return []any{map[string]any{"returned": tags(returned)}}
}

// compare says where what happened first differs from what is expected.
func (p *player) compare(t *testing.T, want *expected, run []any) {
	t.Helper()
	outcome := comparable(p.outcome(run))
	events := p.snapshot()
	for i := range max(len(events), len(want.Events)) {
		got, expect := any("(none)"), any("(none)")
		if i < len(events) {
			got = comparable(p.event(events[i]))
		}
		if i < len(want.Events) {
			expect = want.Events[i]
		}
		if !reflect.DeepEqual(got, expect) {
			t.Fatalf("event %d\n got %s\nwant %s", i, line(got), line(expect))
		}
	}
	p.mu.Lock()
	probes := comparable(p.probes)
	p.mu.Unlock()
	if diff := cmp.Diff(any(want.Probes), probes); diff != "" {
		t.Errorf("probes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Outcome, outcome); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	if len(want.ViewTrace) == len(events) {
		compareView(t, want, events)
	}
}

func line(v any) string {
	data, err := json.Marshal(v)
	must(err)
	return string(data)
}

// compareView projects and folds the events: what people see is what Pi's
// example view showed. In what the two may differ is said in scenariotest alone.
func compareView(t *testing.T, want *expected, events []agent.Event) {
	t.Helper()
	p, r := projector.New(projector.Config{}), scenariotest.NewReader()
	fold := func(events []view.Event) {
		for i := range events {
			r.Apply(&events[i])
		}
	}
	for i, ev := range events {
		fold(p.Project(int64(i), ev).Events)
		fold(p.Flush(int64(i)))
		trace := r.Trace(ev)
		if trace.Tool != nil && strings.HasPrefix(trace.Tool.Result, validationPrefix) {
			trace.Tool.Result = validationText
		}
		if diff := cmp.Diff(want.ViewTrace[i], comparable(trace)); diff != "" {
			t.Fatalf("view after event %d, %s (-want +got):\n%s", i, typeOf(ev), diff)
		}
	}
	fold(p.Close(int64(len(events))))
	v := r.View()
	for id, card := range v.Tools {
		if strings.HasPrefix(card.ResultText, validationPrefix) {
			card.ResultText = validationText
			v.Tools[id] = card
		}
	}
	if diff := cmp.Diff(want.View, comparable(v)); diff != "" {
		t.Errorf("view (-want +got):\n%s", diff)
	}
}
