package agent

import "fmt"

// outcome is how a call ended.
type outcome struct {
	call    ToolCall
	result  ToolResult
	isError bool
	// durationMs is how long it was executed; nil if it was not.
	durationMs *int64
}

// batch carries out the calls of a message. It returns their results in the
// order of the message, and whether all of them ask to end the run.
func (l *loop) batch(m Message) (results []Message, terminate bool, err error) {
	calls := m.ToolCalls()
	if len(calls) == 0 {
		return []Message{}, false, nil
	}
	var outcomes []outcome
	switch {
	case m.StopReason == StopLength:
		return l.refuseTruncated(calls)
	case l.isSequential(calls):
		results, outcomes, err = l.sequential(m, calls)
	default:
		results, outcomes, err = l.parallel(m, calls)
	}
	if err != nil {
		return nil, false, err
	}
	terminate = true
	for _, o := range outcomes {
		terminate = terminate && o.result.Terminate
	}
	return results, terminate, nil
}

func (l *loop) isSequential(calls []ToolCall) bool {
	if l.opts.Execution == Sequential {
		return true
	}
	for _, c := range calls {
		if t := l.cur.Tools.find(c.Name); t != nil && t.ExecutionMode == Sequential {
			return true
		}
	}
	return false
}

// refuseTruncated fails calls whose arguments may have been cut off.
func (l *loop) refuseTruncated(calls []ToolCall) (results []Message, terminate bool, err error) {
	for _, c := range calls {
		if err := l.emit(l.startOf(c)); err != nil {
			return nil, false, err
		}
		o := failed(c, fmt.Sprintf("Tool call \"%s\" was not executed: the response hit the output token limit, so its arguments may be truncated. Re-issue the tool call with complete arguments.", c.Name))
		if err := l.emit(endOf(o)); err != nil {
			return nil, false, err
		}
		r, err := l.deliverResult(o)
		if err != nil {
			return nil, false, err
		}
		results = append(results, r)
	}
	return results, false, nil
}

func (l *loop) sequential(m Message, calls []ToolCall) (results []Message, outcomes []outcome, err error) {
	for _, c := range calls {
		if err := l.emit(l.startOf(c)); err != nil {
			return nil, nil, err
		}
		o, ready := l.prepare(m, c)
		if ready != nil {
			if o, err = l.execute(ready); err != nil {
				return nil, nil, err
			}
		}
		if err := l.emit(endOf(o)); err != nil {
			return nil, nil, err
		}
		r, err := l.deliverResult(o)
		if err != nil {
			return nil, nil, err
		}
		results, outcomes = append(results, r), append(outcomes, o)
	}
	return results, outcomes, nil
}

func (l *loop) parallel(m Message, calls []ToolCall) (results []Message, outcomes []outcome, err error) {
	outcomes = make([]outcome, len(calls))
	ready := make([]*preparedCall, len(calls))
	for i, c := range calls {
		if err := l.emit(l.startOf(c)); err != nil {
			return nil, nil, err
		}
		outcomes[i], ready[i] = l.prepare(m, c)
		if ready[i] == nil {
			if err := l.emit(endOf(outcomes[i])); err != nil {
				return nil, nil, err
			}
		}
	}
	if err := l.together(ready, outcomes); err != nil {
		return nil, nil, err
	}
	for _, o := range outcomes {
		r, err := l.deliverResult(o)
		if err != nil {
			return nil, nil, err
		}
		results = append(results, r)
	}
	return results, outcomes, nil
}

// together executes all calls that are ready; after an abort they end instead,
// in order. When one of them fails the run, the others are left to themselves:
// the tracker owns them.
func (l *loop) together(ready []*preparedCall, outcomes []outcome) error {
	n := 0
	done := make(chan error, len(ready))
	for i, p := range ready {
		if p == nil {
			continue
		}
		n++
		finish := func() (o outcome, err error) {
			if o, err = l.execute(p); err == nil {
				err = l.emit(endOf(o))
			}
			return o, err
		}
		if l.aborted() {
			o := failed(p.ToolCall, textAborted)
			if err := l.sink.publish(endOf(o)); err != nil {
				return err
			}
			finish = func() (outcome, error) { return o, l.sink.deliver(endOf(o)) }
		}
		l.tracker.start(task{"tool", p.ToolCall.Name, p.ToolCall.ID}, func() {
			err := errGone
			defer func() { done <- err }()
			outcomes[i], err = finish()
		})
	}
	for range n {
		if err := <-done; err != nil {
			return err
		}
	}
	return nil
}

// deliverResult emits the message with the result of a call.
func (l *loop) deliverResult(o outcome) (Message, error) {
	m := toolResultMessage(o.call, o.result, o.isError, l.now())
	return m, l.emitAll(MessageStart{Message: m}, MessageEnd{Message: m})
}

func (l *loop) startOf(c ToolCall) ToolExecutionStart {
	ev := ToolExecutionStart{ToolCallID: c.ID, ToolName: c.Name, Args: c.Arguments}
	if t := l.cur.Tools.find(c.Name); t != nil {
		ev.ToolLabel = t.Label
	}
	return ev
}

func endOf(o outcome) ToolExecutionEnd {
	return ToolExecutionEnd{
		ToolCallID: o.call.ID, ToolName: o.call.Name,
		Result: o.result, IsError: o.isError, DurationMs: o.durationMs,
	}
}

func failed(c ToolCall, text string) outcome {
	return outcome{call: c, result: errorResult(text), isError: true}
}
