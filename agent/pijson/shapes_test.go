package pijson_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/pijson"
)

func text(s string) []agent.Block { return []agent.Block{{Type: agent.BlockText, Text: s}} }

// TestContentShapes covers what may stand as a message's content.
func TestContentShapes(t *testing.T) {
	call := func(id, name, args string) []agent.Block {
		c := &agent.ToolCall{ID: id, Name: name}
		if args != "" {
			c.Arguments = json.RawMessage(args)
		}
		return []agent.Block{{Type: agent.BlockToolCall, ToolCall: c}}
	}
	tests := []struct {
		content string
		want    []agent.Block
	}{
		{`"plain"`, text("plain")},
		{`""`, nil},
		{`null`, nil},
		{`[]`, nil},
		{`[{"type":"text","text":"a"}]`, text("a")},
		{`[{"text":"a","type":"text"}]`, text("a")},
		{`[{"type":"text"}]`, text("")},
		{`[{"type":"text","text":null}]`, text("")},
		{`[{"type":"thinking","thinking":"hm","thinkingSignature":"s"}]`, []agent.Block{{Type: agent.BlockThinking, Text: "hm"}}},
		{`[{"type":"thinking","redacted":true}]`, []agent.Block{{Type: agent.BlockThinking}}},
		{`[{"type":"image","data":"AA==","mimeType":"image/png"}]`, []agent.Block{{Type: agent.BlockImage, Data: "AA==", MimeType: "image/png"}}},
		{`[{"type":"hologram","text":5,"id":{},"data":"x"}]`, []agent.Block{{Type: "hologram"}}},
		{`[{"type":"toolCall","id":"c","name":"n","arguments":{"b": 1.0,"a":2e400}}]`, call("c", "n", `{"b": 1.0,"a":2e400}`)},
		{`[{"type":"toolCall","id":"c","name":"n","arguments":"text"}]`, call("c", "n", `"text"`)},
		{`[{"type":"toolCall","id":"c","name":"n","arguments":null}]`, call("c", "n", `null`)},
		{`[{"type":"toolCall","name":"n"}]`, call("", "n", "")},
		{`[{"type":"toolCall","id":"c","name":"n","arguments":{"a":1,"a":2}}]`, call("c", "n", `{"a":1,"a":2}`)},
	}
	for _, tt := range tests {
		ev := event[agent.MessageEnd](t, `{"type":"message_end","message":{"role":"assistant","content":`+tt.content+`}}`)
		if !reflect.DeepEqual(ev.Message.Content, tt.want) {
			t.Errorf("%s\ngot  %+v\nwant %+v", tt.content, ev.Message.Content, tt.want)
		}
	}
}

// TestResultShapes covers what may stand as a tool's result.
func TestResultShapes(t *testing.T) {
	whole := strings.Repeat("line\n", 50)
	tests := []struct {
		result string
		want   agent.ToolResult
	}{
		{`null`, agent.ToolResult{}},
		{`"failed"`, agent.ToolResult{Content: text("failed")}},
		{`42`, agent.ToolResult{Content: text("42")}},
		{`{}`, agent.ToolResult{}},
		{`{"output":"old"}`, agent.ToolResult{Content: text("old")}},
		{`{"content":"s"}`, agent.ToolResult{Content: text("s")}},
		{`{"content":[],"details":null}`, agent.ToolResult{}},
		{`{"content":[],"details":[1,  2]}`, agent.ToolResult{Details: json.RawMessage(`[1,  2]`)}},
		{`{"content":[],"terminate":true}`, agent.ToolResult{Terminate: true}},
		{`{"content":[{"type":"text","text":"line"}],"structuredContent":{"output":"` + strings.ReplaceAll(whole, "\n", `\n`) + `"}}`,
			agent.ToolResult{Content: text("line"), Output: whole}},
		{`{"structuredContent":{"output":"line"},"content":[{"type":"text","text":"line"}]}`, agent.ToolResult{Content: text("line")}},
		{`{"structuredContent":["output"]}`, agent.ToolResult{}},
		{`{"structuredContent":{"output":5}}`, agent.ToolResult{}},
		{`{"usage":{"input":1,"output":2,"cost":{"total":0.5}}}`, agent.ToolResult{Usage: &agent.Usage{Input: 1, Output: 2, Total: 3, Cost: 500000}}},
	}
	for _, tt := range tests {
		end := event[agent.ToolExecutionEnd](t, `{"type":"tool_execution_end","toolCallId":"c","result":`+tt.result+`}`)
		if !reflect.DeepEqual(end.Result, tt.want) {
			t.Errorf("result %s\ngot  %+v\nwant %+v", tt.result, end.Result, tt.want)
		}
		upd := event[agent.ToolExecutionUpdate](t, `{"type":"tool_execution_update","toolCallId":"c","partialResult":`+tt.result+`}`)
		if !reflect.DeepEqual(upd.Partial, tt.want) {
			t.Errorf("partial result %s\ngot  %+v\nwant %+v", tt.result, upd.Partial, tt.want)
		}
	}
}

