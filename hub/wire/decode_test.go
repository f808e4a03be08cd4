package wire

import (
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// What is too large for a file of examples: attackers' and broken clients'
// messages. All end in a short error, fast, and none in a panic.
func TestDecodeHostile(t *testing.T) {
	watch := func(from string) string { return `{"type":"watch","run":"r","from":` + from + `}` }
	for _, c := range []struct {
		name, text, says string
		code             Code
		close            CloseCode
	}{
		{"depth 10001", strings.Repeat("[", 10001) + strings.Repeat("]", 10001), "bytes", CodeTooLarge, CloseTooBig},
		{"depth 5000", `{"type":` + strings.Repeat("[", 5000), "nested deeper", CodeBadMessage, 0},
		{"depth 5000 of objects", strings.Repeat(`{"a":`, 3000), "nested deeper", CodeBadMessage, 0},
		{"1 MB of digits", watch(`{"epoch":"e","seq":` + strings.Repeat("9", 1<<20) + `}`), "at most 16384", CodeTooLarge, CloseTooBig},
		{"16 KB of digits", watch(`{"epoch":"e","seq":` + strings.Repeat("9", 16000) + `}`), "/from/seq", CodeBadMessage, 0},
		{"15 KB of fraction", watch(`{"epoch":"e","seq":0.` + strings.Repeat("1", 15000) + `}`), "/from/seq", CodeBadMessage, 0},
		{"long epoch", watch(`{"epoch":"` + strings.Repeat("e", 16000) + `","seq":1}`), "/from/epoch", CodeBadMessage, 0},
		{"long run", `{"type":"watch","run":"` + strings.Repeat("a", 16000) + `"}`, "/run", CodeBadRun, 0},
		{"long type", `{"type":"` + strings.Repeat("a", 16000) + `"}`, "unknown type", CodeUnknownType, 0},
		{"long unknown member", `{"type":"watch_runs","` + strings.Repeat("m", 16000) + `":1}`, "unknown member", CodeBadMessage, 0},
		{"long pointer", `{"type":"watch_runs","` + strings.Repeat("m", 16000) + `":1e9}`, "not an integer", CodeBadMessage, 0},
		{"many members", `{"type":"watch_runs"` + many(1000) + `}`, "unknown member", CodeBadMessage, 0},
		{"invalid UTF-8", "{\"type\":\"hello\",\"name\":\"\xff\xfe\"}", "UTF-8", CodeBadMessage, CloseNotUTF8},
		{"a surrogate in UTF-8", "{\"type\":\"hello\",\"name\":\"\xed\xa0\x80\"}", "UTF-8", CodeBadMessage, CloseNotUTF8},
		{"overlong UTF-8", "{\"type\":\"hello\",\"name\":\"\xc1\xad\"}", "UTF-8", CodeBadMessage, CloseNotUTF8},
		{"a byte order mark", "\ufeff{\"type\":\"hello\"}", "not JSON", CodeBadMessage, CloseBadMessage},
		{"terminal codes in a member", `{"type":"watch_runs","\u001b[2J\n":1}`, "unknown member", CodeBadMessage, 0},
		{"terminal codes in the type", `{"type":"\u001b[2J\n\u202e"}`, "unknown type", CodeUnknownType, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Decode([]byte(c.text))
			checkRefused(t, err, c.code, c.says)
			if got := err.(*MessageError).Close; got != c.close { //nolint:errorlint // checked before
				t.Errorf("closes with %d, want %d", got, c.close)
			}
		})
	}
	if _, err := Decode([]byte(strings.Repeat(" ", MaxClientMessage-len(`{"type":"hello"}`)) + `{"type":"hello"}`)); err != nil {
		t.Errorf("at the limit: %v", err)
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`,"m` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + jsontext.Int(int64(i)).String() + `":0`)
	}
	return b.String()
}

