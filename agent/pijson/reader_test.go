package pijson_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/pijson"
)

const start = `{"type":"agent_start"}`

// randomReader gives reads of random sizes, empty ones too.
type randomReader struct {
	src []byte
	rnd *rand.Rand
}

func (r *randomReader) Read(p []byte) (int, error) {
	if len(r.src) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.rnd.IntN(200))], r.src)
	r.src = r.src[n:]
	return n, nil
}

// TestSplits reads every stream in pieces of many kinds.
func TestSplits(t *testing.T) {
	streams, err := filepath.Glob("testdata/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, stream := range streams {
		src, err := os.ReadFile(stream)
		if err != nil {
			t.Fatal(err)
		}
		want := dumpAll(t, src)
		readers := map[string]io.Reader{
			"one byte":   iotest.OneByteReader(bytes.NewReader(src)),
			"half":       iotest.HalfReader(bytes.NewReader(src)),
			"data error": iotest.DataErrReader(bytes.NewReader(src)),
		}
		for seed := range uint64(8) {
			readers[fmt.Sprint("random ", seed)] = &randomReader{src, rand.New(rand.NewPCG(seed, 1))}
		}
		for name, r := range readers {
			recs, _ := readAll(t, r, pijson.Options{})
			var got strings.Builder
			for _, rec := range recs {
				got.WriteString(dumpRecord(t, rec))
			}
			if got.String() != want {
				t.Errorf("%s: another result when read in pieces (%s)", stream, name)
			}
		}
	}
}

// TestLineAtOnce checks that a line is given before the next byte is needed.
func TestLineAtOnce(t *testing.T) {
	failed := errors.New("the reader was asked for more")
	r := pijson.NewReader(io.MultiReader(strings.NewReader(start+"\n"), iotest.ErrReader(failed)), pijson.Options{})
	rec, err := r.Next()
	if err != nil || len(rec.Events) != 1 {
		t.Fatalf("got %+v, %v", rec, err)
	}
	for range 2 {
		if _, err := r.Next(); err != failed {
			t.Fatalf("got error %v, want that of the reader", err)
		}
	}
}

func TestFraming(t *testing.T) {
	tests := []struct {
		name, src string
		want      []int64 // line numbers of good records
		bad       []int64
	}{
		{"empty stream", "", nil, nil},
		{"only empty lines", "\n\r\n  \n\t\n", nil, nil},
		{"no LF at the end", start + "\n" + start, []int64{1, 2}, nil},
		{"cut off at the end", start + "\n" + start[:9], []int64{1}, []int64{2}},
		{"CR at the end of the stream", start + "\r", []int64{1}, nil},
		{"CRLF", start + "\r\n" + start + "\r\n", []int64{1, 2}, nil},
		{"empty lines count", "\n\n" + start + "\n\n" + start + "\n", []int64{3, 5}, nil},
		{"byte order mark", "\ufeff" + start + "\n", []int64{1}, nil},
		{"only a byte order mark", "\ufeff", nil, nil},
		{"byte order mark later", start + "\n\ufeff" + start + "\n", []int64{1}, []int64{2}},
		{"CR alone is no ending", start + "\r" + start + "\n", nil, []int64{1}},
		{"spaces around", "  " + start + " \n", []int64{1}, nil},
		{"U+2028 and U+0085", `{"type":"agent_start","x":"` + "\u2028\u2029\u0085" + `"}` + "\n", []int64{1}, nil},
		{"NUL bytes", "\x00\x00\n" + start + "\n", []int64{2}, []int64{1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			recs, stats := readAll(t, strings.NewReader(tt.src), pijson.Options{})
			var good, bad []int64
			for _, rec := range recs {
				if rec.Quarantined != nil {
					bad = append(bad, rec.Line)
					if rec.Quarantined.Line != rec.Line || rec.Quarantined.Reason == "" {
						t.Errorf("line %d: error %+v", rec.Line, rec.Quarantined)
					}
				} else {
					good = append(good, rec.Line)
				}
			}
			if fmt.Sprint(good) != fmt.Sprint(tt.want) || fmt.Sprint(bad) != fmt.Sprint(tt.bad) {
				t.Errorf("good %v, bad %v; want %v and %v", good, bad, tt.want, tt.bad)
			}
			if stats.Lines != int64(len(recs)) || stats.Quarantined != int64(len(bad)) {
				t.Errorf("stats %+v", stats)
			}
		})
	}
}

// TestReaderFailsMidLine checks that what came before a failure is accounted for.
func TestReaderFailsMidLine(t *testing.T) {
	failed := errors.New("pipe broke")
	for src, good := range map[string]bool{start: true, start[:8]: false} {
		r := pijson.NewReader(io.MultiReader(strings.NewReader(src), iotest.ErrReader(failed)), pijson.Options{})
		rec, err := r.Next()
		if err != nil || (rec.Quarantined == nil) != good {
			t.Errorf("%q: got %+v, %v", src, rec, err)
		}
		if _, err := r.Next(); err != failed {
			t.Errorf("%q: got error %v", src, err)
		}
	}
}

