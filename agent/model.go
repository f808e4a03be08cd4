package agent

import "context"

// Model answers requests. An implementation serves one request at a time of one
// agent, and concurrent requests of several.
type Model interface {
	// Stream makes one request and returns the final message, which is
	// authoritative over all updates. It calls update for each step, first
	// UpdateStart; updates before that are dropped, and with none at all the
	// message comes in one piece. update returns when the agent's listeners
	// have seen the step. When it returns an error Stream must stop and
	// return; the result does not count then. update is not to be called
	// concurrently, nor after Stream has returned.
	//
	// What went wrong at the provider is best said in the message (StopError
	// or StopAborted and ErrorMessage). An error instead fails the request: if
	// the message had started, it ends with what has been streamed, else the
	// whole run ends.
	//
	// Stream must return soon after ctx is cancelled.
	Stream(ctx context.Context, req Request, update func(AssistantUpdate) error) (Message, error)
}

// ModelFunc is a function that is a Model.
type ModelFunc func(ctx context.Context, req Request, update func(AssistantUpdate) error) (Message, error)

// Stream calls f.
func (f ModelFunc) Stream(ctx context.Context, req Request, update func(AssistantUpdate) error) (Message, error) {
	return f(ctx, req, update)
}

// Request is one request to a model. It must not be changed.
type Request struct {
	System   string
	Messages []Message
	Tools    []Tool
}
