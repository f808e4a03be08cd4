package worker

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/retry"
)

// tries is what a session knows of its prompt for trying again.
type tries struct {
	last    agent.Message // the last assistant message
	attempt int           // of the current answer; 1 is the first
	wait    time.Duration // before the next
	retry   bool          // there is a next one: the last AgentEnd said so
}

// begin resets what is known for a new prompt.
func (s *Session) begin(abort context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abort, s.tries = abort, tries{attempt: 1}
}

// end returns the prompt's last message.
func (s *Session) end() agent.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abort = nil
	return s.last
}

// note follows the answers of the model, and adds to an AgentEnd that the
// session is going to try again.
func (s *Session) note(ev agent.Event) agent.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := ev.(type) {
	case agent.MessageEnd:
		if e.Message.Role != agent.RoleAssistant {
			break
		}
		s.last = e.Message
		if e.Message.StopReason != agent.StopError {
			s.attempt = 1
		}
	case agent.AgentEnd:
		if s.retry = false; retry.Broken(s.last) && s.ctx.Err() == nil {
			s.wait, s.retry = s.policy.Next(s.attempt, s.last.Failure)
			s.attempt++
		}
		e.WillRetry = s.retry
		return e
	}
	return ev
}

// again prepares the agent to answer once more after an answer that was cut off.
// It waits, and returns false if there is nothing to try or ctx ended.
func (s *Session) again(ctx context.Context) bool {
	s.mu.Lock()
	wait, will, last := s.wait, s.retry, s.last
	s.mu.Unlock()
	if !will {
		return false
	}
	s.agent.Notify(agent.Notice{Kind: "retry", Text: fmt.Sprintf(
		"the answer broke off; trying again in %v: %s", wait.Round(100*time.Millisecond), last.ErrorMessage)})
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return false
	}
	// The broken answer stays to be seen, but the model is not shown it.
	messages := s.agent.State().Messages
	if n := len(messages); n > 0 && messages[n-1].Role == agent.RoleAssistant {
		messages = slices.Clone(messages[:n-1])
	}
	return s.agent.SetMessages(messages...) == nil
}

// tellRetry shows that a request is made again.
func (s *Session) tellRetry(r retry.Retry) {
	s.agent.Notify(agent.Notice{Kind: "retry", Text: r.String()})
}
