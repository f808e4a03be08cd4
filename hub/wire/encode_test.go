package wire

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// Events with what a re-encoding would change: member order, escapes, a long
// number's spelling in text.
var rawEvents = [][]byte{
	[]byte(`{"t":1,"type":"tool_start","key":"c\u0031","args":"{\"n\":1.50}"}`),
	[]byte(`{"type":"text_delta","t":2,"id":"m1","delta":"\u2028<&>"}`),
	[]byte(`{"type":"agent_end","t":3}`),
}

func entries(first int64) []runlog.Entry {
	all := make([]runlog.Entry, len(rawEvents))
	for i, e := range rawEvents {
		all[i] = runlog.Entry{Position: runlog.Position{Epoch: "EPOCH", Seq: first + int64(i)}, Data: e}
	}
	return all
}

var appenders = []struct {
	name   string
	append func(dst []byte) []byte
	want   HubMessage
}{
	{"events", func(dst []byte) []byte { return AppendEvents(dst, "run-1", "EPOCH", 7, rawEvents) }, Events{
		Type: TypeEvents, Run: "run-1", Position: runlog.Position{Epoch: "EPOCH", Seq: 7},
		Events: []jsontext.Value{rawEvents[0], rawEvents[1], rawEvents[2]},
	}},
	{"entries", func(dst []byte) []byte { return AppendEntries(dst, "run-1", sevenths) }, Events{
		Type: TypeEvents, Run: "run-1", Position: runlog.Position{Epoch: "EPOCH", Seq: 7},
		Events: []jsontext.Value{rawEvents[0], rawEvents[1], rawEvents[2]},
	}},
	{"merged", func(dst []byte) []byte { return AppendMerged(dst, "run-1", "EPOCH", 6, 9, sevenths[1:]) }, Merged{
		Type: TypeMerged, Run: "run-1", Epoch: "EPOCH", From: 6, To: 9,
		Entries: [][2]jsontext.Value{
			{jsontext.Value("8"), jsontext.Value(rawEvents[1])}, {jsontext.Value("9"), jsontext.Value(rawEvents[2])},
		},
	}},
	{"snapshot", func(dst []byte) []byte {
		return AppendSnapshot(dst, "run-1", runlog.Position{Epoch: "EPOCH", Seq: 9}, runlog.ReasonSlow, viewJSON)
	}, Snapshot{
		Type: TypeSnapshot, Run: "run-1", Position: runlog.Position{Epoch: "EPOCH", Seq: 9},
		Reason: runlog.ReasonSlow, View: jsontext.Value(viewJSON),
	}},
	{"check", func(dst []byte) []byte {
		return AppendCheck(dst, "run-1", runlog.Position{Epoch: "EPOCH", Seq: 9}, hash)
	}, CheckAt{Type: TypeCheck, Run: "run-1", Position: runlog.Position{Epoch: "EPOCH", Seq: 9}, Hash: hash}},
	{"status", func(dst []byte) []byte { return AppendStatus(dst, fullStatus) }, fullStatus},
	{"status, bare", func(dst []byte) []byte { return AppendStatus(dst, Status{Run: "r"}) }, Status{Type: TypeStatus, Run: "r"}},
	{"status, beat", func(dst []byte) []byte { return AppendStatus(dst, beat) }, beat},
	{"heartbeat", func(dst []byte) []byte { return AppendHeartbeat(dst, 1700000000000) }, Heartbeat{Type: TypeHeartbeat, T: 1700000000000}},
}

var (
	sevenths   = entries(7)
	viewJSON   = []byte(`{"runStatus":"idle","strays":1}`)
	hash       = "2c3889d8d8df5548651f45278ab4434cc4072aa56645f2e492de7415568fac76"
	beat       = Status{Type: TypeStatus, Run: "r", Worker: &WorkerStatus{HeardMs: 3}}
	fullStatus = Status{
		Type: TypeStatus, Run: "r", Worker: &WorkerStatus{HeardMs: -1, Stale: true}, Store: "down",
		Delivery: &DeliveryStatus{Step: "merged", Behind: 7, Merged: 9},
	}
)

// What an appender writes is what the generic encoder would, except that the
// bytes of events and views are the very ones that went in.
func TestAppenders(t *testing.T) {
	for _, a := range appenders {
		t.Run(a.name, func(t *testing.T) {
			got := a.append([]byte("before"))
			got, ok := bytes.CutPrefix(got, []byte("before"))
			if !ok {
				t.Fatalf("what was in dst is lost: %s", got)
			}
			if !schemaAccepts(t, "hub_message", got) {
				t.Errorf("the schema does not allow %s", got)
			}
			decoded, err := DecodeHub(got)
			if err != nil {
				t.Fatalf("%s: %v", got, err)
			}
			if diff := cmp.Diff(a.want, decoded); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			generic, err := Marshal(a.want)
			if err != nil {
				t.Fatal(err)
			}
			if canonical(t, generic) != canonical(t, got) {
				t.Errorf("appended %s\nmarshalled %s", got, generic)
			}
		})
	}
}

func TestAppendersDoNotAllocate(t *testing.T) {
	dst := make([]byte, 0, 4096)
	for _, a := range appenders {
		if n := testing.AllocsPerRun(100, func() { dst = a.append(dst[:0]) }); n != 0 {
			t.Errorf("%s: %v allocations", a.name, n)
		}
	}
}

func TestMarshalSetsTheType(t *testing.T) {
	got, err := Marshal(Heartbeat{Type: "bye", T: 5})
	if err != nil || string(got) != `{"type":"heartbeat","t":5}` {
		t.Errorf("%s, %v", got, err)
	}
	got, err = MarshalClient(Watch{Run: "r", From: &runlog.Position{Epoch: "e", Seq: 4}})
	if err != nil || string(got) != `{"type":"watch","run":"r","from":{"epoch":"e","seq":4}}` {
		t.Errorf("%s, %v", got, err)
	}
}

func BenchmarkAppendEvents(b *testing.B) {
	dst := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		dst = AppendEvents(dst[:0], "run-1", "EPOCH", 7, rawEvents)
	}
}
