package hub_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/ringside-hub/ringside/hub"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/hub/wire"
)

// post sends a JSON body to the writer's API.
func (s *server) post(t testing.TB, method, path, body string) (int, string) {
	t.Helper()
	status, _, answer := s.request(t, method, path, http.Header{"Content-Type": {"application/json"}}, strings.NewReader(body))
	return status, answer
}

func (s *server) claim(t testing.TB, run, body string) wire.Claimed {
	t.Helper()
	status, answer := s.post(t, "POST", "/api/runs/"+run+"/writer", body)
	if status != 201 {
		t.Fatalf("claim: %d %s", status, answer)
	}
	var c wire.Claimed
	must(t, json.Unmarshal([]byte(answer), &c))
	return c
}

func (s *server) refused(t testing.TB, method, path, body string, status int, code wire.Code) wire.ErrorBody {
	t.Helper()
	got, answer := s.post(t, method, path, body)
	var e wire.ErrorBody
	must(t, json.Unmarshal([]byte(answer), &e))
	if got != status || e.Code != code {
		t.Fatalf("%s %s: %d %s, want %d %s", method, path, got, answer, status, code)
	}
	return e
}

const start1 = `{"first":1,"events":[{"type":"agent_start","t":1},{"type":"turn_start","t":2}]}`

func TestRemoteWriter(t *testing.T) {
	s := start(t, hub.Config{})
	c := s.claim(t, "r1", `{"owner":"laptop/1"}`)
	if c.Epoch == "" || c.Seq != 0 {
		t.Fatalf("claimed %+v", c)
	}
	p := s.connect(t, "")
	got := p.watch(t, "r1", nil)
	at := "/api/runs/r1/writer/" + c.Epoch

	for i, want := range []string{`{"status":"ok","last":2}`, `{"status":"dup","last":2}`} {
		if status, answer := s.post(t, "POST", at+"/events", start1); status != 200 || answer != want {
			t.Fatalf("append %d: %d %s", i, status, answer)
		}
	}
	if status, answer := s.post(t, "POST", at+"/events", `{"first":5,"events":[{"type":"turn_end","t":1}]}`); status != 200 || answer != `{"status":"gap","last":2}` {
		t.Fatalf("gap: %d %s", status, answer)
	}
	p.until(t, func() bool { return got.at.Seq == 2 })
	if got.view.RunStatus != view.Running || got.view.Turn != 1 {
		t.Fatalf("view %+v", got.view)
	}

	v, err := got.view.Encode()
	must(t, err)
	if status, answer := s.post(t, "PUT", at+"/checkpoint", fmt.Sprintf(`{"seq":2,"view":%s}`, v)); status != 204 {
		t.Fatalf("checkpoint: %d %s", status, answer)
	}
	if status, answer := s.post(t, "POST", at+"/heartbeat", `{"summary":{"title":"A title","runStatus":"running"}}`); status != 204 {
		t.Fatalf("heartbeat: %d %s", status, answer)
	}
	if status, _, answer := s.request(t, "PUT", at+"/blobs/c1", nil, strings.NewReader("whole")); status != 204 {
		t.Fatalf("blob: %d %s", status, answer)
	}
	if _, _, body := s.get(t, "/api/runs/r1/tools/c1/output"); body != "whole" {
		t.Fatalf("output %q", body)
	}
	if _, _, body := s.get(t, "/api/runs"); !strings.Contains(body, `"A title"`) || !strings.Contains(body, `"laptop/1"`) {
		t.Fatalf("runs %s", body)
	}
	if status, answer := s.post(t, "DELETE", at, ""); status != 204 {
		t.Fatalf("close: %d %s", status, answer)
	}
	// It can be claimed again at once, and goes on where it was.
	if again := s.claim(t, "r1", `{"owner":"laptop/2"}`); again.Seq != 2 || again.Epoch == c.Epoch {
		t.Fatalf("claimed again %+v", again)
	}
}

func TestRemoteWriterIsHeldAndTakenOver(t *testing.T) {
	s := start(t, hub.Config{})
	c := s.claim(t, "r1", `{"owner":"laptop/1"}`)
	e := s.refused(t, "POST", "/api/runs/r1/writer", `{"owner":"laptop/2"}`, 409, wire.CodeHeld)
	if e.Owner != "laptop/1" || !strings.Contains(e.Message, "laptop/1") {
		t.Fatalf("held: %+v", e)
	}
	next := s.claim(t, "r1", `{"owner":"laptop/2","takeover":true}`)
	for range 2 { // also once the session is gone
		s.refused(t, "POST", "/api/runs/r1/writer/"+c.Epoch+"/events", start1, 409, wire.CodeFenced)
	}
	if status, answer := s.post(t, "POST", "/api/runs/r1/writer/"+next.Epoch+"/events", fmt.Sprintf(`{"first":%d,"events":[{"type":"agent_start","t":1}]}`, next.Seq+1)); status != 200 {
		t.Fatalf("append: %d %s", status, answer)
	}
}

