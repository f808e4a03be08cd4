package pijson_test

import (
	"bytes"
	"crypto/sha256"
	stdjson "encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/pijson"
)

// longText is where a dump cuts texts, in bytes; the digest stands for the rest.
const longText = 400

// dumpOptions write events as JSON with raw JSON as text, so that a dump shows
// every byte of it, and long texts cut.
var dumpOptions = json.JoinOptions(
	json.OmitZeroStructFields(true),
	json.Deterministic(true),
	json.WithMarshalers(json.JoinMarshalers(
		json.MarshalToFunc(func(enc *jsontext.Encoder, raw stdjson.RawMessage) error {
			return enc.WriteToken(jsontext.String(shorten("raw " + string(raw))))
		}),
		json.MarshalToFunc(func(enc *jsontext.Encoder, s string) error {
			return enc.WriteToken(jsontext.String(shorten(s)))
		}),
	)),
)

func shorten(s string) string {
	if len(s) <= longText {
		return s
	}
	head := strings.ToValidUTF8(s[:80], "")
	tail := strings.ToValidUTF8(s[len(s)-80:], "")
	return fmt.Sprintf("%s … %s (%d bytes, sha256 %x)", head, tail, len(s), sha256.Sum256([]byte(s)))
}

// dumpRecord writes a record as one heading and one JSON text per event.
func dumpRecord(t testing.TB, rec pijson.Record) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "== line %d", rec.Line)
	if rec.At != 0 {
		fmt.Fprintf(&b, " at=%d", rec.At)
	}
	if rec.DurationMs != 0 {
		fmt.Fprintf(&b, " durationMs=%d", rec.DurationMs)
	}
	if rec.Skipped != "" {
		fmt.Fprintf(&b, " skipped=%s", rec.Skipped)
	}
	if rec.Quarantined != nil {
		fmt.Fprintf(&b, " quarantined=%q", rec.Quarantined.Error())
	}
	b.WriteByte('\n')
	for _, ev := range rec.Events {
		text, err := json.Marshal(ev, dumpOptions)
		if err != nil {
			t.Fatalf("line %d: dump %T: %v", rec.Line, ev, err)
		}
		fmt.Fprintf(&b, "%s %s\n", strings.TrimPrefix(fmt.Sprintf("%T", ev), "agent."), text)
	}
	return b.String()
}

// readAll reads a stream to its end and fails on any error but io.EOF.
func readAll(t testing.TB, r io.Reader, o pijson.Options) ([]pijson.Record, pijson.Stats) {
	t.Helper()
	reader := pijson.NewReader(r, o)
	var recs []pijson.Record
	for {
		rec, err := reader.Next()
		if err == io.EOF {
			return recs, reader.Stats()
		}
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, rec)
	}
}

func dumpAll(t testing.TB, src []byte) string {
	t.Helper()
	recs, _ := readAll(t, bytes.NewReader(src), pijson.Options{})
	var b strings.Builder
	for _, rec := range recs {
		b.WriteString(dumpRecord(t, rec))
	}
	return b.String()
}

// one decodes a stream of one line.
func one(t testing.TB, src string) pijson.Record {
	t.Helper()
	recs, _ := readAll(t, strings.NewReader(src+"\n"), pijson.Options{})
	if len(recs) != 1 {
		t.Fatalf("%d records from one line: %v", len(recs), recs)
	}
	return recs[0]
}

// event decodes a line that gives one event of type E.
func event[E agent.Event](t testing.TB, src string) E {
	t.Helper()
	rec := one(t, src)
	if rec.Quarantined != nil {
		t.Fatalf("quarantined: %v\n%s", rec.Quarantined, src)
	}
	if len(rec.Events) != 1 {
		t.Fatalf("%d events, want 1\n%s", len(rec.Events), src)
	}
	ev, ok := rec.Events[0].(E)
	if !ok {
		t.Fatalf("got %T, want %T", rec.Events[0], *new(E))
	}
	return ev
}
