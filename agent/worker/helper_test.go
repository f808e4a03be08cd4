package worker

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/projector"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/hub/view"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is one worker test: a store that can be disturbed, in a bubble.
type bench struct {
	t      *testing.T
	memory *runlog.Memory
	store  *runlogtest.Faulty

	mu     sync.Mutex
	before map[runlogtest.Op]error // returned in place of the call
	after  map[runlogtest.Op]error // returned when the call is done
	calls  map[runlogtest.Op]int
}

func run(t *testing.T, cfg runlog.MemoryConfig, f func(t *testing.T, b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := runlog.NewMemory(cfg)
		defer m.Close()
		b := &bench{
			t: t, memory: m, before: map[runlogtest.Op]error{}, after: map[runlogtest.Op]error{}, calls: map[runlogtest.Op]int{},
		}
		b.store = &runlogtest.Faulty{Store: m, Before: b.hook(b.before, true), After: b.hook(b.after, false)}
		f(t, b)
	})
}

func (b *bench) hook(errs map[runlogtest.Op]error, count bool) func(context.Context, runlogtest.Op) error {
	return func(ctx context.Context, op runlogtest.Op) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		if count {
			b.calls[op]++
		}
		return errs[op]
	}
}

// fail makes calls fail before they are made; heal ends all faults.
func (b *bench) fail(err error, ops ...runlogtest.Op) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, op := range ops {
		b.before[op] = err
	}
}

// hide loses the answers of calls that are made.
func (b *bench) hide(err error, ops ...runlogtest.Op) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, op := range ops {
		b.after[op] = err
	}
}

func (b *bench) heal() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.before)
	clear(b.after)
}

func (b *bench) count(op runlogtest.Op) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls[op]
}

var everything = []runlogtest.Op{
	runlogtest.OpClaim, runlogtest.OpAppend, runlogtest.OpCheckpoint, runlogtest.OpHeartbeat, runlogtest.OpPutBlob, runlogtest.OpClose, runlogtest.OpRead,
}

// start starts a worker of the run "run" and checks its figures at the end.
func (b *bench) start(change ...func(*Config)) *Worker {
	b.t.Helper()
	cfg := Config{Run: "run", Store: b.store, Owner: "host/1", Logger: b.logger()}
	for _, f := range change {
		f(&cfg)
	}
	w, err := New(cfg)
	must(b.t, err)
	b.t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = w.Close(ctx)
	})
	return w
}

func (b *bench) logger() zerolog.Logger { return zerolog.New(zerolog.NewTestWriter(b.t)) }

// checkStats checks that every event is accounted for.
func checkStats(t *testing.T, w *Worker) Stats {
	t.Helper()
	s := w.Stats()
	if s.Events != s.Acked+s.Merged+s.Lost+s.Buffered {
		t.Errorf("events do not add up: %+v", s)
	}
	return s
}

// close closes the worker and expects that nothing was lost.
func (b *bench) close(w *Worker) Stats {
	b.t.Helper()
	must(b.t, w.Close(b.t.Context()))
	s := checkStats(b.t, w)
	if s.Lost > 0 || s.Buffered > 0 {
		b.t.Errorf("closed with %+v", s)
	}
	return s
}

// view is what a follower that joins now sees at the worker's position.
func (b *bench) view(w *Worker) *view.View {
	b.t.Helper()
	synctest.Wait()
	return b.viewAt(w.Stats().At)
}

func (b *bench) viewAt(at runlog.Position) *view.View {
	b.t.Helper()
	f, err := b.memory.Follow(b.t.Context(), "run")
	must(b.t, err)
	defer f.Close()
	v := runlogtest.NewVerifier(nil)
	must(b.t, runlogtest.Pump(b.t.Context(), f, v, func() bool { return v.At() == at }))
	return v.View()
}

// events is the log as far as it is kept.
func (b *bench) events() []view.Event {
	b.t.Helper()
	entries, err := b.memory.Read(b.t.Context(), "run", runlog.Position{}, 1<<20)
	must(b.t, err)
	events := make([]view.Event, 0, len(entries))
	for i, e := range entries {
		if i > 0 && e.Epoch == entries[i-1].Epoch && e.Seq != entries[i-1].Seq+1 {
			b.t.Fatalf("%s follows %s", e.Position, entries[i-1].Position)
		}
		ev, err := view.DecodeEvent(e.Data)
		must(b.t, err)
		events = append(events, ev)
	}
	return events
}

