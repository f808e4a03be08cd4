package pijson_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"unicode/utf8"

	stdjson "encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/agent/pijson"
)

// FuzzReader checks the promises that hold for any bytes: no panic, one record
// for each line, the same records however the stream is cut, valid text and
// valid raw JSON in every event.
func FuzzReader(f *testing.F) {
	streams, err := filepath.Glob("testdata/*.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, stream := range streams {
		src, err := os.ReadFile(stream)
		if err != nil {
			f.Fatal(err)
		}
		if len(src) < 100_000 {
			f.Add(src)
		}
		for ln := range bytes.Lines(src) {
			if len(ln) < 2000 {
				f.Add(ln)
			}
		}
	}
	o := pijson.Options{MaxLineBytes: 4096}
	f.Fuzz(func(t *testing.T, src []byte) {
		recs, stats := readAll(t, bytes.NewReader(src), o)
		seed := uint64(len(src))
		again, _ := readAll(t, &randomReader{src, rand.New(rand.NewPCG(seed, seed))}, o)
		if !reflect.DeepEqual(recs, again) {
			t.Fatal("another result when read in pieces")
		}
		if lines := int64(bytes.Count(src, []byte("\n")) + 1); stats.Lines > lines || stats.Lines != int64(len(recs)) {
			t.Fatalf("%d records, %d counted, from at most %d lines", len(recs), stats.Lines, lines)
		}
		last := int64(0)
		for _, rec := range recs {
			if rec.Line <= last {
				t.Fatalf("line %d after line %d", rec.Line, last)
			}
			last = rec.Line
			if rec.Quarantined != nil && (rec.Quarantined.Reason == "" || len(rec.Events) > 0) {
				t.Fatalf("%+v", rec)
			}
			for _, ev := range rec.Events {
				checkValid(t, reflect.ValueOf(ev))
			}
		}
	})
}

// checkValid walks over an event and checks every text and raw JSON in it.
func checkValid(t *testing.T, v reflect.Value) {
	t.Helper()
	if raw, ok := v.Interface().(stdjson.RawMessage); ok {
		if raw != nil && !jsontext.Value(raw).IsValid(jsontext.AllowDuplicateNames(true)) {
			t.Fatalf("raw JSON is not valid: %q", raw)
		}
		return
	}
	switch v.Kind() {
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			t.Fatalf("text is not valid UTF-8: %q", v)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			checkValid(t, field)
		}
	case reflect.Slice:
		for i := range v.Len() {
			checkValid(t, v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			checkValid(t, v.Elem())
		}
	}
}
