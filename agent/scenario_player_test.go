package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ringside-hub/ringside/agent"
)

// player plays one scenario. The scripts of tools, hooks, listeners, the model
// and the host all end in it.
type player struct {
	sc    *scenario
	over  context.Context // ends with the scenario
	agent *agent.Agent    // nil with the low-level loop
	abort func()

	mu        sync.Mutex
	gates     map[string]chan struct{}
	counts    map[string]int
	kept      map[string]func(agent.ToolResult)
	usages    map[*agent.Usage]any // the JSON that a usage was made of
	events    []agent.Event
	probes    []any
	calls     map[string]any
	requests  []any
	responses int
	scripts   sync.WaitGroup // of responses
}

var errScenarioOver = errors.New("the scenario is over")

func newPlayer(over context.Context, sc *scenario) *player {
	return &player{
		sc: sc, over: over,
		gates: map[string]chan struct{}{}, counts: map[string]int{}, kept: map[string]func(agent.ToolResult){},
		usages: map[*agent.Usage]any{}, probes: []any{}, calls: map[string]any{}, requests: []any{},
	}
}

func (p *player) gate(name string) chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gates[name] == nil {
		p.gates[name] = make(chan struct{})
	}
	return p.gates[name]
}

// nth returns the script for the next use of kind and id, nil if there is none.
func (p *player) nth(kind, id string, scripts [][]step) []step {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.counts[kind+" "+id]
	p.counts[kind+" "+id]++
	if n >= len(scripts) {
		return nil
	}
	return scripts[n]
}

func (p *player) record(ev agent.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, isQueue := ev.(agent.QueueUpdate); !isQueue {
		p.events = append(p.events, ev)
	}
}

func (p *player) happened(id string, what map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list, _ := p.calls[id].([]any)
	p.calls[id] = append(list, what)
}

// perform does a step that is the same everywhere. by names who does it.
func (p *player) perform(ctx context.Context, by string, s *step) error {
	switch s.Do {
	case "open":
		gate := p.gate(s.Gate)
		p.mu.Lock()
		defer p.mu.Unlock()
		select {
		case <-gate:
		default:
			close(gate)
		}
	case "wait":
		return p.wait(p.gate(s.Gate))
	case "settle":
		time.Sleep(20 * time.Millisecond) // the format's own means, see its section 3
	case "waitAbort":
		return p.waitAbort(ctx)
	case "abort":
		p.abort()
	case "steer":
		p.agent.Steer(agent.UserMessage(*s.Text))
	case "followUp":
		p.agent.FollowUp(agent.UserMessage(*s.Text))
	case "probe":
		p.probe(ctx, by, s.Label)
	case "callKept":
		p.mu.Lock()
		onUpdate := p.kept[s.Name]
		p.mu.Unlock()
		if onUpdate != nil {
			onUpdate(agent.ToolResult{Content: s.content(), Details: given(s.Details)})
		}
	case "throw":
		return errors.New(s.Message)
	default:
		panic("unknown step " + s.Do)
	}
	return nil
}

func (p *player) wait(gate <-chan struct{}) error {
	select {
	case <-gate:
		return nil
	case <-p.over.Done():
		return errScenarioOver
	}
}

// waitAbort returns when ctx has ended by an abort. A call that its run has left
// behind sees no abort any more.
func (p *player) waitAbort(ctx context.Context) error {
	select {
	case <-ctx.Done():
		if aborted(ctx) {
			return nil
		}
		<-p.over.Done()
	case <-p.over.Done():
	}
	return errScenarioOver
}

func aborted(ctx context.Context) bool { return errors.Is(context.Cause(ctx), agent.ErrAborted) }

func (p *player) probe(ctx context.Context, by, label string) {
	if p.agent == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.probes = append(p.probes, map[string]any{"label": label, "by": by, "events": len(p.events)})
		return
	}
	s := p.agent.State()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.probes = append(p.probes, map[string]any{
		"label": label, "by": by, "events": len(p.events),
		"pending": listOf(s.PendingToolCalls), "isStreaming": s.IsStreaming, "messages": len(s.Messages),
		"streaming": streamingTag(s), "errorMessage": orNull(s.ErrorMessage),
		"aborted": by != "host" && aborted(ctx),
	})
}

// usage makes a usage of a script's JSON, which is found again by its address.
func (p *player) usage(raw json.RawMessage) *agent.Usage {
	if raw = given(raw); raw == nil {
		return nil
	}
	var v struct {
		Input      int64 `json:"input"`
		Output     int64 `json:"output"`
		CacheRead  int64 `json:"cacheRead"`
		CacheWrite int64 `json:"cacheWrite"`
		Total      int64 `json:"totalTokens"`
	}
	must(json.Unmarshal(raw, &v))
	u := &agent.Usage{Input: v.Input, Output: v.Output, CacheRead: v.CacheRead, CacheWrite: v.CacheWrite, Total: v.Total}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.usages[u] = parsed(raw)
	return u
}

// matches says whether a listener's rule is about an event.
func (r *rule) matches(ev agent.Event) bool {
	id, role, update := "", "", ""
	message := func(m agent.Message) {
		role = string(m.Role)
		if m.Role == agent.RoleToolResult {
			id = m.ToolCallID
		}
	}
	switch ev := ev.(type) {
	case agent.MessageStart:
		message(ev.Message)
	case agent.MessageEnd:
		message(ev.Message)
	case agent.TurnEnd:
		message(ev.Message)
	case agent.MessageUpdate:
		role, update = "assistant", string(ev.Update.Type)
	case agent.ToolExecutionStart:
		id = ev.ToolCallID
	case agent.ToolExecutionUpdate:
		id = ev.ToolCallID
	case agent.ToolExecutionEnd:
		id = ev.ToolCallID
	}
	return r.On.Type == typeOf(ev) &&
		slices.Contains([]string{"", id}, r.On.ToolCallID) &&
		slices.Contains([]string{"", role}, r.On.Role) &&
		slices.Contains([]string{"", update}, r.On.Update)
}

// listener makes the function of a scripted listener.
func (p *player) listener(l *scriptedListener) agent.Listener {
	seen := make([]int, len(l.Rules))
	return func(ctx context.Context, ev agent.Event) error {
		var todo []step
		p.mu.Lock()
		for i := range l.Rules {
			r := &l.Rules[i]
			if !r.matches(ev) {
				continue
			}
			seen[i]++
			if r.On.Every || seen[i] == max(r.On.N, 1) {
				todo = append(todo, r.Do...)
			}
		}
		p.mu.Unlock()
		for i := range todo {
			if todo[i].Do == "tryPrompt" {
				p.tryPrompt(ctx, l.Name, &todo[i])
			} else if err := p.perform(ctx, l.Name, &todo[i]); err != nil {
				return err
			}
		}
		return nil
	}
}

func (p *player) tryPrompt(ctx context.Context, by string, s *step) {
	var rejected any
	if err := p.agent.Prompt(ctx, *s.Text); err != nil {
		rejected = err.Error()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.probes = append(p.probes, map[string]any{"label": s.Label, "by": by, "rejected": rejected})
}
