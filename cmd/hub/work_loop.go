package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/worker"
)

const (
	// beginTime is how long the first prompt waits to hear whether the run can be
	// had: tools must not do anything for a run that another worker holds.
	beginTime = 2 * time.Second
	// settleTime is how long the run may take to settle when the process is told
	// to stop; killTime is when the process ends in any case.
	settleTime = 4200 * time.Millisecond
	killTime   = 4800 * time.Millisecond
)

// work takes prompts and signals in turn. It is used by one goroutine, but for
// print and say.
type work struct {
	env     env
	ctx     context.Context // not ended by signals
	session *worker.Session
	signals chan os.Signal

	prompts, failed int
	told            bool // to stop
	hurry           bool // the kill timer runs
}

// newWork takes the signals over from ctx.
func newWork(ctx context.Context, e env) *work {
	w := &work{env: e, ctx: context.WithoutCancel(ctx), signals: make(chan os.Signal, 8)}
	signal.Notify(w.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	readInBackground()
	if ctx.Err() != nil {
		w.signals <- syscall.SIGTERM // it came before
	}
	return w
}

func (w *work) close() { signal.Stop(w.signals) }

func (w *work) say(format string, args ...any) {
	fmt.Fprintf(w.env.stderr, "hub work: "+format+"\n", args...)
}

// print shows what the model says.
func (w *work) print(_ context.Context, ev agent.Event) error {
	end, ok := ev.(agent.MessageEnd)
	if !ok || end.Message.Role != agent.RoleAssistant {
		return nil
	}
	if text := strings.TrimSpace(plain(end.Message.Text())); text != "" {
		fmt.Fprintln(w.env.stdout, text)
	}
	return nil
}

// plain is text that cannot command a terminal.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// all works off the prompts, settles the run and reports.
func (w *work) all(prompts <-chan string, drain time.Duration) error {
	err := w.begin()
	for err == nil && !w.told {
		var more bool
		if more, err = w.next(prompts); !more {
			break
		}
	}
	if err == nil && !w.told && w.prompts == 0 {
		err = errors.New("no prompt: give --prompt, or lines on standard input")
	}
	err = errors.Join(explain(err), explain(w.settle(err, drain)))
	s := w.session.Worker().Stats()
	fmt.Fprintf(w.env.stdout, "%d events published (%d merged), %d lost; %d prompts, %d failed\n",
		s.Acked, s.Merged, s.Lost+s.Buffered, w.prompts, w.failed)
	if err == nil && w.failed > 0 {
		err = fmt.Errorf("%d of %d prompts failed", w.failed, w.prompts)
	}
	return err
}

func (w *work) begin() error {
	ctx, cancel := context.WithTimeout(w.ctx, beginTime)
	defer cancel()
	return w.session.Begin(ctx)
}

// next does the next prompt. It returns false when there is none, or when the
// process is to end.
func (w *work) next(prompts <-chan string) (more bool, err error) {
	select {
	case text, more := <-prompts:
		if !more {
			return false, nil
		}
		w.prompts++
		return true, w.prompt(text)
	case <-w.signals:
		w.stop()
		return false, nil
	case <-w.session.Worker().Done():
		return false, w.session.Worker().Err()
	}
}

// prompt does one prompt. The first SIGINT aborts it, anything further ends the
// process.
func (w *work) prompt(text string) error {
	type answer struct {
		last agent.Message
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		last, err := w.session.Prompt(w.ctx, text)
		done <- answer{last, err}
	}()
	aborted := false
	for {
		select {
		case a := <-done:
			w.note(a.last, a.err)
			return w.session.Worker().Err()
		case sig := <-w.signals:
			if sig == os.Interrupt && !aborted {
				aborted = true
				w.say("aborting; once more ends the process")
				w.session.Abort()
				continue
			}
			w.failed++
			w.stop()
			return nil // settle waits for the goroutine
		}
	}
}

// note counts and tells how a prompt ended.
func (w *work) note(last agent.Message, err error) {
	switch {
	case last.StopReason == agent.StopAborted:
		w.say("aborted")
	case last.StopReason == agent.StopError:
		w.say("failed: %s", plain(last.ErrorMessage))
	case err != nil:
		w.say("failed: %v", err)
	default:
		return
	}
	w.failed++
}

// stop notes that the process is to end soon, whatever hangs.
func (w *work) stop() {
	w.told = true
	if !w.hurry {
		w.hurry = true
		time.AfterFunc(killTime, func() { exitNow(w.env) })
	}
}

// settle ends the agent, delivers what is kept, and lets the run go. Without a
// signal there is time for a hub that is away; a signal ends that.
func (w *work) settle(why error, drain time.Duration) error {
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- w.session.Close(ctx) }()
	if why != nil {
		drain = min(drain, settleTime)
	}
	limit := time.NewTimer(drain)
	defer limit.Stop()
	if w.told {
		limit.Reset(settleTime)
	}
	for {
		select {
		case err := <-done:
			if why != nil {
				return nil // it says the same
			}
			return err
		case <-limit.C:
			cancel()
		case <-w.signals:
			if w.told {
				cancel() // no patience left
			}
			w.stop()
			limit.Reset(settleTime)
		}
	}
}
