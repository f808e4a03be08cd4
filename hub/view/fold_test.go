package view

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the views and hashes of the fold files")

// foldFile is one file of testdata: events, and the view and its hash after
// each. The TypeScript client reads the same files.
type foldFile struct {
	Title string `json:"title"`
	Steps []step `json:"steps"`
}

type step struct {
	Event jsontext.Value `json:"event"`
	View  jsontext.Value `json:"view"`
	Hash  string         `json:"hash"`
}

func foldFiles(t testing.TB) map[string]foldFile {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fold files: %v", err)
	}
	files := map[string]foldFile{}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		var f foldFile
		if err := json.Unmarshal(b, &f); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		files[strings.TrimSuffix(filepath.Base(p), ".json")] = f
	}
	return files
}

func TestFoldFiles(t *testing.T) {
	for name, f := range foldFiles(t) {
		t.Run(name, func(t *testing.T) {
			v := New()
			for i, s := range f.Steps {
				e, err := DecodeEvent(s.Event)
				if err != nil {
					t.Fatalf("step %d: %v", i, err)
				}
				v.Apply(&e)
				got, err := v.Encode()
				if err != nil {
					t.Fatal(err)
				}
				if *update {
					f.Steps[i].View, f.Steps[i].Hash = got, v.Hash()
					continue
				}
				if diff := cmp.Diff(canonical(t, s.View), canonical(t, got)); diff != "" {
					t.Fatalf("step %d, %s: view (-want +got):\n%s", i, e.Type, diff)
				}
				if got := v.Hash(); got != s.Hash {
					t.Fatalf("step %d, %s: hash %s, want %s", i, e.Type, got, s.Hash)
				}
			}
			if *update {
				writeFoldFile(t, name, f)
			}
		})
	}
}

