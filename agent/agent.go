package agent

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Agent is a conversation with a model that calls tools: it owns the messages,
// and does one run at a time. Its methods may be called concurrently.
type Agent struct {
	// Static after construction.
	opts    Options
	tracker tracker // owns all goroutines

	// order puts events and changes of the queues in one order. It is held
	// while the observer is called, and taken before mu.
	order sync.Mutex

	// mu is never held across a call of anything that is not ours.
	mu sync.Mutex
	// Guarded by mu.
	system       string
	model        Model
	tools        *Toolset
	messages     []Message // append-only
	listeners    []*subscription
	steering     messageQueue
	followUps    messageQueue
	run          *activeRun // nil when idle
	closed       bool
	streaming    *Message
	draft        Draft // what has come of streaming
	pending      []pendingCall
	errorMessage string
}

// activeRun is the work on one prompt.
type activeRun struct {
	// Static after construction.
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   chan struct{} // closed when the agent is idle again

	part int   // which sink may publish; guarded by Agent.mu
	err  error // for Prompt; written before idle is closed
}

// busy is the refusal of a second prompt. Its text is Pi's.
type busy struct{}

func (busy) Error() string {
	return "Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for completion."
}

// Errors of Agent's methods, and causes of a run's context.
var (
	// ErrBusy refuses what needs an idle agent.
	ErrBusy error = busy{}
	// ErrClosed refuses work after Shutdown.
	ErrClosed = errors.New("agent: it has been shut down")
	// ErrAborted is the cause of a run's context after Abort and Shutdown.
	ErrAborted = errors.New("agent: aborted")
)

// New returns an idle agent. It refuses options that contradict each other and
// tools that cannot work, such as one whose schema does not compile.
func New(o Options) (*Agent, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	tools, err := NewToolset(o.Tools...)
	if err != nil {
		return nil, err
	}
	return &Agent{
		opts: o, system: o.System, model: o.Model, tools: tools, messages: slices.Clone(o.Messages),
		steering: messageQueue{mode: o.SteeringMode}, followUps: messageQueue{mode: o.FollowUpMode},
	}, nil
}

// Prompt does the work that a user message asks for and returns when the agent
// is idle again. What goes wrong with the model, the tools or a listener ends in
// messages and events, not in an error here; the error is ErrBusy, ErrClosed,
// that of a listener which failed also on the events that say so, or
// *StuckError. The end of ctx aborts the run.
func (a *Agent) Prompt(ctx context.Context, text string, images ...Block) error {
	return a.PromptMessages(ctx, UserMessage(text, images...))
}

// PromptMessages is Prompt with any messages.
func (a *Agent) PromptMessages(ctx context.Context, messages ...Message) error {
	if len(messages) == 0 {
		return errors.New("agent: no messages to prompt with")
	}
	r, err := a.begin(ctx, nil)
	if err != nil {
		return err
	}
	return a.await(r, messages, false)
}

// Continue goes on from the conversation as it is, which must end in a user or
// tool-result message (a retry), or else there must be queued messages.
func (a *Agent) Continue(ctx context.Context) error {
	var prompts []Message
	var steered bool
	r, err := a.begin(ctx, func() (err error) {
		prompts, steered, err = a.continuationLocked()
		return err
	})
	if err != nil {
		return err
	}
	a.changeQueues(func() bool { return len(prompts) > 0 })
	return a.await(r, prompts, steered)
}

// continuationLocked returns what a continuation starts with. A conversation
// that ends in an answer goes on with queued messages.
func (a *Agent) continuationLocked() (prompts []Message, steered bool, err error) {
	if len(a.messages) == 0 {
		return nil, false, errors.New("agent: no messages to continue from")
	}
	if a.messages[len(a.messages)-1].Role != RoleAssistant {
		return nil, false, nil
	}
	if prompts = a.steering.take(); len(prompts) > 0 {
		return prompts, true, nil
	}
	if prompts = a.followUps.take(); len(prompts) > 0 {
		return prompts, false, nil
	}
	return nil, false, errors.New("agent: cannot continue after an assistant message")
}

// begin makes the agent busy, if it is idle and check does not object.
func (a *Agent) begin(ctx context.Context, check func() error) (*activeRun, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.closed:
		return nil, ErrClosed
	case a.run != nil:
		return nil, ErrBusy
	}
	if check != nil {
		if err := check(); err != nil {
			return nil, err
		}
	}
	r := &activeRun{idle: make(chan struct{})}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	a.run, a.errorMessage = r, ""
	return r, nil
}

// await runs the loop and returns when the agent is idle. steered says that the
// prompts came from the steering queue, which is then not read again at once.
func (a *Agent) await(r *activeRun, prompts []Message, steered bool) error {
	a.mu.Lock()
	c := Context{System: a.system, Messages: a.messages, Tools: a.tools}
	opts := a.opts
	opts.Model = a.model
	a.mu.Unlock()
	l := newLoop(r.ctx, &opts, c, &runSink{a, r, 0}, &a.tracker)
	l.steering = func() []Message {
		if steered {
			steered = false
			return nil
		}
		return a.take(&a.steering)
	}
	l.followUp = func() []Message { return a.take(&a.followUps) }
	a.tracker.start(task{kind: "run"}, func() {
		err, last := errGone, errGone
		defer func() { a.finish(r, last) }()
		defer func() { last = a.conclude(r, err) }()
		err = l.run(prompts)
	})
	<-r.idle
	return r.err
}

// conclude gives a run that failed an end of its own: an assistant message that
// says why. It returns the error of doing so.
func (a *Agent) conclude(r *activeRun, err error) error {
	if err == nil {
		return nil
	}
	m := Message{
		Role: RoleAssistant, Content: []Block{{Type: BlockText}}, StopReason: StopError,
		ErrorMessage: err.Error(), Timestamp: a.opts.Clock().UnixMilli(),
	}
	if r.ctx.Err() != nil {
		m.StopReason = StopAborted
	}
	s := a.takeOver(r)
	for _, ev := range endingEvents(m) {
		if err := s.publish(ev); err != nil {
			return err
		}
		if err := s.deliver(ev); err != nil {
			return err
		}
	}
	return nil
}

func endingEvents(m Message) []Event {
	return []Event{
		MessageStart{Message: m}, MessageEnd{Message: m},
		TurnEnd{Message: m, ToolResults: []Message{}}, AgentEnd{Messages: []Message{m}},
	}
}

// takeOver cuts off what a run has published through until now.
func (a *Agent) takeOver(r *activeRun) *runSink {
	a.mu.Lock()
	defer a.mu.Unlock()
	r.part++
	return &runSink{a, r, r.part}
}

// finish makes the agent idle. Only the first call for a run counts.
func (a *Agent) finish(r *activeRun, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.run != r {
		return
	}
	a.run, a.streaming, a.draft, a.pending = nil, nil, Draft{}, nil
	r.err = err
	r.cancel(errRunOver) // tells calls that were left behind
	close(r.idle)
}

// Abort cancels the context of the current run, if there is one, and returns at
// once. The run then ends by itself: running calls get the signal, calls that
// have not run end as aborted, and the next request is made with a cancelled
// context.
func (a *Agent) Abort() {
	a.mu.Lock()
	r := a.run
	a.mu.Unlock()
	if r != nil {
		r.cancel(ErrAborted)
	}
}

// WaitForIdle returns when no run is active any more and its listeners are done,
// or with the cause of ctx's end.
func (a *Agent) WaitForIdle(ctx context.Context) error {
	a.mu.Lock()
	r := a.run
	a.mu.Unlock()
	if r == nil {
		return nil
	}
	select {
	case <-r.idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
