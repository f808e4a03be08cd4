package openai_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/openai"
)

// protocol checks that updates keep the promises of the package.
type protocol struct {
	t       testing.TB
	started bool
	open    []agent.UpdateType // the last step of each block
	draft   agent.Draft
}

func (p *protocol) update(u agent.AssistantUpdate) {
	p.t.Helper()
	if u.Type == agent.UpdateStart {
		if p.started {
			p.t.Errorf("a second start")
		}
		p.started = true
		return
	}
	if !p.started {
		p.t.Errorf("%s before the start", u.Type)
	}
	if !utf8.ValidString(u.Delta) || !utf8.ValidString(u.Content) {
		p.t.Errorf("ill-formed UTF-8 in %+v", u)
	}
	p.draft.Apply(u)
	switch u.Type {
	case agent.UpdateTextStart, agent.UpdateThinkingStart, agent.UpdateToolCallStart:
		if u.ContentIndex != len(p.open) {
			p.t.Errorf("block %d begins after %d blocks", u.ContentIndex, len(p.open))
		}
		p.open = append(p.open, u.Type)
		return
	}
	if u.ContentIndex >= len(p.open) {
		p.t.Fatalf("%s of block %d, which has not begun", u.Type, u.ContentIndex)
	}
	switch last := &p.open[u.ContentIndex]; *last {
	case agent.UpdateTextEnd, agent.UpdateThinkingEnd, agent.UpdateToolCallEnd:
		p.t.Errorf("%s of block %d, which has ended", u.Type, u.ContentIndex)
	default:
		*last = u.Type
	}
}

func (p *protocol) message(m agent.Message) {
	p.t.Helper()
	if diff := cmp.Diff(p.draft.Content(), m.Content, cmpopts.IgnoreFields(agent.Block{}, "Signature", "Redacted"), cmpopts.EquateEmpty()); diff != "" {
		p.t.Errorf("the message is not what the updates built:\n%s", diff)
	}
	failed, aborted := m.StopReason == agent.StopError, m.StopReason == agent.StopAborted
	if failed != (m.Failure != nil) || (failed || aborted) != (m.ErrorMessage != "") {
		p.t.Errorf("%s with %q and %+v", m.StopReason, m.ErrorMessage, m.Failure)
	}
	if failed || aborted {
		return
	}
	for i, last := range p.open {
		switch last {
		case agent.UpdateTextEnd, agent.UpdateThinkingEnd, agent.UpdateToolCallEnd:
		default:
			p.t.Errorf("block %d has not ended: %s", i, last)
		}
	}
}

// Whatever a server sends, there are no panic and no broken promise.
func FuzzStream(f *testing.F) {
	for _, file := range fixtures(f) {
		f.Add(read(f, file))
	}
	var data []byte
	m := model(f, openai.Options{BaseURL: "http://in.memory/v1", Client: &http.Client{
		Transport: transport(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(bytes.NewReader(data))}, nil
		}),
	}})
	f.Fuzz(func(t *testing.T, in []byte) {
		data = in
		p := protocol{t: t}
		msg, err := m.Stream(t.Context(), hello, func(u agent.AssistantUpdate) error {
			p.update(u)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		p.message(msg)
	})
}

func FuzzRefusal(f *testing.F) {
	for _, s := range []string{`{"error":{"message":"a","type":"b","code":"c"}}`, `{"error":"a"}`, `{"message":1,"detail":[],"code":[]}`, `{"error":{"error":{}}}`, "<html>", "\xff"} {
		f.Add(s, 429, "1")
	}
	f.Fuzz(func(t *testing.T, body string, status int, after string) {
		if status < 400 || status > 999 {
			return
		}
		m := model(t, openai.Options{BaseURL: "http://in.memory/v1", Client: &http.Client{
			Transport: transport(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {after}}, Body: io.NopCloser(bytes.NewReader([]byte(body)))}, nil
			}),
		}})
		msg, err := m.Stream(t.Context(), hello, func(u agent.AssistantUpdate) error { return nil })
		if err != nil || msg.Failure == nil || msg.Failure.Status != status || msg.Failure.RetryAfter < 0 || msg.ErrorMessage == "" || len(msg.ErrorMessage) > 500 {
			t.Errorf("got %q %+v, %v", msg.ErrorMessage, msg.Failure, err)
		}
	})
}
