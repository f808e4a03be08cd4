// Package anthropic is an agent.Model over Anthropic's Messages API. It uses the
// official SDK.
//
// # What it promises
//
// A Model may be used by any number of goroutines; each request is its own. It
// has no goroutine of its own while no request is under way, reads nothing from
// the environment, and makes one HTTP request per Stream: who wants to try again
// wraps it with package agent/retry.
//
// Updates come in the order in which the server sent what is in them. The first
// is agent.UpdateStart, before anything else and only when an answer begins.
// Blocks are numbered in the order in which they began, and may be written side
// by side; each ends where the server ends it, or else at the end of the answer.
// Every delta is valid UTF-8.
//
// Thinking keeps its signature (agent.Block.Signature), redacted thinking has
// nothing else; both go back unchanged to the model that they come from, and to
// no other. Blocks that this package did not ask for, such as those of tools that
// run at the server, are left out.
//
// Stream returns an error only if update did. Whatever else goes wrong is a
// message with agent.StopError, a short ErrorMessage without keys, and a Failure;
// what had been streamed stays in it. It is agent.StopAborted, if ctx has ended.
// Nothing that a server sends makes it panic or grow without bound: an event has
// at most 32 MiB, an answer 64 MiB and 10 000 blocks. How long it takes is not
// bounded here: see retry.Policy.Silence.
//
// The end of an answer is message_stop; a stream that ends without it and without
// a stop_reason has been cut. After a stop_reason the server has five seconds for
// the rest. An answer in one piece (JSON instead of a stream) is taken as well.
package anthropic
