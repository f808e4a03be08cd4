package pijson

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
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

// Times that cannot be right are as good as none: what they stand between is
// spread over the others, and nothing overflows.
func TestImplausibleTimes(t *testing.T) {
	const start = 1_796_131_858_000
	user := func(timestamp string) string {
		return `{"type":"message_end","message":{"role":"user","content":"x","timestamp":` + timestamp + `}}`
	}
	assistant := func(ms string) string {
		return fmt.Sprintf(`{"type":"message_end","message":{"role":"assistant","content":[],"timestamp":%d,"durationMs":%s}}`, start, ms)
	}
	tool := func(ms string) string {
		return `{"type":"tool_execution_start","toolCallId":"c"}` + "\n" + `{"type":"tool_execution_end","toolCallId":"c","durationMs":` + ms + `}`
	}
	for name, odd := range map[string]string{
		"large":            user("9007199254740991"),
		"of 2100":          user("4102444800000"),
		"of 9999":          user(`"9999-12-31T23:59:59Z"`),
		"zero":             user("0"),
		"negative":         user("-5"),
		"before 1970":      user(`"1969-12-31T23:59:59Z"`),
		"long message":     assistant("9007199254740991"),
		"long tool":        tool("9007199254740991"),
		"tool until 2100":  tool("4102444800000"),
		"entry of 9999":    `{"type":"model_change","modelId":"m","timestamp":"9999-12-31T23:59:59Z"}`,
		"in microseconds":  user("1796131858000000"),
		"nothing but that": "",
	} {
		t.Run(name, func(t *testing.T) {
			lines := []string{user(fmt.Sprint(start))}
			lines = append(lines, slices.Repeat([]string{`{"type":"turn_start"}`}, 1500)...)
			lines = append(lines, odd)
			lines = append(lines, slices.Repeat([]string{`{"type":"turn_start"}`}, 1500)...)
			lines = append(lines, user(fmt.Sprint(start+1000)))
			all := stampAll(t, NewRecorded(NewReader(strings.NewReader(strings.Join(lines, "\n")), Options{})))
			last := int64(start)
			for _, s := range all {
				if s.T < last || s.T > start+1000 {
					t.Fatalf("line %d at %d, after %d", s.Line, s.T, last)
				}
				last = s.T
			}
			if last != start+1000 {
				t.Errorf("ends at %d", last)
			}
		})
	}
}

// The spread itself holds any span.
func TestSpreadOfAnySpan(t *testing.T) {
	for _, span := range []int64{0, 1, 2047, 1 << 42, maxInteger, 1<<63 - 1} {
		last := int64(0)
		for i := range int64(maxLookAhead) {
			at := share(span, i+1, maxLookAhead)
			if at < last || at > span {
				t.Fatalf("%d of %d in %d is %d, after %d", i+1, maxLookAhead, span, at, last)
			}
			last = at
		}
		if last != span {
			t.Errorf("%d ends at %d", span, last)
		}
	}
}

// A live line cannot be from tomorrow: the lines after it go on from now.
func TestLiveTimeFromTheFuture(t *testing.T) {
	const now = 1_796_131_858_000
	recs := []Record{{At: now}, {At: now + 200*24*60*60*1000}, {}, {At: now + 30}}
	i := -1
	s := newStamper(func() (Record, error) {
		if i++; i == len(recs) {
			return Record{}, io.EOF
		}
		return recs[i], nil
	}, false)
	s.now = func() int64 { return now + int64(10*i) }
	for n, rec := range stampAll(t, s) {
		if want := now + int64(10*n); rec.T != want {
			t.Errorf("record %d at %d, want %d", n, rec.T, want)
		}
	}
}
