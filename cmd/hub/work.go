package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/worker"
	"github.com/ringside-hub/ringside/tools"
)

type workCmd struct {
	modelFlags
	Workspace string   `help:"Folder that the tools work in." type:"existingdir" default:"." placeholder:"DIR" env:"RINGSIDE_WORKSPACE"`
	Tools     []string `help:"Tools that the model may use, of ${tools}; bash is as free as you are. none: no tools." default:"scan,ls,read,grep" placeholder:"NAME,…" env:"RINGSIDE_TOOLS"`
	Prompt    string   `help:"First prompt. Further ones are read from standard input, one a line." short:"p" placeholder:"TEXT"`
	System    string   `help:"System prompt, in place of a short one that explains the workspace." placeholder:"TEXT"`

	runFlags
}

const defaultSystem = "You are a careful assistant who works in one folder, the workspace, with the tools you are given. " +
	"Paths are relative to the workspace. Look before you answer; call tools together where they do not depend on each other. " +
	"When a call fails, read why and try something else. Say at the end what you found or did, in a few sentences. " +
	"Several people watch you work."

// Run works until the prompts are done or it is told to stop. It fails if a
// prompt did, if something was lost, or if the run could not be had.
func (c *workCmd) Run(ctx context.Context, e env, logger zerolog.Logger) error {
	if err := hideSecrets(); err != nil {
		return err
	}
	w := newWork(ctx, e)
	defer w.close()
	if err := c.name(); err != nil {
		return err
	}
	model, named, err := c.modelFlags.open(e.environ)
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(c.Workspace)
	if err != nil {
		return fmt.Errorf("--workspace: %w", err)
	}
	list, err := c.tools(dir, e)
	if err != nil {
		return err
	}
	store, what, err := c.target(w.ctx, logger)
	if err != nil {
		return err
	}
	defer store.Close()
	cfg := c.config(store, logger, dir, e.environ)
	cfg.Projector.Source = "ringside"
	cfg.Projector.Run.Model, cfg.Projector.Run.Cwd = named, dir
	w.session, err = worker.NewSession(worker.SessionConfig{
		Agent:  agent.Options{Model: model, System: cmp.Or(c.System, defaultSystem), Tools: list},
		Worker: cfg,
	})
	if err != nil {
		return err
	}
	w.session.Agent().Subscribe(w.print)
	fmt.Fprintln(e.stdout, c.link())
	stop := tellAway(w.session.Worker(), what, w.say)
	defer stop()
	return w.all(readPrompts(c.Prompt, e.stdin, w.say), c.Drain)
}

// tools makes the tools that were asked for.
func (c *workCmd) tools(dir string, e env) ([]agent.Tool, error) {
	if len(c.Tools) == 1 && c.Tools[0] == "none" {
		return nil, nil
	}
	list, err := tools.New(tools.Workspace{Dir: dir, Environ: e.environ, Supervisor: e.supervisor}, c.Tools...)
	if err != nil {
		return nil, fmt.Errorf("--tools: %w", err)
	}
	return list, nil
}

// exitNow ends the process when nothing else does.
func exitNow(e env) {
	fmt.Fprintln(e.stderr, "hub work: did not stop in time: killed")
	os.Exit(1)
}