func TestLineLimit(t *testing.T) {
	const limit = 300
	pad := func(n int) string { // a line of n bytes
		return start[:len(start)-1] + `,"x":"` + strings.Repeat("y", n-len(start)-len(`,"x":""`)) + `"}`
	}
	for _, tt := range []struct {
		src string
		bad bool
	}{
		{pad(limit), false},
		{pad(limit) + "\r", false},
		{pad(limit + 1), true},
		{pad(limit+1) + "\r", true},
		{pad(200_000), true},
		{strings.Repeat(" ", limit+1), true},
	} {
		src := tt.src + "\n" + start + "\n"
		recs, _ := readAll(t, strings.NewReader(src), pijson.Options{MaxLineBytes: limit})
		if len(recs) != 2 || (recs[0].Quarantined != nil) != tt.bad || recs[1].Quarantined != nil || recs[1].Line != 2 {
			t.Errorf("line of %d bytes: %+v", len(tt.src), recs)
		}
	}
}

// TestLongAgentEnd checks that a run ends although its agent_end, which repeats
// the whole run, is too long to decode.
func TestLongAgentEnd(t *testing.T) {
	const limit = 500
	messages := `"messages":["` + strings.Repeat("z", limit) + `"]`
	for _, tt := range []struct {
		src    string
		want   agent.AgentEnd
		failed bool
	}{
		{`{"type":"agent_end",` + messages + `}` + "\n", agent.AgentEnd{}, false},
		{`{"type":"agent_end",` + messages + `,"willRetry":false}` + "\r\n", agent.AgentEnd{}, false},
		{`{"type":"agent_end",` + messages + `,"willRetry":true}` + "\n", agent.AgentEnd{WillRetry: true}, false},
		{`{"type":"agent_end",` + messages + `,"willRetry":true}`, agent.AgentEnd{}, true}, // no LF
		{`{"type":"agent_end",` + messages + "\n", agent.AgentEnd{}, true},
		{`{"type":"agent_start",` + messages + "}\n", agent.AgentEnd{}, true},
	} {
		recs, _ := readAll(t, strings.NewReader(tt.src), pijson.Options{MaxLineBytes: limit})
		if len(recs) != 1 || (recs[0].Quarantined != nil) != tt.failed {
			t.Fatalf("%.30q…: %+v", tt.src, recs)
		}
		if tt.failed {
			continue
		}
		if ev, ok := recs[0].Events[0].(agent.AgentEnd); !ok || ev.WillRetry != tt.want.WillRetry {
			t.Errorf("%.30q…: %+v", tt.src, recs[0].Events)
		}
	}
}

// TestEndlessLine checks that a line without end costs no memory.
func TestEndlessLine(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	endless := io.LimitReader(zeros{}, 128<<20)
	recs, _ := readAll(t, endless, pijson.Options{MaxLineBytes: 1 << 20})
	runtime.ReadMemStats(&after)
	if len(recs) != 1 || recs[0].Quarantined == nil {
		t.Fatalf("%+v", recs)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 32<<20 {
		t.Errorf("allocated %d bytes for a line that was discarded", grown)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestReleasesHugeLine checks that a huge line's memory does not stay.
func TestReleasesHugeLine(t *testing.T) {
	huge := `{"type":"agent_start","x":"` + strings.Repeat("x", 32<<20) + `"}`
	src, w := io.Pipe()
	defer src.Close()
	r := pijson.NewReader(src, pijson.Options{})
	go func() { _, _ = io.WriteString(w, huge+"\n") }()
	if rec, err := r.Next(); err != nil || rec.Quarantined != nil {
		t.Fatalf("%+v, %v", rec, err)
	}
	huge = ""
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 24<<20 {
		t.Errorf("%d bytes are still held", m.HeapAlloc)
	}
	runtime.KeepAlive(r)
}

func TestStats(t *testing.T) {
	var src strings.Builder
	for i := range 200 {
		fmt.Fprintf(&src, `{"type":"new_%d"}`+"\n", i)
	}
	src.WriteString(start + "\n" + `{"type":"new_0"}` + "\nbroken\n" + `{"type":"` + strings.Repeat("long", 100) + `"}` + "\n")
	recs, stats := readAll(t, strings.NewReader(src.String()), pijson.Options{})
	if stats.Lines != 204 || stats.Events != 1 || stats.Quarantined != 1 || stats.Skipped != 202 {
		t.Errorf("stats %+v", stats)
	}
	if stats.SkippedTypes["new_0"] != 2 || len(stats.SkippedTypes) != 65 || stats.SkippedTypes[pijson.OtherTypes] != 137 {
		t.Errorf("skipped types %v", stats.SkippedTypes)
	}
	if n := len(recs[203].Skipped); n > 64 {
		t.Errorf("the name of a skipped type has %d bytes", n)
	}
}
