package anthropic_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/anthropic"
)

const picture = "iVBORw0KGgo="

func text(s string) []agent.Block { return []agent.Block{{Type: agent.BlockText, Text: s}} }

func call(id, args string) agent.Block {
	return agent.Block{Type: agent.BlockToolCall, ToolCall: &agent.ToolCall{ID: id, Name: "read", Arguments: json.RawMessage(args)}}
}

func conversation() agent.Request {
	image := agent.Block{Type: agent.BlockImage, MimeType: "image/png", Data: picture}
	thinking := agent.Block{Type: agent.BlockThinking, Text: "Hm.", Signature: "c2lnbmVk"}
	assistant := func(model string, blocks ...agent.Block) agent.Message {
		return agent.Message{Role: agent.RoleAssistant, Provider: "anthropic", Model: model, StopReason: agent.StopToolUse, Content: blocks}
	}
	return agent.Request{
		System: "Be brief.",
		Tools: []agent.Tool{
			{Name: "read", Description: "Reads a <file> & more.", Parameters: json.RawMessage(`{"type":"object","required":["path"],"properties":{"z":{"type":"number","maximum":1.50},"path":{"type":"string"}}}`)},
			{Name: "now"},
			{Name: "untyped", Parameters: json.RawMessage(`{"properties":{"b":{},"a":{}}}`)},
			{Name: "empty", Parameters: json.RawMessage(`{ }`)},
		},
		Messages: []agent.Message{
			agent.UserMessage("What is this?", image),
			assistant("some-model", thinking, agent.Block{Type: agent.BlockThinking, Signature: "cmVkYWN0ZWQ=", Redacted: true}, text("I read ")[0], text("both.")[0], call("c1", `{"path":"b", "n":12345678901234567890}`), call("c2", `"{\"path"`), call("c 3", `{}`), call("c4", `{}`)),
			{Role: agent.RoleToolResult, ToolCallID: "c2", ToolName: "read", IsError: true, Content: text("the arguments are no object")},
			{Role: agent.RoleToolResult, ToolCallID: "c1", ToolName: "read", Content: []agent.Block{text("see:")[0], image}},
			{Role: agent.RoleToolResult, ToolCallID: "c 3", ToolName: "read", Content: []agent.Block{image}},
			agent.UserMessage("Stop.", agent.Block{Type: agent.BlockImage, MimeType: "image/bmp", Data: "Qk0="}),
			assistant("another-model", thinking, text("I did.")[0]),
			assistant("some-model", call("c5", `{}`)),
			{Role: agent.RoleToolResult, ToolCallID: "c5", ToolName: "read", IsError: true},
			assistant("some-model", call("c6", `{}`)),
			{Role: agent.RoleToolResult, ToolCallID: "c6", ToolName: "read"},
			{Role: agent.RoleAssistant, StopReason: agent.StopAborted, Content: []agent.Block{text("I was")[0], call("c7", `{}`)}},
			{Role: "note", Content: text("not for the model")},
			{Role: agent.RoleSystem, Content: text("Be brief, really.")},
			agent.UserMessage(" "),
			agent.UserMessage("Go on."),
		},
	}
}

// sent returns the request that a server gets.
func sent(t *testing.T, o anthropic.Options, req agent.Request) (http.Header, []byte) {
	t.Helper()
	var header http.Header
	var body []byte
	o.Client = &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		header = r.Header
		if !strings.HasSuffix(r.URL.Path, "/v1/messages") || strings.Contains(r.URL.Path, "/v1/v1") {
			t.Errorf("the path is %s", r.URL.Path)
		}
		body, _ = io.ReadAll(r.Body)
		return &http.Response{StatusCode: 200, Body: io.NopCloser(bytes.NewReader([]byte(`data: {"type":"message_stop"}` + "\n\n")))}, nil
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
	_, body := sent(t, anthropic.Options{BaseURL: "http://localhost:1234/v1"}, conversation())
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
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"} {
		t.Setenv(name, "from-environment")
	}
	t.Setenv("ANTHROPIC_BASE_URL", "http://from.environment")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-From: environment")

	const first = `{"max_tokens":100,"messages":[{"content":[{"text":"hello","type":"text"}],"role":"user"}],"model":"some-model",`
	for want, o := range map[string]anthropic.Options{
		first + `"cache_control":{"type":"ephemeral"},"stream":true}`:                                                   {MaxTokens: 100},
		first + `"output_config":{"effort":"low"},"thinking":{"display":"summarized","type":"adaptive"},"stream":true}`: {MaxTokens: 100, Effort: "low", NoCache: true},
		strings.Replace(first, "100", "2000", 1) + `"thinking":{"budget_tokens":1024,"type":"enabled"},"stream":true}`:  {MaxTokens: 2000, ThinkingBudget: 1024, NoCache: true},
	} {
		o.Header = http.Header{"X-Title": {"Ringside"}}
		header, body := sent(t, o, hello)
		if string(body) != want {
			t.Errorf("got  %s\nwant %s", body, want)
		}
		if bearer, old := header.Get("Authorization"), header.Get("X-Api-Key"); bearer != "Bearer "+key || old != "" {
			t.Errorf("Authorization is %q, X-Api-Key %q", bearer, old)
		}
		if header.Get("X-Title") != "Ringside" || header.Get("X-From") != "" {
			t.Errorf("the header is %v", header)
		}
	}
}

func TestOtherServer(t *testing.T) {
	header, _ := sent(t, anthropic.Options{BaseURL: "http://localhost:1234/anthropic/v1/"}, hello)
	if bearer, old := header.Get("Authorization"), header.Get("X-Api-Key"); bearer != "Bearer "+key || old != key {
		t.Errorf("Authorization is %q, X-Api-Key %q", bearer, old)
	}
}

func TestBadOptions(t *testing.T) {
	for want, o := range map[string]anthropic.Options{
		"anthropic: Options.Model is empty":                                                                               {},
		"anthropic: Options.BaseURL is no http or https address":                                                          {Model: "m", BaseURL: "localhost:1234"},
		"anthropic: Options.MaxTokens is -1: want tokens, or 0 for 32000":                                                 {Model: "m", MaxTokens: -1},
		"anthropic: Options.ThinkingBudget is 5: want 1024 or more, and fewer than the 32000 of MaxTokens":                {Model: "m", ThinkingBudget: 5},
		"anthropic: Options.ThinkingBudget and Options.Effort exclude each other":                                         {Model: "m", ThinkingBudget: 2000, Effort: "low"},
		"anthropic: Options.BaseURL has more than scheme, host and path: keys belong in Options.APIKey or Options.Header": {Model: "m", BaseURL: "http://user:secret@h"},
	} {
		if _, err := anthropic.New(o); err == nil || err.Error() != want {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
	}
}