func writeFoldFile(t *testing.T, name string, f foldFile) {
	t.Helper()
	var b strings.Builder
	quote := func(s string) string {
		q, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(q)
	}
	b.WriteString("{\"title\": " + quote(f.Title) + ",\n\"steps\": [")
	for i, s := range f.Steps {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n{\"event\": " + canonical(t, s.Event) + ",\n \"view\": " + canonical(t, s.View) + ",\n \"hash\": " + quote(s.Hash) + "}")
	}
	b.WriteString("\n]}\n")
	if err := os.WriteFile(filepath.Join("testdata", name+".json"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func canonical(t testing.TB, j jsontext.Value) string {
	t.Helper()
	j = j.Clone()
	if err := j.Canonicalize(); err != nil {
		t.Fatalf("%v in %.200s", err, j)
	}
	return string(j)
}

// A joiner who gets a snapshot anywhere and folds on must end where everybody
// else ends: checked at every step of every file.
func TestSnapshotAnywhere(t *testing.T) {
	for name, f := range foldFiles(t) {
		t.Run(name, func(t *testing.T) {
			last := f.Steps[len(f.Steps)-1]
			for at := range f.Steps {
				v, err := Decode(f.Steps[at].View)
				if err != nil {
					t.Fatalf("step %d: %v", at, err)
				}
				if got := v.Hash(); got != f.Steps[at].Hash {
					t.Fatalf("decoded snapshot of step %d hashes %s, want %s", at, got, f.Steps[at].Hash)
				}
				for _, s := range f.Steps[at+1:] {
					e, err := DecodeEvent(s.Event)
					if err != nil {
						t.Fatal(err)
					}
					v.Apply(&e)
				}
				if got := v.Hash(); got != last.Hash {
					t.Fatalf("joined at step %d: final hash %s, want %s", at, got, last.Hash)
				}
			}
		})
	}
}

// Entities once read stay as they were, and a clone folds on by itself.
func TestCloneIsIndependent(t *testing.T) {
	for name, f := range foldFiles(t) {
		t.Run(name, func(t *testing.T) {
			v := New()
			var clones []*View
			for _, s := range f.Steps {
				e, err := DecodeEvent(s.Event)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range clones {
					c.Apply(&e)
				}
				v.Apply(&e)
				clones = append(clones, v.Clone())
			}
			want := v.Hash()
			for i, c := range clones {
				if got := c.Hash(); got != want {
					t.Errorf("clone after step %d ends in %s, want %s", i, got, want)
				}
			}
		})
	}
}

func TestDecodeEventRefuses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{`, "unexpected EOF"},
		{`[]`, "unmarshal"},
		{`{"type":"agent_start","t":1,"t":2}`, "duplicate"},
		{`{"type":"agent_start","T":2}`, "unknown"},
		{`{"type":"agent_start","t":1,"what":2}`, "unknown"},
		{`{"type":"nope","t":1}`, `unknown type "nope"`},
		{`{"t":1}`, "type is missing"},
		{`{"type":"tool_start","t":1}`, "tool_start: key is missing"},
		{`{"type":"text_delta","t":1}`, "text_delta: id is missing"},
		{`{"type":"worker","t":1,"state":"x"}`, "none of live, lost, gone"},
		{`{"type":"trim","t":1}`, "beforeTurn is missing"},
		{`{"type":"agent_start","t":-1}`, "out of range"},
		{`{"type":"agent_start","t":1e400}`, "t"},
		{`{"type":"tool_update","t":1,"key":"c1","text":"a","append":"b"}`, "exclude each other"},
		{"{\"type\":\"notice\",\"t\":1,\"text\":\"\xff\"}", "UTF-8"},
		{`{"type":"text_delta","t":1,"id":"m1","delta":null}`, "/delta"},
		{`{"type":"agent_start","t":null}`, "/t"},
		{`{"type":"tool_end","t":1,"key":"c1","durationMs":9007199254740992}`, "/durationMs"},
		{`{"type":"turn_end","t":1,"usage":{"cost":-9007199254740992}}`, "/usage/cost"},
		{`{"type":"agent_start","t":1.0}`, "/t"},
	} {
		_, err := DecodeEvent([]byte(c.in))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.in, err, c.want)
		}
	}
}

func TestDecodeViewRefuses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{}`, ""},
		{`{"runStatus":"idle","messages":[null]}`, "messages[0]"},
		{`{"runStatus":"idle","tools":{"c1":{"key":"c2","status":"done"}}}`, `tools["c1"]`},
		{`{"runStatus":"idle","tools":{"c1":{"key":"c1","status":"flying"}}}`, `status "flying"`},
		{`{"runStatus":"walking"}`, "walking"},
		{`{"runStatus":"idle","turns":[null]}`, "turns[0]"},
		{`{"runStatus":"idle","notices":[null]}`, "notices[0]"},
		{`{"runStatus":"idle","what":1}`, "unknown"},
		{`{"runStatus":null}`, "runStatus"},
		{`{"runStatus":"idle","worker":null}`, "/worker"},
		{`{"runStatus":"idle","queue":{"steering":[null]}}`, "/queue/steering/0"},
		{`{"runStatus":"idle","timeline":[null]}`, "timeline[0]"},
		{`{"runStatus":"idle","turn":9007199254740992}`, "/turn"},
		{`{"runStatus":"idle","worker":"asleep"}`, `worker "asleep"`},
		{`{"runStatus":"idle","outcome":"boom"}`, `outcome "boom"`},
		{`{"runStatus":"idle","activeAssistant":{"turn":1}}`, "activeAssistant has no id"},
		{`{"runStatus":"idle","tools":{"":{"key":"","status":"done"}}}`, "card without a key"},
		{`{"runStatus":"idle","tools":{"c1":{"key":"c1","status":"lost","cause":"moon"}}}`, `cause "moon"`},
		{`{"runStatus":"idle","timeline":[{"kind":"song","key":"m1"}]}`, `timeline[0]: kind "song"`},
		{`{"runStatus":"idle","timeline":[{"kind":"tool","key":""}]}`, "timeline[0] has no key"},
	} {
		v, err := Decode([]byte(c.in))
		switch {
		case c.want == "" && (err != nil || v.Tools == nil):
			t.Errorf("%s: %v", c.in, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want an error with %q", c.in, err, c.want)
		}
	}
}
