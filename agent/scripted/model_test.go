package scripted_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/scripted"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func model(t testing.TB, text string) *scripted.Model {
	t.Helper()
	s, err := scripted.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return scripted.New(s)
}

// request makes one request and returns what was streamed, a line each.
func request(ctx context.Context, m agent.Model) (lines []string, final agent.Message, err error) {
	final, err = m.Stream(ctx, agent.Request{}, func(u agent.AssistantUpdate) error {
		line := fmt.Sprint(u.Type, " ", u.ContentIndex, " ", u.Delta, u.Content)
		if u.ToolCall != nil {
			line += fmt.Sprint(u.ToolCall.ID, " ", u.ToolCall.Name, " ", string(u.ToolCall.Arguments))
		}
		lines = append(lines, strings.TrimSpace(line))
		return nil
	})
	return lines, final, err
}

func TestPlays(t *testing.T) {
	m := model(t, `{"responses":[{"steps":[
		{"thinking":"hm"},{"text":"two words"},
		{"call":{"name":"ls","arguments":{"b": 1.50, "a":null}}},
		{"call":{"name":"rm","rawArguments":"{oops","id":"mine"}}],
		"usage":{"input":3,"output":4,"cost":5}}]}`)
	lines, final, err := request(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"start 0",
		"thinking_start 0", "thinking_delta 0 hm", "thinking_end 0 hm",
		"text_start 1", "text_delta 1 two", "text_delta 1 words", "text_end 1 two words",
		"toolcall_start 2 scripted-1 ls", `toolcall_delta 2 {"b":`, `toolcall_delta 2 1.50,`, `toolcall_delta 2 "a":null}`, `toolcall_end 2 scripted-1 ls {"b": 1.50, "a":null}`,
		"toolcall_start 3 mine rm", "toolcall_delta 3 {oops", "toolcall_end 3 mine rm {oops",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("updates (-want +got):\n%s", diff)
	}
	calls := final.ToolCalls()
	if len(final.Content) != 4 || final.Text() != "two words" || string(calls[0].Arguments) != `{"b": 1.50, "a":null}` || string(calls[1].Arguments) != `{oops` {
		t.Errorf("final %+v", final)
	}
	if diff := cmp.Diff(&agent.Usage{Input: 3, Output: 4, Total: 7, Cost: 5}, final.Usage); diff != "" {
		t.Error(diff)
	}
	if _, final, err = request(t.Context(), m); err != nil || final.StopReason != agent.StopError || final.ErrorMessage != "the script has no response for request 2" {
		t.Errorf("%+v, %v", final, err)
	}
}

func TestRepeats(t *testing.T) {
	m := model(t, `{"repeat":true,"responses":[{"steps":[{"text":"a"}]},{"stream":false,"stop":"length","steps":[{"call":{"name":"b"}}]}]}`)
	var got []string
	for range 4 {
		lines, final, err := request(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		text.WriteString(final.Text())
		for _, c := range final.ToolCalls() {
			text.WriteString(c.ID)
		}
		got = append(got, fmt.Sprint(len(lines), text.String(), final.StopReason))
	}
	if diff := cmp.Diff([]string{"4a", "0scripted-1length", "4a", "0scripted-2length"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestFailures(t *testing.T) {
	m := model(t, `{"responses":[{"steps":[{"text":"a"},{"fail":"503 overloaded"}]},{"steps":[{"text":"b"},{"cut":"connection reset"}]}]}`)
	if _, final, err := request(t.Context(), m); err != nil || final.Text() != "a" || final.StopReason != agent.StopError || final.ErrorMessage != "503 overloaded" {
		t.Errorf("%+v, %v", final, err)
	}
	if lines, _, err := request(t.Context(), m); err == nil || err.Error() != "connection reset" || len(lines) != 4 {
		t.Errorf("%v, %v", lines, err)
	}
}

func TestTakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := model(t, `{"pace":"100ms","responses":[{"steps":[{"text":"a b c"},{"pause":"2s"},{"text":"d"}]},{"pace":"1s","steps":[{"text":"a b"}]}]}`)
		for _, want := range []time.Duration{2200 * time.Millisecond, time.Second} {
			began := time.Now()
			if _, _, err := request(t.Context(), m); err != nil || time.Since(began) != want {
				t.Errorf("took %v, %v; want %v", time.Since(began), err, want)
			}
		}
	})
}

func TestAborts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := model(t, `{"responses":[{"steps":[{"text":"so far"},{"pause":"1h"},{"text":"never"}]}]}`)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		_, final, err := request(ctx, m)
		if err != nil || final.StopReason != agent.StopAborted || final.Text() != "so far" || time.Since(began) != time.Minute {
			t.Errorf("%+v, %v after %v", final, err, time.Since(began))
		}
	})
}

