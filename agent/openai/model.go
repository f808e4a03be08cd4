package openai

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/openai/openai-go/v3/option"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/internal/provider"
)

var _ agent.Model = (*Model)(nil)

// grace is how long a server may take for what follows a finish_reason.
const grace = 5 * time.Second

var errEnough = errors.New("openai: the answer is complete")

// Stream asks for the answer to the conversation. See the package comment.
func (m *Model) Stream(ctx context.Context, req agent.Request, update func(agent.AssistantUpdate) error) (agent.Message, error) {
	began := time.Now()
	reading, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a := &answer{update: update, enough: func() *time.Timer {
		return time.AfterFunc(grace, func() { cancel(errEnough) })
	}}
	defer a.stopTimer()
	err := m.ask(reading, req, a)
	if err == nil || a.finished && !errors.Is(err, errRefused) {
		err = a.end() // also where the connection broke behind the end
	}
	msg := agent.Message{
		Role: agent.RoleAssistant, Content: a.content(), Usage: a.usage,
		Provider: m.opts.Provider, Model: m.opts.Model,
		DurationMs: new(time.Since(began).Milliseconds()),
	}
	switch {
	case errors.Is(err, errRefused):
		return msg, a.refused
	case err == nil:
		msg.StopReason = a.stopReason()
	case ctx.Err() != nil:
		msg.StopReason, msg.ErrorMessage = agent.StopAborted, "Request was aborted"
	default:
		p := provider.Lost(err)
		msg.StopReason, msg.ErrorMessage, msg.Failure = agent.StopError, agent.ErrorText(p.Text, m.secrets...), p.Failure
	}
	return msg, nil
}

// ask makes the request and reads the answer into a. The error is a problem, an
// error of the connection, or errRefused.
func (m *Model) ask(ctx context.Context, req agent.Request, a *answer) error {
	var res *http.Response
	err := m.client.Post(ctx, "chat/completions", m.params(req), &res, option.WithJSONSet("stream", true))
	if err != nil {
		return err
	}
	conn := res.Body
	defer conn.Close()
	// A client's own transport need not mind the context once it has answered.
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	body := bufio.NewReader(conn)
	switch first, err := provider.FirstByte(body); {
	case err != nil:
		return err
	case first == '{':
		return a.whole(body)
	case first == '<':
		return provider.Broken("the server answered with a page, not with an event stream: is the base URL right?")
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{body, conn}
	return a.stream(res)
}
