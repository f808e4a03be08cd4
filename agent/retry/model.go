package retry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringside-hub/ringside/agent"
)

// Retry is an attempt that has failed and is about to be made again.
type Retry struct {
	// Attempt is the one to come, Of how many there are at most: 2 of 5 after
	// the first has failed.
	Attempt, Of int
	// Wait is how long until then.
	Wait time.Duration
	// Reason is the ErrorMessage of the failed attempt.
	Reason  string
	Failure agent.Failure
}

// String says it in words for people, as the text of a notice.
func (r Retry) String() string {
	wait := r.Wait.Round(100 * time.Millisecond)
	return fmt.Sprintf("trying again in %v (attempt %d of %d): %s", wait, r.Attempt, r.Of, r.Reason)
}

type model struct {
	inner   agent.Model // static
	policy  Policy      // static
	onRetry func(Retry) // static
}

// New returns the model m, tried again as the policy says. onRetry, if not nil,
// is called before each wait, in the goroutine that serves the request and before
// Stream returns: an agent's host makes a notice of it there,
//
//	func(r retry.Retry) { a.Notify(agent.Notice{Kind: "retry", Text: r.String()}) }
func New(m agent.Model, p Policy, onRetry func(Retry)) (agent.Model, error) {
	if m == nil {
		return nil, errors.New("retry: the model is nil")
	}
	p, err := p.withDefaults()
	if err != nil {
		return nil, err
	}
	if onRetry == nil {
		onRetry = func(Retry) {}
	}
	return &model{inner: m, policy: p, onRetry: onRetry}, nil
}

func (m *model) Stream(ctx context.Context, req agent.Request, update func(agent.AssistantUpdate) error) (agent.Message, error) {
	for n := 1; ; n++ {
		a := &attempt{update: update}
		msg, err := a.run(ctx, m, req)
		if err != nil || msg.StopReason != agent.StopError || a.streamed {
			return msg, err
		}
		wait, again := m.policy.Next(n, msg.Failure)
		if !again {
			return settled(msg), nil
		}
		m.onRetry(Retry{Attempt: n + 1, Of: m.policy.Attempts, Wait: wait, Reason: msg.ErrorMessage, Failure: *msg.Failure})
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			msg.StopReason, msg.ErrorMessage, msg.Failure = agent.StopAborted, "Request was aborted", nil
			return msg, nil
		}
	}
}

// settled returns the failed message as one that nobody should try again.
func settled(m agent.Message) agent.Message {
	if m.Failure != nil {
		f := *m.Failure
		f.Temporary = false
		m.Failure = &f
	}
	return m
}

var errSilence = errors.New("retry: the model was silent for too long")

// attempt is one request.
type attempt struct {
	update   func(agent.AssistantUpdate) error
	held     bool // an UpdateStart, until content follows: then there is no way back
	streamed bool
}

// run makes the attempt and cuts it when it is silent for too long.
func (a *attempt) run(ctx context.Context, m *model, req agent.Request) (agent.Message, error) {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(m.policy.Silence, func() { cancel(errSilence) })
	defer silence.Stop()
	msg, err := m.inner.Stream(inner, req, func(u agent.AssistantUpdate) error {
		silence.Stop()
		defer silence.Reset(m.policy.Silence)
		return a.pass(u)
	})
	if err == nil && msg.StopReason == agent.StopAborted && ctx.Err() == nil && errors.Is(context.Cause(inner), errSilence) {
		msg.StopReason, msg.Failure = agent.StopError, &agent.Failure{Temporary: true}
		msg.ErrorMessage = fmt.Sprintf("the model was silent for %v", m.policy.Silence)
	}
	return msg, err
}

func (a *attempt) pass(u agent.AssistantUpdate) error {
	if u.Type == agent.UpdateStart && !a.streamed {
		a.held = true
		return nil
	}
	a.streamed = true
	if a.held {
		a.held = false
		if err := a.update(agent.AssistantUpdate{Type: agent.UpdateStart}); err != nil {
			return err
		}
	}
	return a.update(u)
}