// types is the log as a list of types, worker events with their state.
func types(events []view.Event) []string {
	var out []string
	for _, e := range events {
		s := string(e.Type)
		if e.Type == view.Worker {
			s += ":" + e.State
		}
		out = append(out, s)
	}
	return out
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// talk is a source of agent events: prompts of one turn each, with streamed
// text and two tools side by side.
type talk struct {
	n int
	t int64
}

func (s *talk) prompt(steps int) []agent.Event {
	s.n++
	text := func(role agent.Role, text string) agent.Message {
		return agent.Message{Role: role, Content: []agent.Block{{Type: agent.BlockText, Text: text}}, StopReason: agent.StopStop}
	}
	user := text(agent.RoleUser, fmt.Sprintf("prompt %d", s.n))
	out := []agent.Event{agent.AgentStart{}, agent.TurnStart{}, agent.MessageStart{Message: user}, agent.MessageEnd{Message: user}}
	out = append(out, agent.MessageStart{Message: agent.Message{Role: agent.RoleAssistant}})
	var said strings.Builder
	for i := range steps {
		delta := fmt.Sprintf("word %d ", i)
		said.WriteString(delta)
		out = append(out, agent.MessageUpdate{Update: agent.AssistantUpdate{Type: agent.UpdateTextDelta, Delta: delta}})
	}
	answer := text(agent.RoleAssistant, said.String())
	a, b := fmt.Sprintf("a%d", s.n), fmt.Sprintf("b%d", s.n)
	for _, id := range []string{a, b} {
		answer.Content = append(answer.Content, agent.Block{
			Type: agent.BlockToolCall, ToolCall: &agent.ToolCall{ID: id, Name: "bash", Arguments: []byte(`{"n":1}`)},
		})
	}
	out = append(out, agent.MessageEnd{Message: answer})
	for _, id := range []string{a, b} {
		out = append(out, agent.ToolExecutionStart{ToolCallID: id, ToolName: "bash", Args: []byte(`{"n":1}`)})
	}
	for i := range steps {
		for _, id := range []string{a, b} {
			out = append(out, agent.ToolExecutionUpdate{ToolCallID: id, ToolName: "bash", Partial: result(fmt.Sprintf("%s: step %d", id, i))})
		}
	}
	for _, id := range []string{b, a} {
		out = append(out, agent.ToolExecutionEnd{ToolCallID: id, ToolName: "bash", Result: result("done " + id)})
	}
	return append(out, agent.TurnEnd{Message: answer}, agent.AgentEnd{}, agent.Settled{})
}

func result(text string) agent.ToolResult {
	return agent.ToolResult{Content: []agent.Block{{Type: agent.BlockText, Text: text}}}
}

// publish publishes events with a time of their own, and returns them.
func (s *talk) publish(w *Worker, events []agent.Event, pause time.Duration) {
	for _, e := range events {
		s.t++
		w.Publish(s.t, e)
		if pause > 0 {
			time.Sleep(pause)
		}
	}
}

// folded is the view of events, projected and folded without a worker. What
// only a worker says is left as it is.
func folded(prompts ...[]agent.Event) *view.View {
	p, v, t := projector.New(projector.Config{}), view.New(), int64(0)
	apply := func(events []view.Event) {
		for _, e := range events {
			v.Apply(&e)
		}
	}
	for _, e := range slices.Concat(prompts...) {
		t++
		apply(p.Project(t, e).Events)
		apply(p.Flush(t))
	}
	return v
}

// sameContent compares what the agent did, whatever the worker said beside it.
func sameContent(t *testing.T, got, want *view.View) {
	t.Helper()
	content := func(v *view.View) map[string]string {
		sums := map[string]string{}
		for _, d := range v.Digests() {
			sums[d.Name] = d.Sum
		}
		delete(sums, "header")
		return sums
	}
	g, w := content(got), content(want)
	for name, sum := range w {
		if g[name] != sum {
			a, _ := got.Encode()
			b, _ := want.Encode()
			t.Fatalf("%s differs:\n%s\nwant\n%s", name, a, b)
		}
	}
	if len(g) != len(w) {
		t.Fatalf("%d entities, want %d", len(g), len(w))
	}
}

func readAll(t *testing.T, r io.ReadSeekCloser, err error) string {
	t.Helper()
	must(t, err)
	defer r.Close()
	data, err := io.ReadAll(r)
	must(t, err)
	return string(data)
}