// A batch with one event that is not as it should be changes nothing, and the
// answer says which it is.
func TestRemoteWriterRefusesBadEvents(t *testing.T) {
	s := start(t, hub.Config{})
	c := s.claim(t, "r1", `{"owner":"laptop/1"}`)
	at := "/api/runs/r1/writer/" + c.Epoch
	for name, b := range map[string]struct{ body, says string }{
		"unknown type":   {`{"first":1,"events":[{"type":"agent_start","t":1},{"type":"message_update","t":1}]}`, "1"},
		"unknown member": {`{"first":1,"events":[{"type":"agent_start","t":1},{"type":"agent_end","t":1,"messages":[]}]}`, "/events/1"},
		"doubled member": {`{"first":1,"events":[{"type":"agent_start","t":1,"t":2}]}`, "t"},
		"no key":         {`{"first":1,"events":[{"type":"tool_start","t":1}]}`, "0"},
		"not an object":  {`{"first":1,"events":[7]}`, "/events/0"},
		"no first":       {`{"events":[{"type":"agent_start","t":1}]}`, "/first"},
		"no events":      {`{"first":1}`, "/events"},
	} {
		t.Run(name, func(t *testing.T) {
			if e := s.refused(t, "POST", at+"/events", b.body, 400, wire.CodeBadMessage); !strings.Contains(e.Message, b.says) {
				t.Fatalf("%q does not name %s", e.Message, b.says)
			}
		})
	}
	if status, answer := s.post(t, "POST", at+"/events", start1); status != 200 || answer != `{"status":"ok","last":2}` {
		t.Fatalf("append: %d %s", status, answer)
	}
}

// A writer that is silent for a minute loses its session, and is told to claim
// again as nobody has taken its place. Silence is no release: until then people
// are told that nothing is heard of it.
func TestRemoteWriterExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startPiped(t, hub.Config{Timing: hub.Timing{Lost: -1}})
		c := s.claim(t, "r1", `{"owner":"laptop/1"}`)
		time.Sleep(50 * time.Second)
		if status, _ := s.post(t, "POST", "/api/runs/r1/writer/"+c.Epoch+"/heartbeat", `{"summary":{}}`); status != 204 {
			t.Fatalf("heartbeat: %d", status)
		}
		time.Sleep(70 * time.Second)
		s.silent(t, "r1", 70*time.Second)
		s.refused(t, "POST", "/api/runs/r1/writer/"+c.Epoch+"/events", start1, 404, wire.CodeUnknownRun)
		s.claim(t, "r1", `{"owner":"laptop/1"}`)
		s.http.CloseIdleConnections()
		must(t, s.stop())
	})
}

// silent checks that whoever looks at a run is told that its writer is silent.
func (s *server) silent(t *testing.T, run string, since time.Duration) {
	t.Helper()
	p := s.connect(t, "")
	got := p.watch(t, run, nil)
	p.until(t, func() bool { return got.status.Worker != nil })
	if w := got.status.Worker; !w.Stale || w.HeardMs < since.Milliseconds() {
		t.Errorf("a joiner is told %+v, want stale for %s", w, since)
	}
	_ = p.ws.CloseNow()
	_, _, body := s.get(t, "/api/runs")
	var list struct{ Runs []runlog.RunSummary }
	must(t, json.Unmarshal([]byte(body), &list, json.MatchCaseInsensitiveNames(true)))
	if len(list.Runs) != 1 || list.Runs[0].HeardMs < since.Milliseconds() {
		t.Errorf("the list says %s", body)
	}
}

// A hub that stops gives up the runs of writers that are there, so that they
// can claim them elsewhere at once; for one that is silent it cannot speak.
func TestStopLeavesSilentRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		s := startPiped(t, hub.Config{Store: store})
		s.claim(t, "r1", `{"owner":"laptop/1"}`)
		time.Sleep(20 * time.Second)
		s.http.CloseIdleConnections()
		must(t, s.stop())
		next := startPiped(t, hub.Config{Store: store})
		next.silent(t, "r1", 20*time.Second)
		next.http.CloseIdleConnections()
		must(t, next.stop())
	})
}

// The runs of remote writers are given up when their hub stops.
func TestStopGivesUpRemoteRuns(t *testing.T) {
	s := start(t, hub.Config{})
	s.claim(t, "r1", `{"owner":"laptop/1"}`)
	must(t, s.stop())
	w, _, err := s.Store.Claim(t.Context(), "r1", runlog.ClaimOptions{Owner: "laptop/1"})
	must(t, err)
	must(t, w.Close(t.Context()))
}
