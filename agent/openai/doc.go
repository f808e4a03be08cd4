// Package openai is an agent.Model over the chat-completions API, as OpenAI and
// many other servers speak it. It uses the official SDK.
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
// Blocks are numbered in the order in which they began. A text or thinking block
// ends where another one begins; calls, which servers write side by side, all
// end at the end of the answer. Every delta is valid UTF-8: what a server cuts in
// the middle of a character waits for the other half.
//
// The server decides which call a delta belongs to by its index. Where that is
// missing or says the same for all, the id decides; where that is missing, too,
// the name does. A call keeps the first id that it was given. A call without any
// id has an empty one: the agent names it.
//
// Stream returns an error only if update did. Whatever else goes wrong is a
// message with agent.StopError, a short ErrorMessage without keys, and a Failure;
// what had been streamed stays in it. It is agent.StopAborted, if ctx has ended.
// Nothing that a server sends makes it panic or grow without bound: an event has
// at most 32 MiB, an answer 64 MiB and 10 000 blocks. How long it takes is not
// bounded here: see retry.Policy.Silence.
//
// # What servers do
//
// The end of an answer is its finish_reason or "data: [DONE]", whichever comes;
// a stream that ends before has been cut. After a finish_reason the server has
// five seconds for the usage and [DONE], and the answer is complete without them.
// Reasoning is read from reasoning_content, reasoning and reasoning_text and goes
// back under the same name. An answer in one piece (JSON instead of a stream) is
// taken as well.
package openai
