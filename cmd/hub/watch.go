package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	xterm "github.com/charmbracelet/x/term"
	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/cmd/hub/internal/term"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

// hubFlags say which hub to ask, and as whom.
type hubFlags struct {
	Hub       string `help:"Address of the hub." default:"${hub}" placeholder:"URL" env:"RINGSIDE_HUB"`
	Token     string `help:"Token for a hub that wants one; better in the environment or a file, since others on this machine can read a command line." placeholder:"TOKEN" env:"RINGSIDE_TOKEN"`
	TokenFile string `help:"File with the token." placeholder:"FILE" env:"RINGSIDE_TOKEN_FILE"`
	Name      string `help:"Your name, as others see it; that of your account unless given." placeholder:"NAME" env:"RINGSIDE_NAME"`
}

// maxToken bounds a file that is said to hold a token.
const maxToken = 16 << 10

// client says who connects.
func (f hubFlags) client(e env, logger zerolog.Logger) (wire.ClientConfig, error) {
	c := wire.ClientConfig{Token: f.Token, Program: nameOf("hub " + version()), Logger: logger}
	c.Name = nameOf(cmp.Or(f.Name, lookup(e.environ, "USER"), lookup(e.environ, "USERNAME")))
	if f.TokenFile == "" {
		return c, nil
	}
	file, err := os.ReadFile(f.TokenFile)
	if err != nil {
		return c, fmt.Errorf("--token-file: %w", err)
	}
	if len(file) > maxToken {
		return c, fmt.Errorf("--token-file %s: %d bytes are no token", f.TokenFile, len(file))
	}
	c.Token = strings.TrimSpace(string(file))
	return c, nil
}

// nameOf is what the protocol takes as a name.
func nameOf(s string) string {
	runes := []rune(strings.TrimSpace(term.Safe(s)))
	return string(runes[:min(len(runes), 80)])
}

// lookup finds a variable of the environment.
func lookup(environ []string, name string) string {
	for _, v := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

type watchCmd struct {
	ID string `arg:"" optional:"" name:"run" help:"The run to watch; without one you choose from a list."`

	hubFlags

	JSON      bool `help:"Print the hub's messages as JSON, one a line, as they come." name:"json" xor:"mode"`
	Plain     bool `help:"Print a line for each thing that begins or ends; so it is where standard output is no terminal." xor:"mode"`
	UntilIdle bool `help:"End when the run is over: exit code 0 finished, 3 failed, 4 aborted, 5 the worker was lost or left before that, 130 you left before that."`
	Wait      bool `help:"Wait for a run that does not exist yet; so it is on a terminal."`
	NoColor   bool `help:"No colours; so it is with NO_COLOR in the environment."`
}

// Run watches until the person, or the run with --until-idle, has had enough. A
// connection that breaks is no end.
func (c *watchCmd) Run(ctx context.Context, e env, logger zerolog.Logger) error {
	screen := !c.JSON && !c.Plain && interactive(e)
	if screen {
		logger = zerolog.Nop() // it would write across the screen
	}
	client, err := c.client(e, logger)
	if err != nil {
		return err
	}
	if c.ID != "" {
		if err := runlog.CheckRunID(c.ID); err != nil {
			return fmt.Errorf("%q: %w", c.ID, err)
		}
	}
	switch {
	case screen:
		return c.screens(ctx, e, client)
	case c.ID == "":
		return errors.New("which run? hub runs lists them (on a terminal, hub watch lets you choose)")
	case c.JSON:
		return c.json(ctx, e, client)
	}
	return c.lines(ctx, e, client)
}

func (c *watchCmd) observer(run string, client wire.ClientConfig) (*wire.Observer, error) {
	o, err := wire.NewObserver(wire.ObserverConfig{Address: c.Hub, Run: run, Client: client})
	if err != nil {
		return nil, fmt.Errorf("--hub: %w", err)
	}
	return o, nil
}

// interactive says that somebody sits in front of a terminal that can do more
// than lines.
func interactive(e env) bool {
	return isTerminal(e.stdin) && isTerminal(e.stdout) && lookup(e.environ, "TERM") != "dumb"
}

func isTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && xterm.IsTerminal(f.Fd())
}

// exitCode is how a command ends that has more to say than 0 or 1. It is not
// printed.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// over ends the watching of a run that is over, as --until-idle wants it.
func (c *watchCmd) over(o *wire.Observer) (error, bool) {
	if !c.UntilIdle || !o.Synced() {
		return nil, false
	}
	code, over := term.Over(o.View())
	switch {
	case !over:
		return nil, false
	case code == 0:
		return nil, true
	}
	return exitCode(code), true
}

// left is how a command ends that was told to: with --until-idle nobody may take
// that for a run that finished.
func (c *watchCmd) left() error {
	if c.UntilIdle {
		return exitCode(term.ExitLeft)
	}
	return nil
}
