package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/retry"
)

// SessionConfig says what a Session runs and where it is published.
type SessionConfig struct {
	// Agent is what the agent is made of. Its Observe, if there is one, sees each
	// event after the worker has it; its Report sees what the worker has logged.
	Agent agent.Options
	// Worker says where the run goes. MaxWait is 100 ms here unless it is set: an
	// agent is rather shown with gaps than held up.
	Worker Config
	// Retry says how requests to the model are tried again: within a request, and
	// by a new one after an answer that was cut off in the middle.
	Retry retry.Policy
}

const (
	// sessionWait is SessionConfig's default of Config.MaxWait.
	sessionWait = 100 * time.Millisecond
	// stopTime is how long Close waits for the agent, within its context. A
	// command that is asked to end has 2 s before it is killed.
	stopTime = 3 * time.Second
)

// Session is an agent whose run people watch: everything that it does goes to a
// worker, in the agent's own order. It ends its prompts (agent_idle), tries
// failed requests again where people can see it, and stops the agent when
// another worker takes the run. All methods may be called concurrently.
type Session struct {
	// Static after construction.
	agent   *agent.Agent
	worker  *Worker
	policy  retry.Policy
	observe func(agent.Event)
	// ctx ends with Close and with the worker; its cause says which.
	ctx    context.Context
	cancel context.CancelCauseFunc
	// watched is closed when watch is out.
	watched chan struct{}

	// prompting has one slot, held by Prompt.
	prompting chan struct{}

	mu sync.Mutex
	// Guarded by mu.
	abort context.CancelCauseFunc // of the prompt; nil when idle
	tries
}

// NewSession starts a worker for the run and returns an idle agent in it. The
// caller must Close it.
func NewSession(cfg SessionConfig) (*Session, error) {
	s := &Session{
		policy: cfg.Retry, observe: cfg.Agent.Observe,
		watched: make(chan struct{}), prompting: make(chan struct{}, 1),
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	log := cfg.Worker.Logger.With().Str("run", cfg.Worker.Run).Logger()
	options, report := cfg.Agent, cfg.Agent.Report
	options.Observe = s.see
	options.Report = func(err error) {
		log.Error().Err(err).Msg("the agent survived a mistake of the program")
		if report != nil {
			report(err)
		}
	}
	var err error
	if options.Model, err = retry.New(options.Model, cfg.Retry, s.tellRetry); err != nil {
		return nil, err
	}
	if s.agent, err = agent.New(options); err != nil {
		return nil, err
	}
	if cfg.Worker.MaxWait == 0 {
		cfg.Worker.MaxWait = sessionWait
	}
	if s.worker, err = New(cfg.Worker); err != nil {
		return nil, err
	}
	go s.watch()
	return s, nil
}

// Agent is the agent, to subscribe, steer, and look at. Its prompts are made with
// Session.Prompt.
func (s *Session) Agent() *agent.Agent { return s.agent }

// Worker is the worker, for its figures and its end.
func (s *Session) Worker() *Worker { return s.worker }

// Begin waits until it is known whether the run can be had: nil when it is
// claimed, and also when the store is away, because an agent does not wait for
// that; else why the worker has ended (a *runlog.HeldError if another worker
// holds the run).
func (s *Session) Begin(ctx context.Context) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-s.worker.claimed:
			return nil
		case <-s.worker.done:
			return s.ended()
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if !s.worker.Stats().AwaySince.IsZero() {
				return nil
			}
		}
	}
}

// Prompt does the work that a user message asks for and returns when the agent is
// idle again and the run shows it. The message is the agent's last: what went
// wrong with the model is said there (StopError, StopAborted). The error is that
// of agent.Agent.Prompt, or says why the worker has ended.
func (s *Session) Prompt(ctx context.Context, text string, images ...agent.Block) (agent.Message, error) {
	select {
	case s.prompting <- struct{}{}:
	default:
		return agent.Message{}, agent.ErrBusy
	}
	defer func() { <-s.prompting }()
	if err := s.ended(); err != nil {
		return agent.Message{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })()
	s.begin(cancel)
	err := s.agent.Prompt(ctx, text, images...)
	for err == nil && s.again(ctx) {
		err = s.agent.Continue(ctx)
	}
	last := s.end()
	if errors.Is(err, agent.ErrBusy) || errors.Is(err, agent.ErrClosed) {
		return last, err
	}
	if ctx.Err() != nil && last.StopReason == agent.StopError {
		last.StopReason = agent.StopAborted // while it waited to try again
	}
	s.worker.Publish(time.Now().UnixMilli(), agent.Settled{Aborted: last.StopReason == agent.StopAborted})
	return last, err
}

// Abort cancels the current prompt, if there is one, and returns at once.
func (s *Session) Abort() {
	s.mu.Lock()
	abort := s.abort
	s.mu.Unlock()
	if abort != nil {
		abort(agent.ErrAborted)
	}
}

// Close aborts what runs, waits for it, at most 3 s, and closes the worker: the
// ends of open calls, agent_idle and worker gone are delivered. It returns what
// Worker.Close and agent.Agent.Shutdown do.
func (s *Session) Close(ctx context.Context) error {
	s.cancel(agent.ErrAborted)
	limited, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	stuck := s.agent.Shutdown(limited)
	// Nothing holds a prompt up any more; it has still to say that it ended.
	s.prompting <- struct{}{}
	defer func() { <-s.prompting }()
	err := s.worker.Close(ctx)
	<-s.watched
	return errors.Join(err, stuck)
}

// watch stops the agent when its worker ends.
func (s *Session) watch() {
	defer close(s.watched)
	<-s.worker.Done()
	s.cancel(s.worker.Err())
}

// ended says why the session takes no prompts any more.
func (s *Session) ended() error {
	select {
	case <-s.worker.Done():
		if err := s.worker.Err(); err != nil {
			return err
		}
		return agent.ErrClosed
	default:
	}
	if s.ctx.Err() != nil {
		return agent.ErrClosed
	}
	return nil
}

// see takes the agent's events, in their order.
func (s *Session) see(ev agent.Event) {
	ev = s.note(ev)
	s.worker.Publish(time.Now().UnixMilli(), ev)
	if s.observe != nil {
		s.observe(ev)
	}
}
