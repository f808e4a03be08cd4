package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/hub/wire"
	"github.com/ringside-hub/ringside/redis/redistest"
)

// quick has a hub give runs up as soon as it makes sense.
var quick = []string{"--lost-after", "3s"}

// TestFault21WorkerPausedOverHTTP: a worker that publishes through the hub is
// stopped while its command goes on. Its run is given up; when it wakes up, it has
// the run again, the card is open again, and the command's end is its end.
func TestFault21WorkerPausedOverHTTP(t *testing.T) {
	_, hub := serveHub(t, quick...)
	dir := t.TempDir()
	p, feed := startWork(t, "--to", hub, "--model", bashScript(t, "echo begun; until test -e go; do sleep 0.1; done; echo ended"),
		"--workspace", dir, "--tools", "bash", "--prompt", "wait")
	until(t, hub, "the command runs", running("c1"))
	signalTo(t, p, syscall.SIGSTOP)
	v := until(t, hub, "the worker is lost", func(v *view.View) bool { return v.Worker == view.WorkerLost })
	if statusOf(v, "c1") != view.Lost || v.Tools["c1"].Cause != view.CauseWorkerLost || v.RunStatus != view.Idle {
		t.Errorf("card %s, run %s", statusOf(v, "c1"), v.RunStatus)
	}
	signalTo(t, p, syscall.SIGCONT)
	v = until(t, hub, "the worker is back", func(v *view.View) bool { return v.Worker == view.WorkerLive })
	if statusOf(v, "c1") != view.CardRunning || v.RunStatus != view.Running {
		t.Errorf("card %s, run %s", statusOf(v, "c1"), v.RunStatus)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_ = feed.Close()
	if code := p.wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	v = folded(t, hub)
	if statusOf(v, "c1") != view.Done || v.Outcome != view.OutcomeOK || v.Worker != view.WorkerGone {
		t.Errorf("card %s, outcome %s, worker %s", statusOf(v, "c1"), v.Outcome, v.Worker)
	}
	wantStates(t, hub, "live", "lost", "live", "gone")
}

// TestFault21PublisherPausedOverHTTP is the same of a relay, whose source goes on
// meanwhile: nothing of that is missing.
func TestFault21PublisherPausedOverHTTP(t *testing.T) {
	_, hub := serveHub(t, quick...)
	in, feed := io.Pipe()
	p := start(t, in, "publish", "--run", "r", "--to", hub)
	t.Cleanup(func() { _ = feed.Close() })
	s := &stage{t: t, urls: []string{hub}, publisher: p, feed: feed}
	s.line(`{"type":"agent_start"}`)
	s.line(`{"type":"turn_start"}`)
	s.burst(5)
	all := func(v *view.View) bool { return done(v) == s.calls }
	until(t, hub, "the calls are done", all)
	signalTo(t, p, syscall.SIGSTOP)
	until(t, hub, "the worker is lost", func(v *view.View) bool { return v.Worker == view.WorkerLost })
	s.burst(5) // into the pipe
	signalTo(t, p, syscall.SIGCONT)
	until(t, hub, "the later calls are done", all)
	_ = feed.Close()
	if code := p.wait(); code != 0 || !strings.Contains(p.stdout.String(), " 0 lost;") {
		t.Errorf("exit code %d", code)
	}
	wantStates(t, hub, "live", "lost", "live", "gone")
}

// TestFault20WorkKilledMidTool: what a killed worker's command was doing is over,
// its card and run say so.
func TestFault20WorkKilledMidTool(t *testing.T) {
	_, hub := serveHub(t, quick...)
	mark := markFile(t)
	killMidTool(t, hub, mark)
	v := until(t, hub, "the worker is lost", func(v *view.View) bool { return v.Worker == view.WorkerLost })
	if statusOf(v, "c1") != view.Lost || v.RunStatus != view.Idle {
		t.Errorf("card %s, run %s", statusOf(v, "c1"), v.RunStatus)
	}
	noProcess(t, mark)
	wantStates(t, hub, "live", "lost")
}

func killMidTool(t *testing.T, hub, mark string) {
	t.Helper()
	p, feed := startWork(t, "--to", hub, "--model", bashScript(t, "echo begun; while sleep 0.1; do : "+mark+"; done"),
		"--workspace", t.TempDir(), "--tools", "bash", "--prompt", "wait")
	until(t, hub, "the command runs", running("c1"))
	eventually(t, "the command is there", func() bool { return marked(mark) })
	_ = p.Process.Kill()
	_ = feed.Close()
	p.wait()
}

// TestFault20Defaults: an observer hears of a killed worker within the times that
// are promised, with nothing set.
func TestFault20Defaults(t *testing.T) {
	redistest.Slow(t)
	_, hub := serveHub(t)
	o, err := wire.NewObserver(wire.ObserverConfig{Address: hub, Run: "r", Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	killMidTool(t, hub, markFile(t))
	killed := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var stale, lost time.Duration
	for lost == 0 {
		step, err := o.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := step.Message.(wire.Status); ok && m.Worker != nil && m.Worker.Stale && stale == 0 {
			stale = time.Since(killed)
		}
		if o.View().Worker == view.WorkerLost {
			lost = time.Since(killed)
		}
	}
	// The last heartbeat was up to two seconds before the end; it may take another
	// to be told.
	if stale < 5*time.Second || stale > 10*time.Second || lost < 27*time.Second || lost > 36*time.Second {
		t.Errorf("stale after %s, lost after %s", stale, lost)
	}
	t.Logf("stale after %s, lost after %s", stale, lost)
}

// TestFault21Defaults: stopped for a minute, with nothing set.
func TestFault21Defaults(t *testing.T) {
	redistest.Slow(t)
	_, hub := serveHub(t)
	p, feed := startWork(t, "--to", hub, "--model", bashScript(t, "sleep 70; echo ended"),
		"--workspace", t.TempDir(), "--tools", "bash", "--prompt", "wait")
	until(t, hub, "the command runs", running("c1"))
	signalTo(t, p, syscall.SIGSTOP)
	minute, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	<-minute.Done()
	if v := folded(t, hub); v.Worker != view.WorkerLost {
		t.Errorf("worker %s after a minute", v.Worker)
	}
	signalTo(t, p, syscall.SIGCONT)
	until(t, hub, "the worker is back", func(v *view.View) bool { return v.Worker == view.WorkerLive })
	until(t, hub, "the command has ended", func(v *view.View) bool { return statusOf(v, "c1") == view.Done })
	_ = feed.Close()
	if code := p.wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestFault18HubPausedBlamesNobody: a hub that was stopped, and heard nobody
// meanwhile, gives up no run.
func TestFault18HubPausedBlamesNobody(t *testing.T) {
	server := redistest.Start(t)
	p, hub := serveHub(t, append([]string{"--redis", server.URL()}, quick...)...)
	_, feed := startWork(t, "--redis", server.URL(), "--model", bashScript(t, "sleep 600"),
		"--workspace", t.TempDir(), "--tools", "bash", "--prompt", "wait")
	defer feed.Close()
	until(t, hub, "the command runs", running("c1"))
	signalTo(t, p, syscall.SIGSTOP)
	time.Sleep(5 * time.Second) // longer than a worker may be silent
	signalTo(t, p, syscall.SIGCONT)
	time.Sleep(4 * time.Second) // longer than a hub that is awake looks on
	if v := folded(t, hub); v.Worker != view.WorkerLive || statusOf(v, "c1") != view.CardRunning {
		t.Errorf("worker %s, card %s", v.Worker, statusOf(v, "c1"))
	}
	wantStates(t, hub, "live")
}

// TestFault1OutageCostsNoRun: Redis was away for longer than a worker may be
// silent, and comes back with old signs of life.
func TestFault1OutageCostsNoRun(t *testing.T) {
	redistest.Slow(t)
	server := redistest.Start(t, redistest.AOF())
	_, hub := serveHub(t, "--redis", server.URL(), "--lost-after", "10s")
	_, feed := startWork(t, "--redis", server.URL(), "--model", bashScript(t, "sleep 600"),
		"--workspace", t.TempDir(), "--tools", "bash", "--prompt", "wait")
	defer feed.Close()
	until(t, hub, "the command runs", running("c1"))
	server.Kill()
	time.Sleep(15 * time.Second)
	server.Restart()
	time.Sleep(15 * time.Second)
	if v := folded(t, hub); v.Worker != view.WorkerLive || statusOf(v, "c1") != view.CardRunning {
		t.Errorf("worker %s, card %s", v.Worker, statusOf(v, "c1"))
	}
	wantStates(t, hub, "live")
}

// wantStates compares what the log says of the worker.
func wantStates(t *testing.T, hub string, want ...string) {
	t.Helper()
	body, _ := get(t, hub+"/api/runs/r/events?limit=5000")
	var got []string
	for line := range strings.Lines(string(body)) {
		for _, state := range []string{view.WorkerLive, view.WorkerLost, view.WorkerGone} {
			if strings.Contains(line, `"type":"worker"`) && strings.Contains(line, `"state":"`+state+`"`) {
				got = append(got, state)
			}
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the log says that the worker was %v, want %v", got, want)
	}
}