func TestIsError(t *testing.T) {
	for src, want := range map[string]bool{
		`"result":{"content":[]},"isError":true`:                   true,
		`"result":{"content":[],"isError":true},"isError":false`:   false,
		`"isError":false,"result":{"content":[],"isError":true}`:   false,
		`"result":{"content":[],"isError":true}`:                   true,
		`"result":{"content":[],"isError":"yes"}`:                  false,
		`"result":{"content":[],"isError":true},"isError":null`:    true,
		`"result":{"content":[{"type":"text","text":"error: x"}]}`: false,
	} {
		if got := event[agent.ToolExecutionEnd](t, `{"type":"tool_execution_end","toolCallId":"c",`+src+`}`).IsError; got != want {
			t.Errorf("%s: isError is %v", src, got)
		}
	}
}

func TestUsageAndCost(t *testing.T) {
	for src, want := range map[string]*agent.Usage{
		`null`:   nil,
		`"free"`: nil,
		`{}`:     {},
		`{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":99}`:             {Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Total: 99},
		`{"input":1.9,"output":-2,"cacheRead":"3","cacheWrite":1e300}`:                     {Input: 1, Total: 1},
		`{"cost":{"input":0.1,"output":0.2,"cacheRead":0,"cacheWrite":0,"total":0.3}}`:     {Cost: 300000},
		`{"cost":{"input":0.1,"output":0.2}}`:                                              {Cost: 300000},
		`{"cost":{"total":0.0000014}}`:                                                     {Cost: 1},
		`{"cost":{"total":1e300}}`:                                                         {Cost: 1<<53 - 1},
		`{"cost":0.25}`:                                                                    {Cost: 250000},
		`{"cost":"much","input":9007199254740991,"output":9007199254740991,"cacheRead":1}`: {Input: 1<<53 - 1, Output: 1<<53 - 1, CacheRead: 1, Total: 1<<53 - 1},
	} {
		got := event[agent.MessageEnd](t, `{"type":"message_end","message":{"role":"assistant","usage":`+src+`}}`).Message.Usage
		if !reflect.DeepEqual(got, want) {
			t.Errorf("usage %s: got %+v, want %+v", src, got, want)
		}
	}
}

func TestTimes(t *testing.T) {
	message := func(role, field string) string {
		return fmt.Sprintf(`{"type":"message_end","message":{"role":%q,%s}}`, role, field)
	}
	tests := []struct {
		src          string
		at, duration int64
	}{
		{message("user", `"timestamp":1796131858336`), 1796131858336, 0},
		{message("user", `"timestamp":1796131858336.75`), 1796131858336, 0},
		{message("user", `"timestamp":"2026-12-01T13:30:58.336Z"`), 1796131858336, 0},
		{message("user", `"timestamp":"yesterday"`), 0, 0},
		{message("user", `"timestamp":1e999`), 0, 0},
		{message("user", `"timestamp":-1`), 0, 0},
		{message("assistant", `"timestamp":1,"durationMs":5`), 1, 5},
		{message("toolResult", `"timestamp":1,"durationMs":5`), 1, 0},
		{`{"type":"session","timestamp":"2026-12-01T13:30:58.253Z"}`, 1796131858253, 0},
		{`{"timestamp":7,"type":"tomorrow"}`, 7, 0},
		{`{"type":"tool_execution_end","toolCallId":"c","durationMs":12.6}`, 0, 12},
		{`{"type":"tool_execution_end","toolCallId":"c","durationMs":"12"}`, 0, 0},
		{`{"type":"turn_end","message":{"role":"assistant","timestamp":9,"durationMs":5}}`, 0, 0},
	}
	for _, tt := range tests {
		rec := one(t, tt.src)
		if rec.Quarantined != nil || rec.At != tt.at || rec.DurationMs != tt.duration {
			t.Errorf("%s\ngot at %d, duration %d, %v; want %d and %d", tt.src, rec.At, rec.DurationMs, rec.Quarantined, tt.at, tt.duration)
		}
	}
	if d := event[agent.ToolExecutionEnd](t, `{"type":"tool_execution_end","toolCallId":"c","durationMs":0}`).DurationMs; d == nil || *d != 0 {
		t.Error("a duration of 0 is not the same as none")
	}
}

