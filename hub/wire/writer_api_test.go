package wire

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// An event is accepted in an append exactly where the schema allows it, and its
// bytes go through unchanged.
func TestGoldenEvents(t *testing.T) {
	types := map[string]bool{}
	for _, c := range readGolden(t, "events.json").Cases {
		t.Run(c.Name, func(t *testing.T) {
			_, events, err := DecodeAppend(AppendBody(nil, 1, [][]byte{c.Message}))
			checkGolden(t, &c, err)
			if err == nil {
				if canonical(t, events[0]) != canonical(t, c.Message) || bytes.ContainsAny(events[0], "\n") {
					t.Errorf("became %s", events[0])
				}
				types[kindOf(t, events[0])] = true
			}
			if schemaAccepts(t, "event", c.Message) != (c.Error == nil) {
				t.Error("the schema disagrees")
			}
		})
	}
	for _, kind := range eventTypes(t) {
		if !types[kind] {
			t.Errorf("no valid example of %s", kind)
		}
	}
}

func eventTypes(t *testing.T) []string {
	t.Helper()
	var types []string
	for name := range definitions(t) {
		if kind, ok := strings.CutPrefix(name, "event_"); ok {
			types = append(types, kind)
		}
	}
	return types
}

func TestDecodeAppendKeepsBytes(t *testing.T) {
	body := "{ \"events\" : [ " + string(rawEvents[0]) + ",\n\t{ \"type\" : \"notice\",\"t\":2 , \"text\":\" a \\n  b\" }\n] , \"first\" : 41 }"
	first, events, err := DecodeAppend([]byte(body))
	if err != nil || first != 41 {
		t.Fatalf("%d, %v", first, err)
	}
	want := [][]byte{rawEvents[0], []byte(`{"type":"notice","t":2,"text":" a \n  b"}`)}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Error(diff)
	}
	// Appending to one event must not write over the next.
	_ = append(events[0], "xxx"...)
	if !bytes.Equal(events[1], want[1]) {
		t.Errorf("events share room: %s", events[1])
	}
}

func TestDecodeAppendRefuses(t *testing.T) {
	event := `{"type":"agent_start","t":1}`
	many := strings.Repeat(event+",", runlog.MaxBatchEvents) + event
	for _, c := range []struct {
		name, body, says string
		code             Code
	}{
		{"nothing", ``, "ends too early", CodeBadMessage},
		{"null", `null`, "not a JSON object", CodeBadMessage},
		{"no first", `{"events":[` + event + `]}`, "/first", CodeBadMessage},
		{"first 0", `{"first":0,"events":[` + event + `]}`, "/first", CodeBadMessage},
		{"first too large", `{"first":9007199254740991,"events":[` + event + `]}`, "2^53-1", CodeBadMessage},
		{"no events", `{"first":1}`, "/events", CodeBadMessage},
		{"events null", `{"first":1,"events":null}`, "/events", CodeBadMessage},
		{"events an object", `{"first":1,"events":{}}`, "/events", CodeBadMessage},
		{"too many", `{"first":1,"events":[` + many + `]}`, "1025 events: at most 1024", CodeTooLarge},
		{"unknown member", `{"first":1,"events":[` + event + `],"epoch":"e"}`, "/epoch: unknown member", CodeBadMessage},
		{"null event", `{"first":1,"events":[null]}`, "/events/0: must be an object", CodeBadMessage},
		{"unknown type", `{"first":1,"events":[` + event + `,{"type":"ping","t":1}]}`, `events[1]: event: unknown type "ping"`, CodeBadMessage},
		{"no type", `{"first":1,"events":[{"t":1}]}`, "events[0]: event: type is missing", CodeBadMessage},
		{"key missing", `{"first":1,"events":[` + event + `,` + event + `,{"type":"tool_start","t":1}]}`, "events[2]: event tool_start: key is missing", CodeBadMessage},
		{"no time", `{"first":1,"events":[{"type":"agent_start"}]}`, "events[0]: event agent_start: t is missing", CodeBadMessage},
		{"unknown event member", `{"first":1,"events":[{"type":"agent_start","t":1,"role2":"x"}]}`, "/events/0/role2: unknown member", CodeBadMessage},
		{"case-variant member", `{"first":1,"events":[{"type":"agent_start","t":1,"T":2}]}`, "/events/0/T: unknown member", CodeBadMessage},
		{"doubled event member", `{"first":1,"events":[{"type":"agent_start","t":1,"t":2}]}`, "/events/0/t: member given twice", CodeBadMessage},
		{"wrong kind", `{"first":1,"events":[{"type":"tool_start","t":1,"key":5}]}`, "/events/0/key", CodeBadMessage},
		{"NaN", `{"first":1,"events":[{"type":"tool_update","t":1,"key":"c1","done":NaN}]}`, "not JSON", CodeBadMessage},
		{"huge exponent", `{"first":1,"events":[{"type":"tool_update","t":1,"key":"c1","done":1e5000000}]}`, "/events/0/done", CodeBadMessage},
		{"bad UTF-8", "{\"first\":1,\"events\":[{\"type\":\"notice\",\"t\":1,\"text\":\"\xff\"}]}", "not valid UTF-8", CodeBadMessage},
		{"lone surrogate", `{"first":1,"events":[{"type":"notice","t":1,"text":"\ud800"}]}`, "/events/0/text", CodeBadMessage},
		{"too big", `{"first":1,"events":[` + strings.Repeat(" ", MaxAppendBody) + event + `]}`, "at most", CodeTooLarge},
		{"event too big", `{"first":1,"events":[{"type":"notice","t":1,"text":"` + strings.Repeat("x", view.MaxEventBytes) + `"}]}`, "events[0]: event of", CodeBadMessage},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, events, err := DecodeAppend([]byte(c.body))
			checkRefused(t, err, c.code, c.says)
			if events != nil {
				t.Error("events beside the error")
			}
		})
	}
}

