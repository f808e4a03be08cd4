package projector_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/ringside-hub/ringside/agent/projector"
	"github.com/ringside-hub/ringside/agent/projector/scenariotest"
	"github.com/ringside-hub/ringside/hub/view"
)

// What the real Pi emitted, projected and folded, is what the real Pi's example
// view showed after each event.
func TestScenarios(t *testing.T) {
	all, err := scenariotest.Load("../testdata/scenarios")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range all {
		t.Run(x.Name, func(t *testing.T) {
			p, r := projector.New(projector.Config{}), scenariotest.NewReader()
			fold := func(events []view.Event) {
				for i := range events {
					r.Apply(roundTrip(t, &events[i]))
				}
			}
			for i, e := range x.Events {
				fold(p.Project(int64(i), e).Events)
				fold(p.Flush(int64(i)))
				if diff := cmp.Diff(canonical(t, x.Trace[i]), canonical(t, marshal(t, r.Trace(e)))); diff != "" {
					t.Fatalf("after event %d, %T (-want +got):\n%s", i, e, diff)
				}
			}
			fold(p.Close(int64(len(x.Events))))
			if diff := cmp.Diff(canonical(t, x.View), canonical(t, marshal(t, r.View()))); diff != "" {
				t.Errorf("view (-want +got):\n%s", diff)
			}
			if n := r.Folded().Strays; n != 0 {
				t.Errorf("%d strays", n)
			}
			if more := p.Close(0); len(more) != 0 {
				t.Errorf("a second Close gave %v", more)
			}
		})
	}
}

// roundTrip sends an event over the wire: what is folded is what arrives.
func roundTrip(t testing.TB, e *view.Event) *view.Event {
	t.Helper()
	data, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := view.DecodeEvent(data)
	if err != nil {
		t.Fatalf("%.300s: %v", data, err)
	}
	return &back
}

func marshal(t testing.TB, v any) jsontext.Value {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func canonical(t testing.TB, v jsontext.Value) string {
	t.Helper()
	v = v.Clone()
	if err := v.Canonicalize(); err != nil {
		t.Fatalf("%v in %.200s", err, v)
	}
	return string(v)
}
