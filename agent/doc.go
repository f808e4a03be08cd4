// Package agent runs agents: a model that answers, tools that it calls, and
// events that tell of everything as it happens. The semantics are those of the
// Pi agent core, event for event.
//
//	a, err := agent.New(agent.Options{Model: model, Tools: []agent.Tool{clock}})
//	…
//	a.Subscribe(func(ctx context.Context, ev agent.Event) error { … })
//	err = a.Prompt(ctx, "What time is it?")
//
// An Agent owns a conversation and does one run at a time; Loop is a single run
// without an agent around it. Model, tools, clock and ids are passed in, and
// nothing is global. Errors that a person or the model should read are messages
// and results; a Go error says that the call itself could not be served.
//
// # Order
//
//  1. Events nest: AgentStart, then turns, then AgentEnd, which is the last
//     event of a run. A turn is TurnStart, the delivered messages, one assistant
//     message, its calls, their result messages, TurnEnd.
//  2. Events have one total order: that in which they change the State. Observe
//     sees exactly this order, each event together with its change, before any
//     listener does, and is never called concurrently.
//  3. Listeners are called in the order of subscription, each when the one before
//     it has returned, and are waited for. So MessageEnd of an assistant message
//     is a barrier: no tool is prepared before all listeners are done with it.
//     Events of different parallel calls do not wait for each other: a listener
//     may be called concurrently for them, and if it holds one call's event it
//     holds up that call only. The events of one call come one after the other.
//  4. ToolExecutionStart comes before look-up, preparing and checking, with the
//     model's arguments as they are, which may be anything. Every start has an
//     end, and a result message after it, unless the run fails (9); unknown
//     tool, bad arguments, blocked, aborted and truncated calls are error
//     results that no tool and no AfterToolCall saw.
//  5. Parallel (the default): starts and preflight in the order of the message,
//     no execution before the last preflight, ends as calls finish, result
//     messages in the order of the message again. Sequential: a call gets start,
//     updates, end and result message before the next one starts.
//  6. onUpdate counts until Execute returns; what was reported until then is
//     delivered before the end, what comes later is ignored.
//  7. ToolExecutionEnd has the result that AfterToolCall made of it.
//
// # Ending
//
//  8. A failed call is not a failed run, and a panic in a tool or a tool hook is
//     that call's error result (and a *PanicError for Report).
//  9. The failure of a listener, of another hook, or of a request before its
//     message started ends the run at once: an assistant message with the stop
//     reason error (aborted after an abort) and the reason, TurnEnd and AgentEnd
//     follow. Calls that are still running are left behind: their context is
//     cancelled and nothing they do is seen any more.
//  10. Abort, and the end of Prompt's context, cancel the context of the run and
//     nothing else. Running calls may still finish; their results count. Calls
//     that have not begun end as "Operation aborted". Then the next request is
//     made, with the cancelled context, and ends the run.
//  11. The agent is idle, and Prompt returns, when the listeners of AgentEnd are
//     done.
//  12. A tool, model, hook or listener that ignores its context holds up its run
//     for as long as it likes, because nothing can stop it. A process that must
//     end calls Shutdown with a time limit: what is still running then is given
//     up, named in a *StuckError, and its cards and run are closed for whoever
//     observes.
//
// # Concurrency and memory
//
//  13. All methods of Agent may be called concurrently, also by tools, hooks and
//     listeners; Prompt and Continue give ErrBusy while there is a run. What must
//     not be called from Observe is said there. No lock is held while anything
//     handed in is called, except for Observe.
//  14. An event, a message or a State is never changed after it was handed out;
//     whoever gets one may keep it and must not change what it points to. The
//     same holds for what tools, hooks and models hand in.
//  15. Every goroutine has an owner that waits for it: the agent (Shutdown) or the
//     Loop (its end).
//  16. Arguments are bounded in size, depth and digits before a schema sees them,
//     streamed answers by MaxAnswer, updates that wait for listeners by blocking
//     the tool. The conversation itself grows until SetMessages or a
//     TransformContext hook cuts it.
package agent