// TestSessionInfo covers the header's variants and what changes it later.
func TestSessionInfo(t *testing.T) {
	for src, want := range map[string]agent.SessionInfo{
		`{"type":"session","version":3,"id":"s","timestamp":"2026-12-01T13:30:58.253Z","cwd":"/w","parentSession":"/p"}`:  {ID: "s", Cwd: "/w", At: 1796131858253},
		`{"type":"session","id":"s","timestamp":5,"cwd":"/w","provider":"anthropic","modelId":"m","thinkingLevel":"off"}`: {ID: "s", Cwd: "/w", At: 5, Provider: "anthropic", Model: "m"},
		`{"type":"session","id":5,"cwd":null,"name":"N"}`:                                                                 {Title: "N"},
		`{"id":"s","type":"session"}`:                      {ID: "s"},
		`{"type":"session_info_changed","name":"My work"}`: {Title: "My work"},
		`{"type":"model_change","id":"e1","timestamp":"2026-12-01T13:30:58.253Z","provider":"openai","modelId":"gpt"}`: {Provider: "openai", Model: "gpt"},
		`{"type":"model_changed","model":{"id":"gpt","provider":"openai","cost":{"input":1}}}`:                         {Provider: "openai", Model: "gpt"},
	} {
		if got := event[agent.SessionInfo](t, src); got != want {
			t.Errorf("%s\ngot  %+v\nwant %+v", src, got, want)
		}
	}
	if rec := one(t, `{"type":"session_info_changed"}`); len(rec.Events) != 0 || rec.Quarantined != nil || rec.Skipped != "" {
		t.Errorf("a cleared name: %+v", rec)
	}
}

func TestStopReason(t *testing.T) {
	for _, tt := range []struct{ fields, start, end agent.StopReason }{
		{`"content":[],"stopReason":"pending"`, "", ""},
		{`"content":[],"stopReason":"stop"`, "", "stop"},
		{`"content":[{"type":"text","text":"a"}],"stopReason":"stop"`, "stop", "stop"},
		{`"content":[],"stopReason":"error"`, "error", "error"},
		{`"content":[],"stopReason":"deferred"`, "deferred", "deferred"},
		{`"content":[]`, "", ""},
	} {
		message := `"message":{"role":"assistant",` + string(tt.fields) + `}}`
		if got := event[agent.MessageStart](t, `{"type":"message_start",`+message).Message.StopReason; got != tt.start {
			t.Errorf("%s at the start: %q", tt.fields, got)
		}
		if got := event[agent.MessageEnd](t, `{"type":"message_end",`+message).Message.StopReason; got != tt.end {
			t.Errorf("%s at the end: %q", tt.fields, got)
		}
	}
}

