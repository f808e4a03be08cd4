package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/redis/redistest"
)

const (
	callsChunks = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Both."}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"ls","arguments":""}},{"index":1,"id":"b","type":"function","function":{"name":"bash","arguments":"{\"comm"}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"and\":\"echo hi\"}"}},{"index":0,"function":{"arguments":"{}"}}]}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

`
	cutChunks = `data: {"choices":[{"index":0,"delta":{"content":"Half an ans"}}]}

`
	textChunks = `data: {"choices":[{"index":0,"delta":{"content":"A whole answer."}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: [DONE]

`
)

// A server that answers with parallel calls, then cuts, is busy, answers, and at
// last refuses.
func TestWorkOpenAI(t *testing.T) {
	_, hub := serveHub(t)
	const key = "sk-test-0123456789abcdefghij"
	var requests atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("Authorization: %q", r.Header.Get("Authorization"))
		}
		stream := func(text string) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, text)
			_ = http.NewResponseController(w).Flush()
		}
		switch requests.Add(1) {
		case 1:
			stream(callsChunks)
		case 2:
			stream(cutChunks)
			panic(http.ErrAbortHandler)
		case 3:
			w.WriteHeader(http.StatusTooManyRequests)
		case 4:
			stream(textChunks)
		default:
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":{"message":"Incorrect API key provided: `+key+`"}}`)
		}
	}))
	defer srv.Close()
	t.Setenv("OPENAI_API_KEY", key)
	p := start(t, strings.NewReader("once more\n"), "work", "--run", "r", "--to", hub, "--model", "openai:test", "--base-url", srv.URL+"/v1",
		"--workspace", t.TempDir(), "--tools", "ls,bash", "--prompt", "both")
	if code := p.wait(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if n := requests.Load(); n != 5 {
		t.Errorf("%d requests, want 5", n)
	}
	v := folded(t, hub)
	want := "user: both\nassistant: Both. (toolUse)\nassistant: Half an ans (error)\nassistant: A whole answer. (stop)\nuser: once more\nassistant:  (error)\n"
	if got := said(v); got != want {
		t.Errorf("conversation:\n%s", got)
	}
	if a, b := statusOf(v, "c1"), statusOf(v, "c2"); a != view.Done || b != view.Done || len(v.Tools) != 2 {
		t.Errorf("cards: %s, %s, %d in all", a, b, len(v.Tools))
	}
	if n := len(v.Notices); n != 2 || v.Notices[0].Kind != "retry" || v.Notices[1].Kind != "retry" {
		t.Errorf("notices: %+v", v.Notices)
	}
	if v.Outcome != view.OutcomeError || v.RunStatus != view.Idle {
		t.Errorf("outcome %s, %s", v.Outcome, v.RunStatus)
	}
	history, _ := get(t, hub+"/api/runs/r/events?limit=5000")
	for where, text := range map[string]string{"history": string(history), "stdout": p.stdout.String(), "stderr": p.stderr.String()} {
		if strings.Contains(text, key) {
			t.Errorf("the key is in the %s", where)
		}
	}
	if !bytes.Contains(history, []byte(`"willRetry":true`)) {
		t.Error("nobody was told that the answer is tried again")
	}
}

const anthropicAnswer = `event: message_start
data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"test","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"An answer."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":4}}

event: message_stop
data: {"type":"message_stop"}

`

// The run goes through Redis to a hub; the model speaks the Messages API.
func TestWorkAnthropicOverRedis(t *testing.T) {
	server := redistest.Start(t)
	_, hub := serveHub(t, "--redis", server.URL())
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, anthropicAnswer)
	}))
	defer srv.Close()
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-test-0123456789")
	p := start(t, nil, "work", "--run", "r", "--redis", server.URL(), "--model", "anthropic:test", "--base-url", srv.URL, "--tools", "none", "--prompt", "hi")
	if code := p.wait(); code != 0 || !strings.Contains(p.stdout.String(), "watch at /r/r of any hub on this Redis") {
		t.Errorf("exit code %d", code)
	}
	v := until(t, hub, "the worker has left", func(v *view.View) bool { return v.Worker == view.WorkerGone })
	if want := "user: hi\nassistant: An answer. (stop)\n"; said(v) != want || v.Run.Model != "anthropic/test" {
		t.Errorf("model %s, conversation:\n%s", v.Run.Model, said(v))
	}
}
