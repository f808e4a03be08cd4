package agent

import "encoding/json"

const textAborted = "Operation aborted"

// preparedCall has passed preflight.
type preparedCall struct {
	Call
	tool *compiledTool
}

// prepare is a call's preflight: look-up, preparing, checking, asking. It
// returns either how the call has ended, or a call to execute.
func (l *loop) prepare(m Message, c ToolCall) (outcome, *preparedCall) {
	if l.aborted() {
		return failed(c, textAborted), nil
	}
	t := l.cur.Tools.find(c.Name)
	if t == nil {
		return failed(c, "Tool "+c.Name+" not found"), nil
	}
	args, err := l.arguments(t, c)
	if err != nil {
		return failed(c, err.Error()), nil
	}
	p := &preparedCall{Call{Assistant: m, ToolCall: c, Args: args, Context: l.context()}, t}
	if l.opts.Hooks.BeforeToolCall == nil {
		return outcome{}, p
	}
	var v Verdict
	err = guard(l.opts.Report, "BeforeToolCall hook", func() (err error) {
		v, err = l.opts.Hooks.BeforeToolCall(l.ctx, p.Call)
		return err
	})
	switch {
	case err != nil:
		return failed(c, err.Error()), nil
	case l.aborted():
		return failed(c, textAborted), nil
	case v.Block:
		o := failed(c, v.reason())
		o.result.Terminate = v.Terminate
		return o, nil
	}
	return outcome{}, p
}

func (v Verdict) reason() string {
	if v.Reason == "" {
		return "Tool execution was blocked"
	}
	return v.Reason
}

// arguments prepares, converts and checks the arguments of a call.
func (l *loop) arguments(t *compiledTool, c ToolCall) (json.RawMessage, error) {
	raw := c.Arguments
	if t.PrepareArguments != nil {
		// What is no JSON is not for a tool to look at.
		if _, err := decodeArguments(raw); err != nil {
			return nil, argumentError(t.Name, raw, "root: "+err.Error())
		}
		err := guard(l.opts.Report, "PrepareArguments of tool "+t.Name, func() (err error) {
			raw, err = t.PrepareArguments(raw)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return t.schema.check(t.Name, raw)
}

// execute runs the tool and the after-hook. An error is not the tool's, but one
// that ends the run: a listener failed at an update, or the run is over.
func (l *loop) execute(p *preparedCall) (outcome, error) {
	u := newUpdates(l, p.ToolCall)
	began := l.opts.Clock()
	var result ToolResult
	err := guard(l.opts.Report, "tool "+p.ToolCall.Name, func() (err error) {
		result, err = p.tool.Execute(l.ctx, p.ToolCall.ID, p.Args, u.report)
		return err
	})
	took := l.opts.Clock().Sub(began).Milliseconds()
	if err := u.settle(); err != nil {
		return outcome{}, err
	}
	o := outcome{call: p.ToolCall, result: result, durationMs: &took}
	if err != nil {
		o.result, o.isError = failedResult(err), true
	}
	l.after(p, &o)
	return o, nil
}

// after lets the after-hook change the outcome.
func (l *loop) after(p *preparedCall, o *outcome) {
	hook := l.opts.Hooks.AfterToolCall
	if hook == nil {
		return
	}
	c := p.Call
	c.Result, c.IsError = o.result, o.isError
	var change Override
	err := guard(l.opts.Report, "AfterToolCall hook", func() (err error) {
		change, err = hook(l.ctx, c)
		return err
	})
	if err != nil {
		o.result, o.isError = errorResult(err.Error()), true
		return
	}
	change.apply(o)
}

func (c Override) apply(o *outcome) {
	if c.Content != nil {
		o.result.Content = c.Content
		o.result.Output = ""
	}
	if c.Details != nil {
		o.result.Details = c.Details
	}
	if c.Usage != nil {
		o.result.Usage = c.Usage
	}
	if c.Terminate != nil {
		o.result.Terminate = *c.Terminate
	}
	if c.IsError != nil {
		o.isError = *c.IsError
	}
}
