package openai_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/openai"
)

const picture = "iVBORw0KGgo="

func text(s string) []agent.Block { return []agent.Block{{Type: agent.BlockText, Text: s}} }

func call(id, args string) agent.Block {
	return agent.Block{Type: agent.BlockToolCall, ToolCall: &agent.ToolCall{ID: id, Name: "read", Arguments: json.RawMessage(args)}}
}

func conversation() agent.Request {
	image := agent.Block{Type: agent.BlockImage, MimeType: "image/png", Data: picture}
	thinking := agent.Block{Type: agent.BlockThinking, Text: "Hm.", Signature: "reasoning_content"}
	assistant := func(model string, blocks ...agent.Block) agent.Message {
		return agent.Message{Role: agent.RoleAssistant, Provider: "openai", Model: model, StopReason: agent.StopToolUse, Content: blocks}
	}
	return agent.Request{
		System: "Be brief.",
		Tools: []agent.Tool{
			{Name: "read", Description: "Reads a <file> & more.", Parameters: json.RawMessage(`{"type":"object","required":["path"],"properties":{"z":{"type":"number","maximum":1.50},"path":{"type":"string"}}}`)},
			{Name: "now"},
		},
		Messages: []agent.Message{
			agent.UserMessage("What is this?", image),
			assistant("some-model", thinking, text("I read ")[0], text("both.")[0], call("c1", `{"path":"b", "n":12345678901234567890}`), call("c2", `"{\"path"`), call("c 3", `{}`), call("c4", `{}`)),
			{Role: agent.RoleToolResult, ToolCallID: "c2", ToolName: "read", IsError: true, Content: text("the arguments are no object")},
			{Role: agent.RoleToolResult, ToolCallID: "c1", ToolName: "read", Content: []agent.Block{text("see:")[0], image}},
			{Role: agent.RoleToolResult, ToolCallID: "c 3", ToolName: "read", Content: []agent.Block{image}},
			agent.UserMessage("Stop."),
			assistant("another-model", thinking, text("I did.")[0]),
			assistant("some-model", call("c5", `{}`)),
			{Role: agent.RoleToolResult, ToolCallID: "c5", ToolName: "read", IsError: true},
			assistant("some-model", call("c6", `{}`)),
			{Role: agent.RoleToolResult, ToolCallID: "c6", ToolName: "read"},
			{Role: agent.RoleAssistant, StopReason: agent.StopAborted, Content: []agent.Block{text("I was")[0], call("c7", `{}`)}},
			{Role: "note", Content: text("not for the model")},
			agent.UserMessage("Go on."),
		},
	}
}

// sent returns the request that a server gets.
func sent(t *testing.T, o openai.Options, req agent.Request) (http.Header, []byte) {
	t.Helper()
	var header http.Header
	var body []byte
	o.Client = &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		header = r.Header
		body, _ = io.ReadAll(r.Body)
		return &http.Response{StatusCode: 200, Body: io.NopCloser(bytes.NewReader([]byte("data: [DONE]\n\n")))}, nil
	})}
	msg, err := model(t, o).Stream(t.Context(), req, func(agent.AssistantUpdate) error { return nil })
	if err != nil || msg.StopReason != agent.StopStop {
		t.Fatalf("got %s %q, %v", msg.StopReason, msg.ErrorMessage, err)
	}
	return header, body
}

type transport func(r *http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestRequest(t *testing.T) {
	_, body := sent(t, openai.Options{BaseURL: "http://localhost:1234/v1"}, conversation())
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, body, "", "\t"); err != nil {
		t.Fatal(err)
	}
	pretty.WriteByte('\n')
	const golden = "testdata/request.json"
	if *update {
		if err := os.WriteFile(golden, pretty.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(read(t, golden)), pretty.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The environment has no say.
func TestOptions(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"} {
		t.Setenv(name, "from-environment")
	}
	t.Setenv("OPENAI_BASE_URL", "http://from.environment")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-From: environment")

	header, body := sent(t, openai.Options{
		MaxTokens: 100, Temperature: new(0.5), ReasoningEffort: "low", Header: http.Header{"X-Title": {"Ringside"}},
	}, hello)
	want := `{"messages":[{"content":"hello","role":"user"}],"model":"some-model","max_completion_tokens":100,"temperature":0.5,` +
		`"reasoning_effort":"low","stream_options":{"include_usage":true},"stream":true}`
	if string(body) != want {
		t.Errorf("got  %s\nwant %s", body, want)
	}
	if got := header.Get("Authorization"); got != "Bearer "+key {
		t.Errorf("Authorization is %q", got)
	}
	if header.Get("X-Title") != "Ringside" || header.Get("X-From") != "" || header.Get("OpenAI-Organization") != "" {
		t.Errorf("the header is %v", header)
	}

	_, body = sent(t, openai.Options{BaseURL: "http://localhost:1234/v1/", MaxTokens: 100, NoStreamUsage: true}, hello)
	want = `{"messages":[{"content":"hello","role":"user"}],"model":"some-model","max_tokens":100,"stream":true}`
	if string(body) != want {
		t.Errorf("got  %s\nwant %s", body, want)
	}
}

func TestBadOptions(t *testing.T) {
	for want, o := range map[string]openai.Options{
		"openai: Options.Model is empty":                                                                               {},
		"openai: Options.BaseURL is no http or https address":                                                          {Model: "m", BaseURL: "localhost:1234"},
		"openai: Options.MaxTokens is -1: want tokens, or 0 for the server's default":                                  {Model: "m", MaxTokens: -1},
		"openai: Options.BaseURL has more than scheme, host and path: keys belong in Options.APIKey or Options.Header": {Model: "m", BaseURL: "http://h/v1?key=secret"},
	} {
		if _, err := openai.New(o); err == nil || err.Error() != want {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
	}
}
