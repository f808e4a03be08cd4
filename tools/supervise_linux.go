package tools

import (
	"bufio"
	"encoding/gob"
	"errors"
	"math"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"
)

const (
	watchEvery   = 250 * time.Millisecond // how often processes are counted
	killEvery    = 20 * time.Millisecond  // how often what is left is killed again
	settleTime   = 250 * time.Millisecond // for what still runs when the shell has ended, such as a tee
	killTime     = 5 * time.Second        // after which what cannot be killed is given up
	maxFileBytes = 8 << 30                // of a file that a command writes
)

// Supervise makes this process the supervisor of a command if it was started to be
// one, and then does not return; else it returns at once, with what a Workspace
// needs to start one. Call it first in main and, for tests that use the bash
// tool, in TestMain: a supervisor does all that comes before it.
func Supervise() Supervisor {
	if len(os.Args) == 0 || os.Args[0] != supervisorName {
		return Supervisor{self}
	}
	// The shell's parent-death signal belongs to the thread that starts it: the
	// main thread, which lives as long as this process.
	runtime.LockOSThread()
	s := &supervision{}
	end := s.run()
	if text, err := jsonv2.Marshal(end); err == nil {
		_, _ = os.NewFile(statusFD, "status").Write(text)
	}
	// Not os.Exit: there is nothing to wait for.
	syscall.Exit(0)
	return Supervisor{}
}

// supervision runs one command and sees to it that nothing of it is left.
type supervision struct {
	job   job
	shell int

	end     ending
	killing time.Time // since when; zero: it is not
}

// exit is the end of a child, or of a process that has become one.
type exit struct {
	pid    int
	status syscall.WaitStatus
}

func (s *supervision) run() ending {
	// Signals that others send to end the supervisor do not. They are not
	// ignored, since commands would inherit that.
	signal.Notify(make(chan os.Signal, 1), unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGPIPE,
		unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM, unix.SIGXCPU, unix.SIGVTALRM, unix.SIGPROF)
	control := bufio.NewReader(os.NewFile(controlFD, "control"))
	if err := s.prepare(control); err != nil {
		return ending{Failed: reason(err).Error()}
	}
	if err := s.start(); err != nil {
		return ending{Failed: reason(err).Error()}
	}
	// Both end with this process.
	exits, orders := make(chan exit), make(chan bool)
	go reap(exits)
	go obey(control, orders)
	s.attend(exits, orders)
	return s.end
}

// prepare reads the job and makes this process one that orphans come to.
func (s *supervision) prepare(control *bufio.Reader) error {
	if err := keepFiles(); err != nil {
		return err
	}
	// gob reads no further than the job from a reader of this kind.
	if err := gob.NewDecoder(control).Decode(&s.job); err != nil {
		return errors.New("there is no whole job")
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	for _, l := range []struct {
		resource int
		most     uint64
	}{{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_FSIZE, maxFileBytes}, {unix.RLIMIT_CPU, s.job.CPU}} {
		if err := lower(l.resource, l.most); err != nil {
			return err
		}
	}
	// When memory runs out, commands go before the worker. Raising is always
	// allowed; without it things go on.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0)
	return unix.Fchdir(dirFD)
}

// keepFiles keeps the command from inheriting files: the supervisor's own, and
// those that the worker itself has inherited from who knows whom.
func keepFiles() error {
	if unix.CloseRange(controlFD, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	// Linux before 5.11.
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= controlFD {
			syscall.CloseOnExec(fd)
		}
	}
	return nil
}

// lower sets a resource limit, but never above the one there is.
func lower(resource int, most uint64) error {
	var l unix.Rlimit
	if err := unix.Getrlimit(resource, &l); err != nil {
		return err
	}
	l.Cur, l.Max = min(l.Cur, most), min(l.Max, most)
	return unix.Setrlimit(resource, &l)
}

func (s *supervision) start() (err error) {
	s.shell, err = syscall.ForkExec(s.job.Shell, []string{s.job.Shell, "-c", s.job.Command}, &syscall.ProcAttr{
		Env:   s.job.Environ,
		Files: []uintptr{0, outputFD, outputFD},
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: unix.SIGKILL},
	})
	// Output ends when the last process that can print has.
	_ = syscall.Close(outputFD)
	return err
}

// reap takes in the ends of children. When there are none, there are no
// descendants either: all orphans become children.
func reap(exits chan<- exit) {
	defer close(exits)
	for {
		var e exit
		var err error
		e.pid, err = syscall.Wait4(-1, &e.status, 0, nil)
		switch {
		case err == nil:
			exits <- e
		case !errors.Is(err, syscall.EINTR):
			return
		}
	}
}

// obey passes on orders: true to stop with patience, false when the worker is
// gone.
func obey(control *bufio.Reader, orders chan<- bool) {
	for {
		order, err := control.ReadByte()
		if err != nil {
			orders <- false
			return
		}
		if order == orderStop {
			orders <- true
		}
	}
}

// attend returns when no descendant is left, or none that can be killed.
func (s *supervision) attend(exits <-chan exit, orders <-chan bool) {
	watch := time.NewTicker(watchEvery)
	defer watch.Stop()
	var patience <-chan time.Time
	ordered := false
	for {
		select {
		case e, more := <-exits:
			if !more {
				return
			}
			if e.pid == s.shell {
				s.end.Exit, s.end.Signal = outcome(e.status)
				if !ordered {
					patience = time.After(settleTime)
				}
			}
		case patient := <-orders:
			if !patient {
				s.kill(watch)
			} else if !ordered {
				ordered = true
				signalAll(descendants(), unix.SIGTERM)
				patience = time.After(s.job.Grace)
			}
		case <-patience:
			if !ordered && s.killing.IsZero() {
				s.end.Left = len(descendants())
			}
			s.kill(watch)
		case <-watch.C:
			if !s.watch(watch) {
				return
			}
		}
	}
}

// watch kills again what is left, or a command of too many processes. It returns
// false when that is in vain.
func (s *supervision) watch(ticker *time.Ticker) bool {
	if s.killing.IsZero() {
		if n := len(descendants()); n > s.job.Processes {
			s.end.TooMany = n
			s.kill(ticker)
		}
		return true
	}
	if time.Since(s.killing) < killTime {
		killTree()
		return true
	}
	s.end.NotStopped = len(descendants())
	return false
}

// kill kills all there is, and from now on again and again.
func (s *supervision) kill(ticker *time.Ticker) {
	if s.killing.IsZero() {
		s.killing = time.Now()
		ticker.Reset(killEvery)
	}
	killTree()
}

// outcome is how a process ended, as shells say it.
func outcome(status syscall.WaitStatus) (code int, signal string) {
	if status.Signaled() {
		return 128 + int(status.Signal()), unix.SignalName(status.Signal())
	}
	return status.ExitStatus(), ""
}