// TestUpdates covers the steps of old and new streams.
func TestUpdates(t *testing.T) {
	partial := `{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"toolCall","id":"c","name":"n","arguments":{"x":1},"partialJson":"{"}]}`
	call := agent.AssistantUpdate{Type: agent.UpdateToolCallStart, ContentIndex: 1, ToolCall: &agent.ToolCall{ID: "c", Name: "n"}}
	empty := agent.AssistantUpdate{Type: agent.UpdateToolCallStart, ContentIndex: 1, ToolCall: &agent.ToolCall{}}
	tests := []struct {
		src  string // the fields after type
		want *agent.AssistantUpdate
	}{
		{`"assistantMessageEvent":{"type":"toolcall_start","contentIndex":1,"id":"c","toolName":"n"}`, &call},
		{`"assistantMessageEvent":{"type":"toolcall_start","contentIndex":1,"partial":` + partial + `}`, &call},
		{`"assistantMessageEvent":{"partial":` + partial + `,"type":"toolcall_start","contentIndex":1},"message":null`, &call},
		{`"message":` + partial + `,"assistantMessageEvent":{"type":"toolcall_start","contentIndex":1}`, &call},
		{`"assistantMessageEvent":{"type":"toolcall_start","contentIndex":1,"partial":5},"message":` + partial, &call},
		{`"assistantMessageEvent":{"type":"toolcall_start","contentIndex":1}`, &empty},
		{`"assistantMessageEvent":{"type":"toolcall_start","contentIndex":1,"partial":{"role":"assistant","content":[{"type":"text","text":"a"}]}}`, &empty},
		{`"assistantMessageEvent":{"type":"toolcall_end","contentIndex":0,"toolCall":{"type":"toolCall","id":"c","name":"n","arguments":[1]}}`,
			&agent.AssistantUpdate{Type: agent.UpdateToolCallEnd, ToolCall: &agent.ToolCall{ID: "c", Name: "n", Arguments: json.RawMessage("[1]")}}},
		{`"assistantMessageEvent":{"type":"toolcall_end","contentIndex":0}`, &agent.AssistantUpdate{Type: agent.UpdateToolCallEnd}},
		{`"assistantMessageEvent":{"type":"text_delta","delta":"x","id":5}`, &agent.AssistantUpdate{Type: agent.UpdateTextDelta, Delta: "x"}},
		{`"assistantMessageEvent":{"type":"text_delta","contentIndex":3,"delta":""}`, &agent.AssistantUpdate{Type: agent.UpdateTextDelta, ContentIndex: 3}},
		{`"assistantMessageEvent":{"type":"text_end","contentIndex":0,"content":"x","delta":[]}`, &agent.AssistantUpdate{Type: agent.UpdateTextEnd, Content: "x"}},
		// Nothing is derived from what is cumulative only.
		{`"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"partial":` + partial + `}`, nil},
		{`"message":` + partial, nil},
		{`"assistantMessageEvent":null,"message":` + partial, nil},
		{`"assistantMessageEvent":{"type":"start","partial":` + partial + `}`, nil},
		{`"assistantMessageEvent":{"type":"done","reason":"stop","message":` + partial + `}`, nil},
		{`"assistantMessageEvent":{"type":"error","reason":"aborted","error":{}}`, nil},
	}
	for _, tt := range tests {
		rec := one(t, `{"type":"message_update",`+tt.src+`}`)
		if rec.Quarantined != nil {
			t.Errorf("%s\nquarantined: %v", tt.src, rec.Quarantined)
			continue
		}
		var want []agent.Event
		if tt.want != nil {
			want = []agent.Event{agent.MessageUpdate{Update: *tt.want}}
		}
		if !reflect.DeepEqual(rec.Events, want) {
			t.Errorf("%s\ngot  %+v\nwant %+v", tt.src, rec.Events, want)
		}
	}
}

// TestLenient holds lines with something odd that must not cost them.
func TestLenient(t *testing.T) {
	for _, src := range []string{
		`{"type":"turn_end","message":{"role":5},"toolResults":[{"role":"toolResult","content":5},7]}`,
		`{"type":"turn_end","message":null,"toolResults":{}}`,
		`{"type":"agent_end","messages":"many"}`,
		`{"type":"agent_end"}`,
		`{"type":"message_end","message":{"role":"user","content":"a","isError":"no","toolCallId":9,"stopReason":1,"usage":[]}}`,
		`{"type":"message_end","message":{"role":"notification","content":{"any":"thing"}}}`,
		`{"type":"message_end","message":{"role":"assistant","errorMessage":{"code":5},"provider":7,"model":[],"durationMs":"x"}}`,
		`{"type":"tool_execution_start","toolCallId":"c","toolLabel":5}`,
		`{"type":"queue_update"}`,
		`{"type":"queue_update","steering":null,"followUp":[]}`,
		`{"type":"auto_retry_start","attempt":"first","maxAttempts":{},"delayMs":1e300,"errorMessage":{"status":529}}`,
		`{"type":"compaction_end","result":"done"}`,
		`{"type":"agent_settled","aborted":null}`,
		`{"type":"agent_start","type":"turn_start"}`,
		`{"type":"agent_start","deep":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`,
		`{"type":"agent_start","huge":` + strings.Repeat("9", 5000) + `,"e":1e99999}`,
	} {
		if rec := one(t, src); rec.Quarantined != nil || len(rec.Events) != 1 {
			t.Errorf("%.120s\n%d events, %v", src, len(rec.Events), rec.Quarantined)
		}
	}
}

