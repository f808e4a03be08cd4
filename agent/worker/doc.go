// Package worker joins one source of agent events to one run log: it claims the
// run, projects, batches, buffers while the store is away, makes checkpoints,
// sends signs of life, and says that the worker is gone at the end.
//
//	w, err := worker.New(worker.Config{Run: "r1", Owner: "host/1", Store: store, …})
//	w.Publish(t, event) // for every agent event, in order
//	err = w.Close(ctx)  // everything delivered, or an error that says what was lost
//
// Promises:
//
//  1. Events reach the log in the order of Publish, each once, and (epoch, seq)
//     never names two different ones. What is in the log passes view.DecodeEvent.
//
//  2. Nothing is lost silently. While the store is away events wait in a bounded
//     buffer, where only a tool_update may go that a later one replaces whole,
//     and neighbouring deltas are joined; then Publish waits (Config.MaxWait);
//     what is lost after that is counted (Stats.Lost), logged, told to the
//     people who watch, and the error of Close says why. So are whole outputs
//     (Stats.OutputsLost). Streaming text goes first, ends last.
//
//  3. A store that lost events gets them again, from the ring of recent ones or
//     as the worker's view in a new epoch.
//
//  4. A store that is away never ends a worker. Another worker that took the run
//     does: Done is closed and Err wraps runlog.ErrFenced. A worker that a reaper
//     had given up claims its run again and goes on.
//
//  5. A Session is an agent with its worker. The agent is held up by a store that
//     is away for at most 100 ms in all, ends its prompts where people see it, and
//     is stopped when the run is taken or the session closed.
//
// Publish may be called from several goroutines; their order is then the order
// of the calls. All of the store's writing is done by one goroutine (and whole
// outputs by a second one), which Close waits for.
package worker
