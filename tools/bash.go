package tools

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/ringside-hub/ringside/agent"
)

const (
	maxCommand     = 64 << 10 // bytes
	defaultTimeout = 120 * time.Second
)

type bashArgs struct {
	Command string  `json:"command"`
	Timeout float64 `json:"timeout"`
}

type bashDetails struct {
	state
	ExitCode   *int   `json:"exitCode,omitempty"` // 128 + its number for a signal, as shells say it
	Signal     string `json:"signal,omitzero"`
	TimedOut   bool   `json:"timedOut,omitzero"`
	Aborted    bool   `json:"aborted,omitzero"`
	Bytes      int64  `json:"bytes"` // of output
	Left       int    `json:"leftRunning,omitzero"`
	NotStopped int    `json:"notStopped,omitzero"`
	DurationMs int64  `json:"durationMs,omitzero"`
}

// ending is how a command ended, as its supervisor tells.
type ending struct {
	Exit       int    `json:"exit"`
	Signal     string `json:"signal,omitzero"`
	Left       int    `json:"left,omitzero"`       // processes that ran on when the shell had ended
	NotStopped int    `json:"notStopped,omitzero"` // processes that could not be killed
	TooMany    int    `json:"tooMany,omitzero"`    // processes, for which the command was killed
	Failed     string `json:"failed,omitzero"`     // why it was not started
}

var errTimeout = errors.New("it took too long")

func bashTool(b *toolbox) (agent.Tool, error) {
	if !canSupervise {
		return agent.Tool{}, errors.New("it needs Linux")
	}
	if b.Supervisor.path == "" {
		return agent.Tool{}, errors.New("it needs a supervisor: let main begin with Supervise, and set Workspace.Supervisor to what that returns")
	}
	if b.Shell == "" {
		b.Shell = "/bin/sh"
		if _, err := os.Stat("/bin/bash"); err == nil {
			b.Shell = "/bin/bash"
		}
	}
	if _, err := os.Stat(b.Shell); err != nil {
		return agent.Tool{}, fmt.Errorf("Workspace.Shell: %w", err)
	}
	// The command's own time is less: it says better what was too long.
	return define(b, "bash", "Run command", b.Limits.CommandTime+time.Minute, (*call).bash)
}

func (c *call) bash(args bashArgs) (agent.ToolResult, error) {
	switch {
	case strings.TrimSpace(args.Command) == "":
		return agent.ToolResult{}, errors.New("command: it is empty")
	case len(args.Command) > maxCommand:
		return agent.ToolResult{}, fmt.Errorf("command: it has %d bytes, at most %d are accepted", len(args.Command), maxCommand)
	case strings.ContainsRune(args.Command, 0):
		return agent.ToolResult{}, errors.New("command: it has a NUL character in it")
	}
	limit := defaultTimeout
	if args.Timeout >= 1 {
		limit = time.Duration(min(args.Timeout, 86400)) * time.Second
	}
	limit = min(limit, c.Limits.CommandTime)
	root, err := c.open()
	if err != nil {
		return agent.ToolResult{}, err
	}
	defer root.Close()
	dir, err := root.Open(".")
	if err != nil {
		return agent.ToolResult{}, fmt.Errorf("the workspace cannot be opened: %w", reason(err))
	}
	defer dir.Close()
	out, err := newSpool(c.Limits.OutputBytes, c.Limits.ResultBytes)
	if err != nil {
		return agent.ToolResult{}, fmt.Errorf("there is no place for the output: %w", reason(err))
	}
	defer out.close()
	mark := rand.Text()
	r := &execution{call: c, out: out, mark: mark, limit: limit, job: job{
		Shell: c.Shell, Command: args.Command, Environ: c.environ(mark), Grace: c.Limits.Grace,
		Processes: c.Limits.Processes, CPU: cpuSeconds(limit),
	}}
	c.report("", bashDetails{state: phase(phaseStarting)})
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(c.ctx, limit, errTimeout)
	defer cancel()
	end, err := r.run(ctx, dir)
	if err != nil {
		return agent.ToolResult{}, err
	}
	return r.result(ctx, end, time.Since(began))
}

// result tells how the command ended and shows the end of what it printed.
func (r *execution) result(ctx context.Context, end ending, took time.Duration) (agent.ToolResult, error) {
	text, left := r.out.last(r.Limits.ResultBytes)
	d := bashDetails{state: phase(phaseDone), Bytes: r.out.n, ExitCode: new(end.Exit), Signal: end.Signal,
		Left: end.Left, NotStopped: end.NotStopped, DurationMs: took.Milliseconds()}
	var failure error
	switch {
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), errTimeout):
		d.TimedOut = true
		failure = fmt.Errorf("stopped after %v", r.limit)
	case ctx.Err() != nil:
		d.Aborted = true
		failure = endedBy(ctx)
	case end.TooMany > 0:
		failure = fmt.Errorf("killed: it had %d processes, at most %d are accepted", end.TooMany, r.Limits.Processes)
	case end.Signal != "":
		failure = fmt.Errorf("ended by signal %s", end.Signal)
	case end.Exit != 0:
		failure = fmt.Errorf("exit code %d", end.Exit)
	}
	var b strings.Builder
	if failure != nil {
		// First, because a card shows the first line of an error.
		fmt.Fprintf(&b, "[%v]\n", failure)
	}
	if left > 0 {
		fmt.Fprintf(&b, "[the first %d bytes of the output are not shown]\n", left)
	}
	b.WriteString(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
	if text == "" && failure == nil {
		b.WriteString("(no output)\n")
	}
	if end.Left > 0 {
		fmt.Fprintf(&b, "[%s that it had left running stopped]\n", plural(end.Left, "process was", "processes were"))
	}
	result := textResult(b.String(), d)
	if left > 0 {
		result.Output = r.out.whole()
	}
	if failure != nil {
		return agent.ToolResult{}, &agent.ToolError{Result: result, Err: failure}
	}
	return result, nil
}
