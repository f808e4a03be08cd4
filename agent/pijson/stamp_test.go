package pijson

import (
	"io"
	"os"
	"testing"

	"github.com/ringside-hub/ringside/agent"
)

func stampAll(t *testing.T, s *Stamper) []Stamped {
	t.Helper()
	var all []Stamped
	for {
		rec, err := s.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rec)
	}
}

// The recorded session's own times are met exactly, what lies between them is
// spread, and time never goes back.
func TestRecordedTimes(t *testing.T) {
	f, err := os.Open("testdata/parallel.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := stampAll(t, NewRecorded(NewReader(f, Options{})))
	last, distinct := int64(0), 0
	var slowStart, slowEnd int64
	for _, s := range all {
		if s.T < last {
			t.Fatalf("line %d: %d after %d", s.Line, s.T, last)
		}
		if s.T > last {
			distinct++
		}
		last = s.T
		for _, e := range s.Events {
			switch e := e.(type) {
			case agent.ToolExecutionStart:
				if e.ToolCallID == "call_slow" {
					slowStart = s.T
				}
			case agent.ToolExecutionEnd:
				if e.ToolCallID == "call_slow" {
					slowEnd = s.T
					if d := slowEnd - slowStart; d < *e.DurationMs*9/10 || d > *e.DurationMs*11/10 {
						t.Errorf("call_slow took %d ms by its times, %d by its own word", d, *e.DurationMs)
					}
				}
			}
		}
	}
	if first := all[0].T; first != 1796131858253 {
		t.Errorf("first line at %d, want the session's own time", first)
	}
	if distinct < len(all)/3 {
		t.Errorf("only %d different times over %d lines: not spread", distinct, len(all))
	}
}

// A stream that is relayed as it comes takes arrival times, shifted to the
// stream's own clock at every line that tells the time.
func TestLiveTimes(t *testing.T) {
	const own = 1_000_000
	recs := []Record{
		{At: own, Events: []agent.Event{agent.SessionInfo{}}},
		{Events: []agent.Event{agent.AgentStart{}}},
		{At: own + 50, Events: []agent.Event{agent.MessageStart{Message: agent.Message{Role: agent.RoleAssistant}}}},
		{Events: []agent.Event{agent.MessageUpdate{}}},
		{At: own + 50, DurationMs: 30, Events: []agent.Event{agent.MessageEnd{Message: agent.Message{Role: agent.RoleAssistant}}}},
		{At: own + 50, Events: []agent.Event{agent.TurnEnd{}}},
	}
	arrivals := []int64{5_000, 5_010, 5_060, 5_075, 5_095, 5_096}
	i := -1
	s := newStamper(func() (Record, error) {
		if i++; i == len(recs) {
			return Record{}, io.EOF
		}
		return recs[i], nil
	}, false)
	s.now = func() int64 { return arrivals[i] }
	want := []int64{own, own + 10, own + 50, own + 65, own + 80, own + 81}
	for n, rec := range stampAll(t, s) {
		if rec.T != want[n] {
			t.Errorf("record %d at %d, want %d", n, rec.T, want[n])
		}
	}
}