// TestQuarantine checks what is said about lines that cannot be used.
func TestQuarantine(t *testing.T) {
	tests := []struct{ src, pointer, reason string }{
		{`nonsense`, "", "not valid JSON"},
		{`{"type":"agent_start"`, "", "cut off"},
		{`{"type":"agent_start",}`, "", "not valid JSON"},
		{`{"type":"agent_start","a":{"b":[1,tru]}}`, "/a/b/1", "not valid JSON"},
		{`{"type":"agent_start"} x`, "", "not valid JSON"},
		{`{"type":"agent_start"}{}`, "", "more than one JSON value"},
		{`"agent_start"`, "", "found a string"},
		{`{"type":null}`, "", `no "type"`},
		{`{"type":""}`, "", `no "type"`},
		{`{"type":["agent_start"]}`, "/type", "found a list"},
		{`{"type":"x","deep":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, "/deep/0/0", "depth"},
		{`{"type":"tool_execution_start","toolName":"bash"}`, "/toolCallId", "missing"},
		{`{"type":"tool_execution_update","toolCallId":""}`, "/toolCallId", "missing or empty"},
		{`{"type":"tool_execution_end","toolCallId":null}`, "/toolCallId", "missing"},
		{`{"type":"tool_execution_end","toolCallId":7}`, "/toolCallId", "expected a string, found a number"},
		{`{"type":"tool_execution_end","toolCallId":"c","isError":"yes"}`, "/isError", "true or false"},
		{`{"type":"tool_execution_end","toolCallId":"c","result":{"content":{"text":"a"}}}`, "/result/content", "found an object"},
		{`{"type":"tool_execution_end","toolCallId":"c","result":{"content":["a"]}}`, "/result/content/0", "content block"},
		{`{"type":"message_end","message":"hello"}`, "/message", "found a string"},
		{`{"type":"message_end","message":{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":{}}]}}`, "/message/content/1/text", "found an object"},
		{`{"type":"message_end","message":{"role":"assistant","content":[{"type":"toolCall","id":5}]}}`, "/message/content/0/id", "found a number"},
		{`{"type":"message_end","message":{"role":"toolResult","toolCallId":5}}`, "/message/toolCallId", "found a number"},
		{`{"type":"message_end","message":{"role":"toolResult","isError":1}}`, "/message/isError", "found a number"},
		{`{"type":"message_end","message":{"role":"assistant","stopReason":1}}`, "/message/stopReason", "found a number"},
		{`{"type":"message_update","assistantMessageEvent":{"type":"toolcall_end","contentIndex":1,"toolCall":{"id":4}}}`, "/assistantMessageEvent/toolCall/id", "found a number"},
		{`{"type":"message_update","assistantMessageEvent":{"type":"toolcall_delta","contentIndex":1.5,"delta":"a"}}`, "/assistantMessageEvent/contentIndex", "index"},
		{`{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":99999999999,"delta":"a"}}`, "/assistantMessageEvent/contentIndex", "index"},
		{`{"type":"agent_settled","aborted":"no"}`, "/aborted", "true or false"},
		{`{"type":"queue_update","steering":"a"}`, "/steering", "list"},
		{`{"type":"queue_update","followUp":["a",null]}`, "/followUp/1", "string"},
	}
	for _, tt := range tests {
		rec := one(t, tt.src)
		q := rec.Quarantined
		if q == nil {
			t.Errorf("%.120s\nnot quarantined: %+v", tt.src, rec)
			continue
		}
		if !strings.HasPrefix(q.Pointer, tt.pointer) || tt.pointer == "" && q.Pointer != "" || !strings.Contains(q.Reason, tt.reason) {
			t.Errorf("%.120s\ngot  %q at %q\nwant %q at %q", tt.src, q.Reason, q.Pointer, tt.reason, tt.pointer)
		}
		if len(rec.Events) != 0 || rec.Skipped != "" || rec.At != 0 {
			t.Errorf("%.120s\nquarantined and yet %+v", tt.src, rec)
		}
		if len(q.Error()) > 600 || !strings.HasPrefix(q.Error(), "line 1") {
			t.Errorf("error text %.200q (%d bytes)", q.Error(), len(q.Error()))
		}
	}
}

// TestRepair checks that text and raw JSON come out valid.
func TestRepair(t *testing.T) {
	const bad = "\uFFFD"
	for in, want := range map[string]string{
		`plain`:                        `plain`,
		`\ud83d\ude80`:                 "🚀",
		`\uD83D\uDE80`:                 "🚀",
		`\ud83d`:                       bad,
		`\ude80`:                       bad,
		`\ud83dx\ude80`:                bad + "x" + bad,
		`\ud83d\ud83d\ude80`:           bad + "🚀",
		`\ud83d\\ude80`:                bad + `\ude80`,
		`\\ud83d`:                      `\ud83d`,
		`\\\ud83d`:                     `\` + bad,
		"a\xffb":                       "a" + bad + "b",
		"a\xff\xfeb":                   "a" + bad + bad + "b",
		"a\xe2\x82":                    "a" + bad,
		"a\xe2\x82b":                   "a" + bad + "b",
		"\xf0\x9f\x9a":                 bad,
		"\xf0\x9f\x9a\xf0\x9f\x9a\x80": bad + "🚀",
		"\xed\xa0\x80":                 bad + bad + bad, // a surrogate written as UTF-8
		"\xc0\xaf":                     bad + bad,       // overlong
		"\xf4\x90\x80\x80":             bad + bad + bad + bad,
	} {
		ev := event[agent.ToolExecutionEnd](t, `{"type":"tool_execution_end","toolCallId":"c","result":{"content":"`+in+`","details":{"`+in+`":"`+in+`"}}}`)
		if got := ev.Result.Content[0].Text; got != want {
			t.Errorf("%q: text %q, want %q", in, got, want)
		}
		var details map[string]string
		if err := json.Unmarshal(ev.Result.Details, &details); err != nil || details[want] != want {
			t.Errorf("%q: details %q, %v", in, ev.Result.Details, err)
		}
	}
}

// TestEventsAreOwn checks that reading on does not change earlier events.
func TestEventsAreOwn(t *testing.T) {
	var src strings.Builder
	for i := range 50 {
		fmt.Fprintf(&src, `{"type":"tool_execution_start","toolCallId":"c%02d","args":{"n":"%02d"}}`+"\n", i, i)
	}
	recs, _ := readAll(t, strings.NewReader(src.String()), pijson.Options{})
	for i, rec := range recs {
		want := agent.ToolExecutionStart{ToolCallID: fmt.Sprintf("c%02d", i), Args: json.RawMessage(fmt.Sprintf(`{"n":"%02d"}`, i))}
		if !reflect.DeepEqual(rec.Events, []agent.Event{want}) {
			t.Errorf("line %d: %+v", i+1, rec.Events)
		}
	}
}

// TestNotForDisplay checks that what an extension tells only the model is not
// shown to people.
func TestNotForDisplay(t *testing.T) {
	for _, tt := range []struct {
		message string
		hidden  bool
	}{
		{`{"role":"custom","customType":"plan","content":"secret plan","display":false}`, true},
		{`{"display":false,"content":[{"type":"text","text":"x"}],"role":"hookMessage"}`, true},
		{`{"role":"custom","content":"x","display":true}`, false},
		{`{"role":"custom","content":"x"}`, false},
		{`{"role":"custom","content":"x","display":null}`, false},
		{`{"role":"custom","content":"x","display":"false"}`, false},
		{`{"role":"user","content":"x","display":false}`, false},
		{`{"role":"assistant","content":[],"display":false}`, false},
	} {
		for _, typ := range []string{"message_start", "message_end"} {
			rec := one(t, `{"type":"`+typ+`","message":`+tt.message+`}`)
			want := ""
			if tt.hidden {
				want = typ
			}
			if rec.Quarantined != nil || rec.Skipped != want || (len(rec.Events) == 0) != tt.hidden {
				t.Errorf("%s %s: %+v", typ, tt.message, rec)
			}
		}
	}
}
