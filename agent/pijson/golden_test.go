package pijson_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden dumps in testdata")

// TestGolden decodes every stream in testdata and compares the events with the
// dump beside it.
func TestGolden(t *testing.T) {
	streams, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(streams) == 0 {
		t.Fatalf("no streams in testdata: %v", err)
	}
	for _, stream := range streams {
		t.Run(strings.TrimSuffix(filepath.Base(stream), ".jsonl"), func(t *testing.T) {
			src, err := os.ReadFile(stream)
			if err != nil {
				t.Fatal(err)
			}
			got := dumpAll(t, src)
			golden := strings.TrimSuffix(stream, ".jsonl") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatalf("%v (run with -update to write it)", err)
			}
			compareDumps(t, got, string(want))
		})
	}
}

// compareDumps reports the first record that differs.
func compareDumps(t *testing.T, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.SplitAfter(got, "\n=="), strings.SplitAfter(want, "\n==")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("record %d differs (-update rewrites the dumps)\ngot  %s\nwant %s", i+1, g[i], w[i])
		}
	}
	t.Fatalf("%d records, want %d (-update rewrites the dumps)", len(g), len(w))
}
