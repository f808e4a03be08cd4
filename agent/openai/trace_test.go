package openai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/openai"
)

const key = "sk-test-1234567890"

// serve starts a server and returns a model of it.
func serve(t *testing.T, h http.HandlerFunc) *openai.Model {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server sees only then that its client goes
		h(w, r)
	}))
	t.Cleanup(srv.Close)
	return model(t, openai.Options{BaseURL: srv.URL + "/v1", Client: srv.Client()})
}

func model(t testing.TB, o openai.Options) *openai.Model {
	t.Helper()
	o.Model, o.APIKey = "some-model", key
	m, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var hello = agent.Request{Messages: []agent.Message{agent.UserMessage("hello")}}

// trace writes down the updates of an answer, and the message at the end.
type trace struct{ strings.Builder }

func (tr *trace) update(u agent.AssistantUpdate) error {
	if u.Type == agent.UpdateStart {
		fmt.Fprintln(tr, u.Type)
		return nil
	}
	fmt.Fprintf(tr, "%s %d", u.Type, u.ContentIndex)
	if u.Delta != "" {
		fmt.Fprintf(tr, " %q", u.Delta)
	}
	if u.Content != "" {
		fmt.Fprintf(tr, " %q", u.Content)
	}
	if c := u.ToolCall; c != nil {
		fmt.Fprintf(tr, " %s %s %s", or(c.ID), or(c.Name), c.Arguments)
	}
	fmt.Fprintln(tr)
	return nil
}

func or(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func (tr *trace) message(m agent.Message) {
	fmt.Fprintf(tr, "\nmessage %s %s/%s", m.StopReason, m.Provider, m.Model)
	if m.ErrorMessage != "" {
		fmt.Fprintf(tr, " error %q", m.ErrorMessage)
	}
	if m.Failure != nil {
		fmt.Fprintf(tr, " failure %+v", *m.Failure)
	}
	if m.Usage != nil {
		fmt.Fprintf(tr, " usage %+v", *m.Usage)
	}
	fmt.Fprintln(tr)
	for _, b := range m.Content {
		fmt.Fprintf(tr, "  %s", b.Type)
		if c := b.ToolCall; c != nil {
			fmt.Fprintf(tr, " %s %s %s\n", or(c.ID), or(c.Name), c.Arguments)
		} else {
			fmt.Fprintf(tr, " %q %s\n", b.Text, b.Signature)
		}
	}
}

// ask streams one answer and returns what happened.
func ask(ctx context.Context, t *testing.T, m agent.Model) (agent.Message, string) {
	t.Helper()
	var tr trace
	p := protocol{t: t}
	msg, err := m.Stream(ctx, hello, func(u agent.AssistantUpdate) error {
		p.update(u)
		return tr.update(u)
	})
	if err != nil {
		t.Fatalf("Stream: %v", err)
	}
	if msg.DurationMs == nil || *msg.DurationMs < 0 {
		t.Errorf("the duration is not known")
	}
	p.message(msg)
	tr.message(msg)
	if strings.Contains(tr.String(), key) {
		t.Errorf("the key is in what happened:\n%s", tr.String())
	}
	return msg, tr.String()
}