func TestStopsWhenNotWanted(t *testing.T) {
	refuse := errors.New("no more")
	n := 0
	_, err := model(t, `{"responses":[{"steps":[{"text":"a b c"}]}]}`).Stream(t.Context(), agent.Request{}, func(agent.AssistantUpdate) error {
		if n++; n == 3 {
			return refuse
		}
		return nil
	})
	if !errors.Is(err, refuse) || n != 3 {
		t.Errorf("%v after %d updates", err, n)
	}
}

func TestOddScripts(t *testing.T) {
	one := func(step string) string { return `{"responses":[{"steps":[{"text":"ok"},` + step + `]}]}` }
	for text, want := range map[string]string{
		`{`:                                   "script: ",
		`[]`:                                  "script: ",
		`{}`:                                  "script: responses: there are none",
		`{"responses":[]}`:                    "script: responses: there are none",
		`{"respones":[]}`:                     `unknown object member name "respones"`,
		`{"pace":"1","responses":[{}]}`:       "script: pace: time: missing unit",
		`{"pace":"1s","pace":"2s"}`:           "duplicate",
		`{"responses":[{"pace":"-1s"}]}`:      "script: responses[0].pace: -1s is negative",
		`{"responses":[{},{"stop":"error"}]}`: `script: responses[1].stop: "error" is none of stop, toolUse, length`,
		one(`{}`):                             "script: responses[0].steps[1]: want exactly one of text, thinking, call, pause, fail, cut; there are 0",
		one(`{"text":"a","pause":"1s"}`):      "there are 2",
		one(`{"pause":"soon"}`):               "script: responses[0].steps[1]: time: invalid duration",
		one(`{"call":{}}`):                    "script: responses[0].steps[1]: the call has no name",
		one(`{"call":{"name":"a","arguments":{},"rawArguments":""}}`): "the call has both",
		one(`{"text":"x","temporary":true}`):                          "script: responses[0].steps[1]: temporary is said of a fail only",
		one(`{"cut":"x"},{"text":"y"}`):                               "script: responses[0].steps[1]: fail and cut are last steps",
		one(`{"call":{"name":"a","arguments":{"x":1,"x":2}}}`):        "duplicate",
	} {
		if _, err := scripted.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"pace":"1ms","repeat":true,"responses":[{"steps":[{"text":"a"},{"call":{"name":"b","arguments":[1]}},{"cut":"c"}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := scripted.Parse(data)
		if err != nil {
			return
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // no script may wait for long here
		if _, final, err := request(ctx, scripted.New(s)); err != nil || final.StopReason != agent.StopAborted {
			t.Errorf("%+v, %v", final, err)
		}
	})
}

// A script in an agent: the calls are carried out, the second response ends it.
func Example() {
	script, err := scripted.Parse([]byte(`{"responses":[
		{"steps":[{"text":"I look."},{"call":{"name":"look","arguments":{"where":"here"}}}]},
		{"steps":[{"text":"Nothing."}]}]}`))
	if err != nil {
		panic(err)
	}
	look := agent.Tool{Name: "look", Execute: func(_ context.Context, _ string, args json.RawMessage, _ func(agent.ToolResult)) (agent.ToolResult, error) {
		fmt.Println("look", string(args))
		return agent.TextResult("empty"), nil
	}}
	a, err := agent.New(agent.Options{Model: scripted.New(script), Tools: []agent.Tool{look}})
	if err != nil {
		panic(err)
	}
	if err := a.Prompt(context.Background(), "What is there?"); err != nil {
		panic(err)
	}
	for _, m := range a.State().Messages {
		fmt.Println(m.Role, m.Text())
	}
	// Output:
	// look {"where":"here"}
	// user What is there?
	// assistant I look.
	// toolResult empty
	// assistant Nothing.
}

// A failure that is worth another try says so.
func TestTemporaryFailure(t *testing.T) {
	m := model(t, `{"responses":[{"steps":[{"fail":"slow down","temporary":true}]},{"steps":[{"fail":"no"}]}]}`)
	for _, temporary := range []bool{true, false} {
		_, final, err := request(t.Context(), m)
		if err != nil || final.StopReason != agent.StopError || (final.Failure != nil && final.Failure.Temporary) != temporary {
			t.Errorf("got %+v, %v; want temporary %v", final, err, temporary)
		}
	}
}
