package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/retry"
	"github.com/ringside-hub/ringside/agent/scripted"
	"github.com/ringside-hub/ringside/agent/worker"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/tools"
)

const (
	// demoPause lies between two prompts of a run.
	demoPause = 5 * time.Second
	// demoViewBytes keeps the demo's views small: older prompts are forgotten.
	demoViewBytes = 256 << 10
	// demoSettle is how long a run may take to end.
	demoSettle = 4 * time.Second
)

// demoStage is where one run of the demonstration works.
type demoStage struct {
	store  runlog.Store
	logger zerolog.Logger
	env    env
	dir    string // its workspace
	// model answers the prompt of the moment.
	model atomic.Pointer[scripted.Model]
}

// play works off the prompts of a run until ctx ends.
func (s *demoStage) play(ctx context.Context, r demoRun, delay time.Duration) error {
	session, err := s.open(r)
	if err != nil {
		return fmt.Errorf("run %s: %w", r.ID, err)
	}
	for i := 0; err == nil && pause(ctx, delay); i++ {
		n := i % len(r.Prompts)
		if n == 0 {
			// From the beginning, as if nothing had happened.
			err = errors.Join(makeWorkspace(s.dir), session.Agent().SetMessages())
		}
		if err == nil {
			err = s.prompt(ctx, session, &r.Prompts[n])
		}
		delay = demoPause
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), demoSettle)
	defer cancel()
	return errors.Join(err, session.Close(closing))
}

// open makes the workspace and starts the run.
func (s *demoStage) open(r demoRun) (*worker.Session, error) {
	if err := makeWorkspace(s.dir); err != nil {
		return nil, err
	}
	list, err := s.tools(r.Tools)
	if err != nil {
		return nil, err
	}
	cfg := workerConfig(r.ID, s.dir, s.env.environ)
	cfg.Store, cfg.Logger, cfg.TrimViewBytes = s.store, s.logger, demoViewBytes
	cfg.Projector.Source, cfg.Projector.Run.Title, cfg.Projector.Run.Model = "demo", r.Title, "scripted"
	return worker.NewSession(worker.SessionConfig{
		Agent:  agent.Options{Model: agent.ModelFunc(s.answer), Tools: list},
		Worker: cfg,
		// Waits that a person sees.
		Retry: retry.Policy{Base: 3 * time.Second, Rand: func() float64 { return 0.7 }},
	})
}

func (s *demoStage) answer(ctx context.Context, req agent.Request, update func(agent.AssistantUpdate) error) (agent.Message, error) {
	return s.model.Load().Stream(ctx, req, update)
}

// tools makes the tools of a run. Where no shell is, as in the smallest
// containers, its calls fail and the rest goes on.
func (s *demoStage) tools(names []string) ([]agent.Tool, error) {
	w := tools.Workspace{Dir: s.dir, Environ: s.env.environ, Supervisor: s.env.supervisor}
	var list []agent.Tool
	for _, name := range names {
		made, err := tools.New(w, name)
		switch {
		case err == nil:
			list = append(list, made...)
		case name == "bash":
			s.logger.Warn().Err(err).Msg("the demo has no shell: its commands will fail")
		default:
			return nil, err
		}
	}
	return list, nil
}

// prompt works off one prompt; somebody may say something meanwhile.
func (s *demoStage) prompt(ctx context.Context, session *worker.Session, p *demoPrompt) error {
	s.model.Store(scripted.New(p.script))
	if p.Steer != nil {
		timer := time.AfterFunc(p.steerAfter, func() { session.Agent().Steer(agent.UserMessage(p.Steer.Text)) })
		defer timer.Stop()
	}
	_, err := session.Prompt(ctx, p.Prompt)
	return err
}
