package openai_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/openai"
)

func TestThousandCalls(t *testing.T) {
	var b bytes.Buffer
	for round := range 3 { // side by side
		for i := range 1000 {
			piece := []string{`{\"n\":`, fmt.Sprint(i), `}`}[round]
			id := ""
			if round == 0 {
				id = fmt.Sprintf(`"id":"call_%d","type":"function",`, i)
			}
			fmt.Fprintf(&b, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,%s"function":{"name":"f","arguments":"%s"}}]}}]}`+"\n\n", i, id, piece)
		}
	}
	b.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n")
	m := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(b.Bytes()) })
	msg, _ := ask(t.Context(), t, m)
	calls := msg.ToolCalls()
	if len(calls) != 1000 || msg.StopReason != agent.StopToolUse {
		t.Fatalf("got %d calls, %s %q", len(calls), msg.StopReason, msg.ErrorMessage)
	}
	for i, c := range calls {
		if c.ID != fmt.Sprintf("call_%d", i) || string(c.Arguments) != fmt.Sprintf(`{"n":%d}`, i) {
			t.Fatalf("call %d is %s %s", i, c.ID, c.Arguments)
		}
	}
}

func TestTenMegabytesOfArguments(t *testing.T) {
	const size = 10 << 20
	for _, pieces := range []int{1, 1000} {
		m := serve(t, func(w http.ResponseWriter, r *http.Request) {
			say := func(args, finish string) {
				fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"write","arguments":"%s"}}]},"finish_reason":%s}]}`+"\n\n", args, finish)
			}
			say(`{\"text\":\"`, "null")
			for range pieces {
				say(strings.Repeat("x", size/pieces), "null")
			}
			say(`\"}`, `"tool_calls"`)
		})
		msg, err := m.Stream(t.Context(), hello, func(agent.AssistantUpdate) error { return nil })
		if err != nil || len(msg.ToolCalls()) != 1 {
			t.Fatalf("got %q, %v", msg.ErrorMessage, err)
		}
		if got := len(msg.ToolCalls()[0].Arguments); got != size/pieces*pieces+len(`{"text":""}`) {
			t.Errorf("in %d pieces: %d bytes", pieces, got)
		}
	}
}

// inMemory is a connection for a bubble: it never looks at the context, and its
// server writes into the answer.
type inMemory struct {
	serve func(w io.Writer)
	over  sync.WaitGroup
}

func (m *inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	pr, pw := io.Pipe()
	m.over.Go(func() { m.serve(pw) })
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: pr, Request: r}, nil
}

// A server that has said why the answer ended need not close the connection.
func TestServerThatNeverEnds(t *testing.T) {
	for name, end := range map[string]string{
		"with usage":    `data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}` + "\n\n",
		"without usage": ": nothing more\n\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			conn := &inMemory{serve: func(w io.Writer) {
				_, _ = io.WriteString(w, word+`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n"+end)
				// The reader is left waiting, until it closes its side.
			}}
			defer conn.over.Wait()
			m := model(t, openai.Options{BaseURL: "http://in.memory/v1", Client: &http.Client{Transport: conn}})
			began := time.Now()
			msg, _ := ask(t.Context(), t, m)
			if took := time.Since(began); msg.StopReason != agent.StopStop || took != 5*time.Second {
				t.Errorf("%s: %s %q after %v", name, msg.StopReason, msg.ErrorMessage, took)
			}
			if (msg.Usage != nil) != (name == "with usage") {
				t.Errorf("%s: usage %+v", name, msg.Usage)
			}
		})
	}
}

// A slow server is waited for, and an abort in the middle is immediate even if
// the connection does not mind the context.
func TestSlowServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := &inMemory{serve: func(w io.Writer) {
			for {
				time.Sleep(time.Minute)
				if _, err := io.WriteString(w, word); err != nil {
					return
				}
			}
		}}
		defer conn.over.Wait()
		m := model(t, openai.Options{BaseURL: "http://in.memory/v1", Client: &http.Client{Transport: conn}})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute+time.Second)
		defer cancel()
		began := time.Now()
		msg, _ := ask(ctx, t, m)
		if took := time.Since(began); took != 10*time.Minute+time.Second || msg.StopReason != agent.StopAborted || msg.Text() != strings.Repeat("and ", 10) {
			t.Errorf("%s %q %q after %v", msg.StopReason, msg.ErrorMessage, msg.Text(), took)
		}
	})
}