func checkRefused(t *testing.T, err error, code Code, says string) {
	t.Helper()
	bad, ok := err.(*MessageError) //nolint:errorlint // the contract: bare
	if !ok {
		t.Fatalf("error is %T %v", err, err)
	}
	if bad.Code != code || !strings.Contains(bad.Error(), says) {
		t.Errorf("%s %q, want %s %q", bad.Code, bad, code, says)
	}
	checkErrorText(t, bad)
}

func TestClaimRoundTrip(t *testing.T) {
	seed := &runlog.Snapshot{Position: runlog.Position{Epoch: "EPOCH", Seq: 12}, View: viewJSON}
	for _, want := range []runlog.ClaimOptions{
		{Owner: "host/1"},
		{Owner: "host/1", Takeover: true, Seed: seed},
	} {
		body, err := EncodeClaim(want)
		if err != nil {
			t.Fatal(err)
		}
		if !schemaAccepts(t, "http_claim", body) {
			t.Errorf("the schema does not allow %s", body)
		}
		got, err := DecodeClaim(body)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestDecodeClaimRefuses(t *testing.T) {
	seed := func(s string) string { return `{"owner":"o","seed":` + s + `}` }
	for _, c := range []struct{ name, body, says string }{
		{"no owner", `{}`, "/owner: missing or empty"},
		{"long owner", `{"owner":"` + strings.Repeat("x", 257) + `"}`, "at most 256"},
		{"unknown member", `{"owner":"o","Takeover":true}`, "/Takeover: unknown member"},
		{"takeover as text", `{"owner":"o","takeover":"yes"}`, "/takeover: must not be a string"},
		{"no view", seed(`{"epoch":"e","seq":1}`), "/seed/view: missing"},
		{"view null", seed(`{"epoch":"e","seq":1,"view":null}`), "/seed/view"},
		{"view of another shape", seed(`{"epoch":"e","seq":1,"view":{"runStatus":"idle","cards":{}}}`), "/seed/view/cards: unknown member"},
		{"view in no status", seed(`{"epoch":"e","seq":1,"view":{"runStatus":"busy"}}`), "busy"},
		{"negative seq", seed(`{"epoch":"e","seq":-1,"view":{"runStatus":"idle"}}`), "/seed/seq"},
		{"long epoch", seed(`{"epoch":"` + strings.Repeat("e", 65) + `","seq":1,"view":{"runStatus":"idle"}}`), "/seed/epoch"},
		{"number over 2^53", seed(`{"epoch":"e","seq":1,"view":{"runStatus":"idle","turn":9007199254740993}}`), "/seed/view/turn"},
		{"deep", `{"owner":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, "nested deeper"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := DecodeClaim([]byte(c.body))
			checkRefused(t, err, CodeBadMessage, c.says)
		})
	}
}

func TestCheckpointRoundTrip(t *testing.T) {
	want := runlog.Snapshot{Position: runlog.Position{Epoch: "EPOCH", Seq: 12}, View: viewJSON}
	body, err := EncodeCheckpoint(want)
	if err != nil {
		t.Fatal(err)
	}
	if !schemaAccepts(t, "http_checkpoint", body) {
		t.Errorf("the schema does not allow %s", body)
	}
	got, err := DecodeCheckpoint("EPOCH", body)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	_, err = DecodeCheckpoint("OTHER", []byte(`{"epoch":"EPOCH","seq":1,"view":{"runStatus":"idle"}}`))
	checkRefused(t, err, CodeBadMessage, "/epoch")
	_, err = DecodeCheckpoint("EPOCH", []byte(`{"seq":1}`))
	checkRefused(t, err, CodeBadMessage, "/view: missing")
}

func TestHeartbeatRoundTrip(t *testing.T) {
	want := view.Summary{Title: "T", RunStatus: view.Running, Tools: map[string]int64{view.Done: 2}, LastAt: 5}
	body, err := EncodeHeartbeat(want)
	if err != nil {
		t.Fatal(err)
	}
	if !schemaAccepts(t, "http_heartbeat", body) {
		t.Errorf("the schema does not allow %s", body)
	}
	got, err := DecodeHeartbeat(body)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A browser reads all runs' summaries in one message: a word that it does not
// know, in one of them, would cost it the list.
func TestDecodeHeartbeatRefuses(t *testing.T) {
	for _, c := range []struct{ summary, says string }{
		{`{"title":5}`, "/summary/title: must not be this number"},
		{`{"title":null}`, "/summary/title: must not be null"},
		{`{"tools":{"done":null}}`, "/summary/tools/done: must not be null"},
		{`{"runStatus":"flying"}`, `runStatus "flying"`},
		{`{"worker":"asleep"}`, `worker "asleep"`},
		{`{"outcome":"boom"}`, `outcome "boom"`},
		{`null`, "/summary: must not be null"},
	} {
		body := []byte(`{"summary":` + c.summary + `}`)
		_, err := DecodeHeartbeat(body)
		checkRefused(t, err, CodeBadMessage, c.says)
		if schemaAccepts(t, "http_heartbeat", body) {
			t.Errorf("the schema allows %s", body)
		}
	}
	if _, err := DecodeHeartbeat([]byte(`{"summary":{}}`)); err != nil {
		t.Errorf("nothing to show yet: %v", err)
	}
}

// What DecodeCheckpoint lets through, a browser that joins there can read: the
// schema says what that is.
func FuzzDecodeCheckpoint(f *testing.F) {
	f.Add([]byte(`{"seq":1,"view":` + string(viewJSON) + `}`))
	for _, v := range []string{
		`{"runStatus":"idle","worker":"live","outcome":"ok","activeAssistant":{"id":"m1"}}`,
		`{"runStatus":"idle","timeline":[{"kind":"tool","key":"c1"}],"tools":{"c1":{"key":"c1","status":"lost","cause":"run_ended"}}}`,
		`{"runStatus":"idle","timeline":[null]}`, `{"runStatus":"idle","worker":null}`, `{"runStatus":"idle","turn":1e9}`,
		`{"runStatus":"idle","activeAssistant":{}}`, `{"runStatus":"idle","tools":{"":{"key":"","status":"done"}}}`,
	} {
		f.Add([]byte(`{"seq":1,"view":` + v + `}`))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := DecodeCheckpoint("EPOCH", data)
		if err != nil {
			checkRefused(t, err, err.(*MessageError).Code, "") //nolint:errorlint // checked there
			return
		}
		v, err := view.Decode(s.View)
		if err != nil {
			t.Fatal(err)
		}
		again, err := v.Encode() // as a hub gives it to a joiner
		if err != nil || !schemaAccepts(t, "view", again) {
			t.Errorf("the schema does not allow %s, %v", again, err)
		}
	})
}

func FuzzDecodeAppend(f *testing.F) {
	f.Add([]byte(`{"first":1,"events":[{"type":"agent_start","t":1}]}`))
	f.Add(AppendBody(nil, 7, rawEvents))
	f.Add([]byte(`{"first":1,"events":[ null ,{}]}`))
	f.Add([]byte(`{"first":1e99,"events":[[[[]]]]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, events, err := DecodeAppend(data)
		if err != nil {
			checkRefused(t, err, err.(*MessageError).Code, "") //nolint:errorlint // checked there
			return
		}
		again, same, err := DecodeAppend(AppendBody(nil, first, events))
		if err != nil || again != first || !cmp.Equal(events, same) {
			t.Errorf("%s: decoded again: %d %s, %v", data, again, same, err)
		}
		for _, e := range events {
			if _, err := view.DecodeEvent(e); err != nil {
				t.Errorf("%s let through: %v", e, err)
			}
			if !schemaAccepts(t, "event", e) {
				t.Errorf("the schema does not allow %s", e)
			}
		}
	})
}

func BenchmarkDecodeAppend(b *testing.B) {
	event := []byte(`{"type":"text_delta","t":1700000000000,"id":"m12","delta":"some words of text"}`)
	events := make([][]byte, 100)
	for i := range events {
		events[i] = event
	}
	body := AppendBody(nil, 1, events)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := DecodeAppend(body); err != nil {
			b.Fatal(fmt.Errorf("decode: %w", err))
		}
	}
}
