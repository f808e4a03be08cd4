package anthropic

import (
	"errors"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/internal/provider"
)

const (
	maxAnswer = 64 << 20 // bytes of text, arguments and signatures
	maxBlocks = 10_000
)

// errRefused is the way out when update has returned an error.
var errRefused = errors.New("anthropic: the update was refused")

// answer makes updates of events. It is owned by the goroutine in Stream.
type answer struct {
	update  func(agent.AssistantUpdate) error
	refused error // of update
	started bool
	size    int

	blocks  []*block         // by content index
	byIndex map[int64]*block // the server's index
	calls   int

	reason   sdk.StopReason
	details  sdk.RefusalStopDetails
	finished bool               // a stop_reason came
	stopped  bool               // message_stop came, or the answer was in one piece
	enough   func() *time.Timer // starts the timer that ends the reading
	timer    *time.Timer
	usage    *agent.Usage
}

// event takes one event of the stream.
func (a *answer) event(e sdk.MessageStreamEventUnion) error {
	switch e.Type {
	case "message_start":
		return a.begin(e.Message.Usage)
	case "content_block_start":
		return a.blockStart(e.Index, e.ContentBlock)
	case "content_block_delta":
		return a.blockDelta(e.Index, e.Delta)
	case "content_block_stop":
		return a.blockStop(e.Index)
	case "message_delta":
		a.count(e.Usage.InputTokens, e.Usage.OutputTokens, e.Usage.CacheReadInputTokens, e.Usage.CacheCreationInputTokens)
		a.stop(e.Delta.StopReason, e.Delta.StopDetails)
	case "message_stop":
		a.stopped = true
	}
	return nil // there may be more kinds of events some day
}

// begin starts the message, once.
func (a *answer) begin(u sdk.Usage) error {
	a.count(u.InputTokens, u.OutputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens)
	if a.started {
		return nil
	}
	a.started = true
	return a.send(agent.AssistantUpdate{Type: agent.UpdateStart})
}

// count takes totals; those that are left out keep what they were.
func (a *answer) count(in, out, cacheRead, cacheWrite int64) {
	if in <= 0 && out <= 0 && cacheRead <= 0 && cacheWrite <= 0 {
		return
	}
	if a.usage == nil {
		a.usage = &agent.Usage{}
	}
	u := a.usage
	set := func(to *int64, n int64) {
		if n > 0 {
			*to = min(n, 1<<50) // so that the sum does not overflow
		}
	}
	set(&u.Input, in)
	set(&u.Output, out)
	set(&u.CacheRead, cacheRead)
	set(&u.CacheWrite, cacheWrite)
	u.Total = u.Input + u.Output + u.CacheRead + u.CacheWrite
}

// stop takes the reason why the answer ends. What follows is bounded in time.
func (a *answer) stop(reason sdk.StopReason, details sdk.RefusalStopDetails) {
	if reason == "" {
		return
	}
	a.reason, a.details, a.finished = reason, details, true
	if a.timer == nil {
		a.timer = a.enough()
	}
}

// end closes what is still open, and says whether the answer is one.
func (a *answer) end() error {
	for _, b := range a.blocks {
		if err := a.close(b); err != nil {
			return err
		}
	}
	if a.reason == sdk.StopReasonRefusal {
		text := "the model refused to answer"
		if why := a.details.Explanation; why != "" {
			text += ": " + why
		}
		return provider.Broken("%s", text)
	}
	return nil
}

func (a *answer) stopReason() agent.StopReason {
	switch {
	case a.reason == sdk.StopReasonMaxTokens, a.reason == sdk.StopReasonModelContextWindowExceeded:
		return agent.StopLength
	case a.calls > 0:
		return agent.StopToolUse
	}
	return agent.StopStop
}

func (a *answer) content() []agent.Block {
	content := make([]agent.Block, len(a.blocks))
	for i, b := range a.blocks {
		content[i] = b.content()
	}
	return content
}

func (a *answer) send(u agent.AssistantUpdate) error {
	if err := a.update(u); err != nil {
		a.refused = err
		return errRefused
	}
	return nil
}

func (a *answer) stopTimer() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

// clean makes valid UTF-8 that does not keep the whole event alive.
func clean(s string) string { return strings.ToValidUTF8(strings.Clone(s), "\uFFFD") }