// DecodeHub's own refusals that a TypeScript client may do without.
func TestDecodeHubRefuses(t *testing.T) {
	event := `{"type":"agent_start","t":1}`
	for _, c := range []struct{ name, text, says string }{
		{"no events", `{"type":"events","run":"r","epoch":"e","seq":1,"events":[]}`, "/events"},
		{"seq 0", `{"type":"events","run":"r","epoch":"e","seq":0,"events":[` + event + `]}`, "/seq"},
		{"no epoch", `{"type":"events","run":"r","seq":1,"events":[` + event + `]}`, "/epoch"},
		{"bad run", `{"type":"status","run":"a b"}`, "/run"},
		{"from after to", `{"type":"merged","run":"r","epoch":"e","from":5,"to":4,"entries":[]}`, "/from"},
		{"entry before from", `{"type":"merged","run":"r","epoch":"e","from":5,"to":6,"entries":[[4,` + event + `]]}`, "/entries/0/0"},
		{"entry after to", `{"type":"merged","run":"r","epoch":"e","from":5,"to":6,"entries":[[7,` + event + `]]}`, "/entries/0/0"},
		{"entries out of order", `{"type":"merged","run":"r","epoch":"e","from":5,"to":6,"entries":[[6,` + event + `],[5,` + event + `]]}`, "/entries/1/0"},
		{"entry without event", `{"type":"merged","run":"r","epoch":"e","from":5,"to":6,"entries":[[6,null]]}`, "/entries/0/1"},
		{"hash in capitals", `{"type":"check","run":"r","epoch":"e","seq":1,"hash":"` + strings.Repeat("A", 64) + `"}`, "/hash"},
		{"error without code", `{"type":"error","message":"m"}`, "/code"},
		{"bye with an HTTP code", `{"type":"bye","code":200,"reason":"x"}`, "/code"},
		{"doubled member", `{"type":"heartbeat","t":1,"t":2}`, "twice"},
		{"trailing garbage", `{"type":"heartbeat","t":1} x`, "not JSON"},
		{"trailing garbage, unknown type", `{"type":"hologram"} x`, "not JSON"},
		{"cut off", `{"type":"heartbeat","t":1`, "ends too early"},
		{"invalid UTF-8", "{\"type\":\"error\",\"code\":\"x\",\"message\":\"\xff\"}", "not JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := DecodeHub([]byte(c.text))
			if err == nil {
				t.Fatalf("accepted: %+v", m)
			}
			checkRefused(t, err, CodeBadMessage, c.says)
		})
	}
	_, err := DecodeHub(make([]byte, MaxHubMessage+1))
	checkRefused(t, err, CodeTooLarge, "at most")
}

func TestClip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		b := make([]byte, rng.IntN(40))
		for i := range b {
			b[i] = byte(rng.UintN(256))
		}
		n := rng.IntN(40)
		got := clip(string(b), n)
		if !utf8.ValidString(got) || len(got) > n+len("…") || strings.ContainsAny(got, "\n\r\x1b\x00") {
			t.Fatalf("clip(%q, %d) = %q", b, n, got)
		}
	}
	if got := clip("añb", 2); got != "a…" {
		t.Errorf("cut inside a character: %q", got)
	}
}

func FuzzDecode(f *testing.F) {
	for _, c := range readGolden(f, "client-messages.json").Cases {
		f.Add(c.data())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode(data)
		if err != nil {
			checkRefused(t, err, err.(*MessageError).Code, "") //nolint:errorlint // checked there
			return
		}
		// What is accepted means one thing only: encoded and decoded it is the
		// same, and any other strict reader agrees that it is JSON.
		back, err := MarshalClient(m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(back)
		if err != nil {
			t.Fatalf("%s became %s: %v", data, back, err)
		}
		second, err := MarshalClient(again)
		if err != nil || string(second) != string(back) {
			t.Errorf("%s became %s and then %s", data, back, second)
		}
		if diff := cmp.Diff(filled(t, data), filled(t, back)); diff != "" {
			t.Errorf("%s became %s:\n%s", data, back, diff)
		}
	})
}

// filled returns the members that are not empty: those may be omitted.
func filled(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal(data, &members); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(members, func(_ string, v any) bool { return v == "" })
	return members
}

func FuzzDecodeHub(f *testing.F) {
	for _, c := range readGolden(f, "hub-messages.json").Cases {
		f.Add(c.data())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := DecodeHub(data)
		if err != nil {
			checkRefused(t, err, err.(*MessageError).Code, "") //nolint:errorlint // checked there
			return
		}
		back, err := Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeHub(back); err != nil {
			t.Errorf("%s became %s: %v", data, back, err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	data := []byte(`{"type":"watch","run":"demo-1","from":{"epoch":"XAMPLEEPOCH00001","seq":41}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeHubEvents(b *testing.B) {
	data := AppendEvents(nil, "run-1", "EPOCH", 7, rawEvents)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeHub(data); err != nil {
			b.Fatal(err)
		}
	}
}

// The schema's own words must never decide alone: numbers that it has trouble
// with do not reach it.
func TestSchemaSurvivesNumbers(t *testing.T) {
	for _, n := range []string{"1e5000000", "-1e308", strings.Repeat("9", 400)} {
		var value any
		if err := json.Unmarshal([]byte(`{"type":"watch","run":"r","from":{"epoch":"e","seq":`+n+`}}`), &value); err != nil {
			continue // refused before
		}
		if validate("client_watch", value) == nil {
			t.Errorf("%s accepted", n)
		}
	}
}
