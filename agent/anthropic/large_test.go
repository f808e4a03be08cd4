package anthropic_test

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
	"github.com/ringside-hub/ringside/agent/anthropic"
)

func TestThousandCalls(t *testing.T) {
	var b bytes.Buffer
	for round := range 3 { // side by side
		for i := range 1000 {
			if round == 0 {
				fmt.Fprintf(&b, `data: {"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":"call_%d","name":"f","input":{}}}`+"\n\n", i, i)
			}
			piece := []string{`{\"n\":`, fmt.Sprint(i), `}`}[round]
			fmt.Fprintf(&b, `data: {"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":"%s"}}`+"\n\n", i, piece)
		}
	}
	b.WriteString(`data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n")
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
			say := func(args string) {
				fmt.Fprintf(w, `data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"%s"}}`+"\n\n", args)
			}
			fmt.Fprintf(w, `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"write"}}`+"\n\n")
			say(`{\"text\":\"`)
			for range pieces {
				say(strings.Repeat("x", size/pieces))
			}
			say(`\"}`)
			fmt.Fprintf(w, `data: {"type":"message_stop"}`+"\n\n")
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
		"with usage":    `data: {"type":"message_delta","delta":{},"usage":{"output_tokens":3}}` + "\n\n",
		"without usage": ": nothing more\n\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			conn := &inMemory{serve: func(w io.Writer) {
				_, _ = io.WriteString(w, begin+word+`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}`+"\n\n"+end)
				// The reader is left waiting, until it closes its side.
			}}
			defer conn.over.Wait()
			m := model(t, anthropic.Options{BaseURL: "http://in.memory", Client: &http.Client{Transport: conn}})
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
			_, _ = io.WriteString(w, begin)
			for {
				time.Sleep(time.Minute)
				if _, err := io.WriteString(w, word); err != nil {
					return
				}
			}
		}}
		defer conn.over.Wait()
		m := model(t, anthropic.Options{BaseURL: "http://in.memory", Client: &http.Client{Transport: conn}})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute+time.Second)
		defer cancel()
		began := time.Now()
		msg, _ := ask(ctx, t, m)
		if took := time.Since(began); took != 10*time.Minute+time.Second || msg.StopReason != agent.StopAborted || msg.Text() != strings.Repeat("and ", 10) {
			t.Errorf("%s %q %q after %v", msg.StopReason, msg.ErrorMessage, msg.Text(), took)
		}
	})
}
