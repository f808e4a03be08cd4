package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/hub/wire"
	"github.com/ringside-hub/ringside/redis/redistest"
)

// stage is one Redis, two hubs and one publisher, all real processes, and a
// strict observer on each hub: any gap, double or wrong hash fails it.
type stage struct {
	t         *testing.T
	redis     *redistest.Server
	hubs      []*process
	urls      []string
	publisher *process
	feed      *io.PipeWriter
	observers []*wire.Observer
	calls     int
}

func newStage(t *testing.T, options ...redistest.Option) *stage {
	t.Helper()
	s := &stage{t: t, redis: redistest.Start(t, options...)}
	for _, node := range []string{"a", "b"} {
		p, url := serveHub(t, "--redis", s.redis.URL(), "--node", node)
		s.hubs, s.urls = append(s.hubs, p), append(s.urls, url)
	}
	s.publish()
	s.line(`{"type":"agent_start"}`)
	s.line(`{"type":"turn_start"}`)
	for _, url := range s.urls {
		waitStatus(t, url, "r", view.Running)
		o, err := wire.NewObserver(wire.ObserverConfig{
			Address: url, Run: "r", Strict: true, Backoff: wire.Backoff{Min: 20 * time.Millisecond, Max: 200 * time.Millisecond},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = o.Close() })
		s.observers = append(s.observers, o)
	}
	return s
}

func (s *stage) publish(args ...string) {
	s.t.Helper()
	in, feed := io.Pipe()
	s.feed = feed
	s.publisher = start(s.t, in, append([]string{"publish", "--run", "r", "--redis", s.redis.URL()}, args...)...)
	s.t.Cleanup(func() { _ = feed.Close() })
}

func (s *stage) line(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.feed, text+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// burst publishes n calls, each with progress and an end.
func (s *stage) burst(n int) {
	s.t.Helper()
	for range n {
		s.calls++
		id := fmt.Sprintf("call-%d", s.calls)
		s.line(fmt.Sprintf(`{"type":"tool_execution_start","toolCallId":%q,"toolName":"bash","args":{"n":%d}}`, id, s.calls))
		for step := range 3 {
			s.line(fmt.Sprintf(`{"type":"tool_execution_update","toolCallId":%q,"toolName":"bash","args":{},"partialResult":{"content":[{"type":"text","text":"%s"}]}}`,
				id, strings.Repeat("line\\n", step+1)))
		}
		s.line(fmt.Sprintf(`{"type":"tool_execution_end","toolCallId":%q,"toolName":"bash","result":{"content":[{"type":"text","text":"ok"}]},"isError":false}`, id))
	}
}

// converge reads on both observers until each has seen all calls end, then
// compares them with each other and with what both hubs show.
func (s *stage) converge() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 3*patience)
	defer cancel()
	hashes := map[string]bool{}
	for i, o := range s.observers {
		for done(o.View()) < s.calls {
			if _, err := o.Next(ctx); err != nil {
				s.t.Fatalf("observer %d at %s, %d of %d calls done: %v", i, o.Position(), done(o.View()), s.calls, err)
			}
		}
		hashes[o.View().Hash()] = true
	}
	for _, url := range s.urls {
		hashes[getRun(s.t, url, "r").Hash] = true
	}
	if len(hashes) != 1 {
		s.t.Fatalf("%d different views", len(hashes))
	}
}

func done(v *view.View) int {
	n := 0
	for _, t := range v.Tools {
		if t.Status == view.Done {
			n++
		}
	}
	return n
}

// Observers of both hubs see the same; one whose hub is killed in the middle of
// a burst goes on where it was once a hub is back.
func TestHubKilledMidBurst(t *testing.T) {
	s := newStage(t)
	s.burst(40)
	s.converge()
	killed := s.hubs[0]
	s.burst(20)
	_ = killed.Process.Kill()
	s.burst(40)
	<-killed.exited
	start(t, nil, "serve", "--redis", s.redis.URL(), "--addr", strings.TrimPrefix(s.urls[0], "http://")).address()
	s.burst(20)
	s.converge()
	for i, o := range s.observers {
		if n := o.Stats().Snapshots; n != 1 {
			t.Errorf("observer %d got %d snapshots, want only the one of its join", i, n)
		}
	}
	_ = s.feed.Close()
	if code := s.publisher.wait(); code != 0 {
		t.Errorf("publisher: exit code %d", code)
	}
}

