//go:build linux

package tools_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/tools"
)

// supervisor is set once, by TestMain.
var supervisor tools.Supervisor

func TestMain(m *testing.M) {
	supervisor = tools.Supervise()
	if dir := os.Getenv(workerDir); dir != "" {
		beWorker(dir)
	}
	goleak.VerifyTestMain(m)
}

// bench is a workspace and its tools.
type bench struct {
	t     *testing.T
	dir   string
	tools map[string]agent.Tool
}

// newBench makes the tools over a new folder; files are made in it.
func newBench(t *testing.T, change func(*tools.Workspace), files map[string]string) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir(), tools: map[string]agent.Tool{}}
	for name, content := range files {
		b.put(name, content)
	}
	w := tools.Workspace{Dir: b.dir, Environ: os.Environ(), Supervisor: supervisor}
	if change != nil {
		change(&w)
	}
	list, err := tools.NewForTest(w, tools.Names()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list {
		b.tools[tool.Name] = tool
	}
	return b
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, filepath.FromSlash(name)) }

func (b *bench) put(name, content string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(b.path(name), []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) get(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(b.path(name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

// answer is what a call gave.
type answer struct {
	agent.ToolResult
	text    string
	details map[string]any
	updates []map[string]any // details of the updates
	texts   []string         // of the updates
	err     error
}

type object = map[string]any

func (b *bench) call(name string, args any) answer {
	b.t.Helper()
	return b.callContext(b.t.Context(), name, args, nil)
}

// callContext calls a tool; seen, if any, sees the text of each update.
func (b *bench) callContext(ctx context.Context, name string, args any, seen func(string)) answer {
	b.t.Helper()
	raw, ok := args.(string)
	if !ok {
		text, err := json.Marshal(args)
		if err != nil {
			b.t.Fatal(err)
		}
		raw = string(text)
	}
	var mu sync.Mutex
	var a answer
	r, err := b.tools[name].Execute(ctx, "call-1", json.RawMessage(raw), func(u agent.ToolResult) {
		mu.Lock()
		defer mu.Unlock()
		a.updates = append(a.updates, b.decode(u.Details))
		a.texts = append(a.texts, u.Content[0].Text)
		if seen != nil {
			seen(u.Content[0].Text)
		}
	})
	a.ToolResult, a.err = r, err
	if err != nil {
		if !errorAs(err, &a.ToolResult) {
			return a
		}
	}
	a.text, a.details = a.Content[0].Text, b.decode(a.Details)
	if a.details["phase"] != "done" {
		b.t.Errorf("%s: the result's phase is %v", name, a.details["phase"])
	}
	if len(a.updates) == 0 || a.updates[0]["phase"] == "" {
		b.t.Errorf("%s: no progress with a phase: %v", name, a.updates)
	}
	return a
}

func errorAs(err error, r *agent.ToolResult) bool {
	t, ok := err.(*agent.ToolError)
	if ok {
		*r = t.Result
	}
	return ok
}

func (b *bench) decode(raw json.RawMessage) object {
	b.t.Helper()
	var d object
	if err := jsonv2.Unmarshal(raw, &d); err != nil {
		b.t.Fatalf("details %s: %v", raw, err)
	}
	return d
}

// good wants a result without an error.
func (b *bench) good(name string, args any) answer {
	b.t.Helper()
	a := b.call(name, args)
	if a.err != nil {
		b.t.Fatalf("%s %v: %v", name, args, a.err)
	}
	return a
}

// fails wants an error that says want and does not tell where the workspace is.
func (b *bench) fails(name string, args any, want string) answer {
	b.t.Helper()
	a := b.call(name, args)
	switch {
	case a.err == nil:
		b.t.Errorf("%s %v: no error, but %q", name, args, a.text)
	case !strings.Contains(a.err.Error(), want):
		b.t.Errorf("%s %v: %q does not say %q", name, args, a.err, want)
	case strings.Contains(a.err.Error(), b.dir):
		b.t.Errorf("%s %v: %q names the workspace's place", name, args, a.err)
	case len(a.err.Error()) > 1000:
		b.t.Errorf("%s %v: the error has %d bytes", name, args, len(a.err.Error()))
	}
	return a
}
