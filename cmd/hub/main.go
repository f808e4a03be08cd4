package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/ringside-hub/ringside/tools"
)

// cli is the command line.
type cli struct {
	Serve   serveCmd   `cmd:"" help:"Run a hub: it keeps runs and serves everybody who watches."`
	Publish publishCmd `cmd:"" help:"Relay a Pi session (pi --mode json) to a hub while it happens."`
	Work    workCmd    `cmd:"" help:"Run an agent in a folder of this machine, and publish its run."`
	Watch   watchCmd   `cmd:"" help:"Watch a run in this terminal, or print it for scripts."`
	Runs    runsCmd    `cmd:"" help:"List the runs of a hub."`
	Demo    demoCmd    `cmd:"" help:"Run a hub with agents that work over and over, on scripted models and real tools."`
	Health  healthCmd  `cmd:"" help:"Ask a hub on this machine whether it is ready."`
	Version versionCmd `cmd:"" help:"Say which version this is."`

	ShowVersion kong.VersionFlag `name:"version" help:"Say which version this is."`

	Log logFlags `embed:"" prefix:"log-"`
}

// env is what a command may touch of the world.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        []string
	// supervisor is what the bash tool needs.
	supervisor tools.Supervisor
}

func main() {
	supervisor := tools.Supervise() // does not return in a process that supervises a command
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], env{os.Stdin, os.Stdout, os.Stderr, os.Environ(), supervisor}))
}

// run is the whole program but for the process around it. It returns the exit
// code: 0, 1 for a failure, 2 for a command line that does not work; a command
// may have more (exitCode).
func run(ctx context.Context, args []string, e env) int {
	if len(args) > 0 && args[0] == "help" { // as people type it
		args = append(slices.Clone(args[1:]), "--help")
	}
	var c cli
	exited := -1
	parser, err := kong.New(&c,
		kong.Name("hub"),
		kong.Description("Ringside: watch one AI-agent run together, live."),
		kong.Writers(e.stdout, e.stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(e),
		kong.Vars{"version": "hub " + version(), "addr": defaultAddr, "hub": defaultHub, "tools": strings.Join(tools.Names(), ", ")},
	)
	if err != nil {
		fmt.Fprintln(e.stderr, "hub:", err)
		return 2
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 { // --help
		return exited
	}
	if err != nil {
		fmt.Fprintf(e.stderr, "hub: %v\nhub --help says what it can do.\n", err)
		return 2
	}
	// What a person works with tells what matters by itself.
	level := "info"
	switch name, _, _ := strings.Cut(parsed.Command(), " "); name {
	case "publish", "work", "watch", "runs":
		level = "error"
	}
	logger, err := c.Log.logger(e.stderr, level)
	if err != nil {
		fmt.Fprintln(e.stderr, "hub:", err)
		return 2
	}
	err = parsed.Run(logger)
	if code, ok := errors.AsType[exitCode](err); ok {
		return int(code)
	}
	if err != nil {
		fmt.Fprintln(e.stderr, "hub:", err)
		return 1
	}
	return 0
}
