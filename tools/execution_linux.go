package tools

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
)

const canSupervise = true

const (
	// startTime is how long a supervisor may take to read its job.
	startTime = 10 * time.Second
	// stopTime is how long a supervisor may take, beyond the grace, to end a
	// command; then it is itself in trouble.
	stopTime = 8 * time.Second
	// drainTime is how long output is waited for when all that the supervisor
	// could kill is dead: who holds it open now cannot be killed.
	drainTime = time.Second
)

// execution runs one command by way of a supervisor.
type execution struct {
	// Static.
	*call
	out   *spool
	mark  string
	limit time.Duration
	job   job

	// Owned by run.
	cmd     *exec.Cmd
	control *os.File
	status  *os.File
	output  *os.File
	printed int64 // how much output was reported
}

// run returns when the command and all that it has started have ended.
func (r *execution) run(ctx context.Context, dir *os.File) (ending, error) {
	if err := r.start(dir); err != nil {
		return ending{}, fmt.Errorf("the command cannot be started: %w", reason(err))
	}
	defer r.status.Close()
	defer r.output.Close()
	var owned sync.WaitGroup
	defer owned.Wait()
	exited, printed := make(chan struct{}), make(chan struct{})
	owned.Go(func() {
		defer close(printed)
		_, _ = io.Copy(r.out, r.output)
	})
	owned.Go(func() {
		defer close(exited)
		_ = r.cmd.Wait()
	})
	r.sendJob()
	r.attend(ctx, exited)
	r.control.Close()
	end, ok := r.readEnding()
	if !ok {
		sweep(r.mark)
	}
	_ = r.output.SetReadDeadline(time.Now().Add(drainTime))
	<-printed
	switch {
	case !ok && ctx.Err() == nil:
		return end, errors.New("the command's supervisor was killed, and the command with it")
	case !ok:
		end = ending{Exit: 128 + int(syscall.SIGKILL), Signal: "SIGKILL"}
	case end.Failed != "":
		return end, fmt.Errorf("the command cannot be started: %s", end.Failed)
	}
	return end, nil
}

// start starts the supervisor. It gets a session of its own, so that no signal for
// this process's group or terminal reaches it, and none of the environment.
func (r *execution) start(dir *os.File) (err error) {
	var theirs [3]*os.File
	ours := [3]**os.File{&r.control, &r.status, &r.output}
	for i := range theirs {
		read, write, err := os.Pipe()
		if err != nil {
			for j := range i {
				theirs[j].Close()
				(*ours[j]).Close()
			}
			return err
		}
		if theirs[i], *ours[i] = write, read; i == 0 {
			theirs[i], *ours[i] = read, write
		}
		defer theirs[i].Close()
	}
	r.cmd = &exec.Cmd{
		Path: r.Supervisor.path, Args: []string{supervisorName}, Env: []string{}, Dir: "/",
		ExtraFiles:  []*os.File{theirs[0], theirs[1], theirs[2], dir},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err = r.cmd.Start(); err != nil {
		for _, f := range ours {
			(*f).Close()
		}
	}
	return err
}

// sendJob hands over the job. Where that fails the supervisor sees no whole job,
// and says so or is dead.
func (r *execution) sendJob() {
	_ = r.control.SetWriteDeadline(time.Now().Add(startTime))
	if err := gob.NewEncoder(r.control).Encode(r.job); err != nil {
		r.control.Close()
	}
}

// attend reports until the supervisor has ended, and asks it to stop the command
// when ctx ends.
func (r *execution) attend(ctx context.Context, exited <-chan struct{}) {
	tick := time.NewTicker(updateEvery)
	defer tick.Stop()
	over := ctx.Done()
	r.progress(phaseRunning)
	var late <-chan time.Time
	for {
		select {
		case <-exited:
			return
		case <-tick.C:
			if _, n := r.out.progress(); n != r.printed {
				r.progress(phaseRunning)
			}
		case <-over:
			over = nil
			_ = r.control.SetWriteDeadline(time.Now().Add(stopTime))
			_, _ = r.control.Write([]byte{orderStop})
			r.progress(phaseStopping)
			timer := time.NewTimer(r.Limits.Grace + stopTime)
			defer timer.Stop()
			late = timer.C
		case <-late:
			late = nil
			_ = r.cmd.Process.Kill()
		}
	}
}

func (r *execution) progress(name string) {
	text, n := r.out.progress()
	r.printed = n
	r.report(text, bashDetails{state: phase(name), Bytes: n})
}

func (r *execution) readEnding() (ending, bool) {
	var end ending
	// The supervisor is gone; but a process that it could not kill must not
	// hold this up.
	_ = r.status.SetReadDeadline(time.Now().Add(drainTime))
	text, err := io.ReadAll(io.LimitReader(r.status, 64<<10))
	if err != nil || jsonv2.Unmarshal(text, &end) != nil {
		return end, false
	}
	return end, true
}