// Redis comes back with what it had: nobody sees a gap, and no snapshot is
// needed. Meanwhile the hubs serve what they have and say that the store is down.
func TestRedisRestartedWithAOF(t *testing.T) {
	s := newStage(t, redistest.AOF())
	s.burst(30)
	s.converge()
	s.redis.Kill()
	s.burst(30)
	s.waitStore("down")
	if got := getRun(t, s.urls[1], "r"); got.Seq == 0 {
		t.Error("the last state is not served")
	}
	s.publisher.waitFor("Redis is away")
	s.redis.Restart()
	s.burst(30)
	s.converge()
	for i, o := range s.observers {
		if n := o.Stats().Snapshots; n != 1 {
			t.Errorf("observer %d got %d snapshots, want only the one of its join", i, n)
		}
	}
}

// waitStore reads until the first observer is told of the state of the store.
func (s *stage) waitStore(want string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	for {
		step, err := s.observers[0].Next(ctx)
		if err != nil {
			s.t.Fatalf("waiting for store %s: %v", want, err)
		}
		if m, ok := step.Message.(wire.Status); ok && m.Store == want {
			return
		}
	}
}

// Redis comes back empty: the publisher brings its run back in a new epoch.
func TestRedisEmptied(t *testing.T) {
	s := newStage(t)
	s.burst(30)
	s.converge()
	before := s.observers[0].Position()
	s.redis.FlushAll()
	s.burst(30)
	s.converge()
	if after := s.observers[0].Position(); after.Epoch == before.Epoch || after.Seq <= before.Seq {
		t.Errorf("from %s to %s: want a new epoch whose seq goes on", before, after)
	}
}

// A publisher that was killed is taken over: a new epoch, seq goes on, and the
// history across both folds to what the hubs show.
func TestPublisherKilledAndTakenOver(t *testing.T) {
	s := newStage(t)
	s.burst(20)
	s.line(`{"type":"tool_execution_start","toolCallId":"open","toolName":"bash","args":{}}`)
	s.converge()
	waitCard(t, s.urls[0], "open")
	before := getRun(t, s.urls[0], "r")
	_ = s.publisher.Process.Kill()
	_ = s.feed.Close()
	<-s.publisher.exited
	s.publish("--takeover")
	s.line(`{"type":"agent_start"}`)
	s.line(`{"type":"turn_start"}`)
	s.burst(20)
	s.converge()
	after := getRun(t, s.urls[1], "r")
	if after.Epoch == before.Epoch || after.Seq <= before.Seq {
		t.Errorf("from %s/%d to %s/%d: want a new epoch whose seq goes on", before.Epoch, before.Seq, after.Epoch, after.Seq)
	}
	if got := foldHistory(t, s.urls[0], "r"); got != after.Hash {
		t.Errorf("the history folds to %s, the hub shows %s", got, after.Hash)
	}
	lost := 0
	for _, o := range s.observers {
		for _, tool := range o.View().Tools {
			if tool.Status == view.Lost && tool.ID == "open" {
				lost++
			}
		}
	}
	if lost != 2 {
		t.Errorf("the card of the killed publisher is lost for %d of 2 observers", lost)
	}
}

func waitCard(t *testing.T, hub, id string) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if body, _ := get(t, hub+"/api/runs/r"); strings.Contains(string(body), `"id":"`+id+`"`) {
			return
		}
	}
	t.Fatalf("no card of call %s", id)
}

// A hub without Redis says so, serves, and becomes ready when Redis comes.
func TestHubBeforeRedis(t *testing.T) {
	redis := redistest.New(t)
	hub, url := serveHub(t, "--redis", redis.URL())
	hub.waitFor("Redis is not there")
	if body, status := get(t, url+"/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("ready without Redis: %d %s", status, body)
	}
	if code := start(t, nil, "health", "--addr", strings.TrimPrefix(url, "http://")).wait(); code != 1 {
		t.Errorf("health without Redis: exit code %d", code)
	}
	if body, status := get(t, url+"/api/runs/r"); status != http.StatusServiceUnavailable {
		t.Errorf("a run without Redis: %d %s", status, body)
	}
	redis.Restart()
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		if _, status := get(t, url+"/readyz"); status == http.StatusOK {
			if code := start(t, nil, "health", "--addr", strings.TrimPrefix(url, "http://")).wait(); code != 0 {
				t.Errorf("health: exit code %d", code)
			}
			return
		}
	}
	t.Fatal("never ready")
}
