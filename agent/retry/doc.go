// Package retry tries requests to a model again. It is the one place where this
// is decided; a model stream makes one attempt and says how it failed
// (agent.Message.Failure).
//
// # What is tried again, and by whom
//
// Inside a request: New wraps a model. An attempt that fails temporarily, before
// it has streamed any content, is made again after a wait, and nobody but OnRetry
// sees it: the agent gets one answer. Attempts are bounded.
//
// After content has been streamed that cannot be taken back: the failed message
// is shown, and ends its run. The host may then drop it from the conversation and
// let the agent continue. Broken says whether that is worth while, Policy.Next
// how long to wait; a host that does so says it with agent.AgentEnd.WillRetry.
// The two never multiply: when the attempts of a request are used up, its failure
// is no longer Temporary, so that Broken is false.
//
// # Waiting
//
// The wait before attempt n+1 is random between 0 and Base·2^(n-1), at most Max
// (full jitter: many workers that were turned away together do not come back
// together). A provider that asks to wait (Retry-After) is given at least that
// long, with up to Base on top; if it asks for more than MaxAsked, there is no
// further attempt. The end of the context ends a wait at once, as an aborted
// message.
//
// # Concurrency
//
// A wrapped model may be used as concurrently as the model in it. It has no
// goroutine of its own.
package retry
