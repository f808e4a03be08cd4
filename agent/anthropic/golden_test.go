package anthropic_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func fixtures(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.sse")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	return append(files, "testdata/whole.json")
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Every stream is served at once and byte by byte.
func TestStreams(t *testing.T) {
	for _, file := range fixtures(t) {
		data := read(t, file)
		golden := strings.TrimSuffix(file, filepath.Ext(file)) + ".golden"
		for _, step := range []int{len(data), 1} {
			t.Run(fmt.Sprintf("%s in pieces of %d", filepath.Base(file), step), func(t *testing.T) {
				m := serve(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
					for at := 0; at < len(data); at += step {
						_, _ = w.Write(data[at:min(at+step, len(data))])
						_ = http.NewResponseController(w).Flush()
					}
				})
				_, got := ask(t.Context(), t, m)
				if *update && step > 1 {
					if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				if diff := cmp.Diff(string(read(t, golden)), got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		}
	}
}

// A connection that breaks anywhere is a failure to be tried again, and what
// was streamed before is what the whole stream begins with.
func TestStreamsCutAnywhere(t *testing.T) {
	for _, file := range []string{"testdata/thinking.sse", "testdata/interleaved.sse", "testdata/whole.json"} {
		data := read(t, file)
		var part []byte
		m := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000000")
			_, _ = w.Write(part)
		})
		whole := string(read(t, strings.TrimSuffix(file, filepath.Ext(file))+".golden"))
		for n := 0; n < len(data); n += 7 {
			part = data[:n]
			msg, got := ask(t.Context(), t, m)
			updates, _, _ := strings.Cut(got, "\nmessage ")
			if msg.Failure == nil { // the stop_reason had come
				if !strings.Contains(string(part), `"stop_reason":"tool_use"`) {
					t.Errorf("%s cut at %d: no failure:\n%s", file, n, got)
				}
				continue
			}
			if !msg.Failure.Temporary || msg.StopReason != "error" {
				t.Errorf("%s cut at %d: %s", file, n, got)
			}
			if !strings.HasPrefix(whole, updates) {
				t.Errorf("%s cut at %d: the updates are no beginning of the whole:\n%s", file, n, got)
			}
		}
	}
}
