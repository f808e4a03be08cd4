package main

import (
	"context"
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
// code: 0, 1 for a failure, 2 for a command line that does not work.
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
	// Workers tell a person what matters by themselves.
	level := "info"
	if name, _, _ := strings.Cut(parsed.Command(), " "); name == "publish" || name == "work" {
		level = "error"
	}
	logger, err := c.Log.logger(e.stderr, level)
	if err != nil {
		fmt.Fprintln(e.stderr, "hub:", err)
		return 2
	}
	if err := parsed.Run(logger); err != nil {
		fmt.Fprintln(e.stderr, "hub:", err)
		return 1
	}
	return 0
}
