package redistest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// startWithin bounds how long a server may take to answer.
const startWithin = 30 * time.Second

// Server is a redis-server that belongs to one test. Its methods end the test
// when they fail; they are called by one goroutine at a time.
type Server struct {
	t    testing.TB
	dir  string
	addr string
	args []string

	cmd    *exec.Cmd
	paused bool
	done   chan struct{} // closed when cmd has ended
	out    *output
	client client
}

// Option changes how a server is started.
type Option func(*Server)

// AOF makes the server keep what it acknowledged over a kill -9.
func AOF() Option { return Config("appendonly", "yes", "appendfsync", "everysec") }

// Config adds settings, in pairs of name and value.
func Config(pairs ...string) Option {
	return func(s *Server) {
		for i := 0; i+1 < len(pairs); i += 2 {
			s.args = append(s.args, "--"+pairs[i], pairs[i+1])
		}
	}
}

// Start starts a server and waits until it answers.
func Start(t testing.TB, options ...Option) *Server {
	t.Helper()
	s := New(t, options...)
	s.Restart()
	return s
}

// New chooses an address for a server that is not running yet: see Restart.
func New(t testing.TB, options ...Option) *Server {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Fatal("redis-server is missing: the tests run a real one. Install it: `make need`, or apt-get install redis-server")
	}
	s := &Server{t: t, dir: t.TempDir(), addr: freeAddr(t), out: &output{}}
	_, port, _ := net.SplitHostPort(s.addr)
	s.args = []string{
		"--bind", "127.0.0.1", "--port", port, "--dir", s.dir, "--save", "", "--daemonize", "no",
		"--stream-node-max-bytes", "16384", // packs entries better than the default
	}
	for _, o := range options {
		o(s)
	}
	s.client.addr = s.addr
	t.Cleanup(func() {
		s.client.close()
		s.Kill()
	})
	return s
}

func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Addr is host:port; URL is what redis.Open takes.
func (s *Server) Addr() string { return s.addr }

// URL is the server's address as a redis:// URL.
func (s *Server) URL() string { return "redis://" + s.addr }

// PID is the process id of the running server.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Restart starts the server again (killing a running one) and waits until it
// answers. Without AOF it is empty then.
func (s *Server) Restart() {
	s.t.Helper()
	s.Kill()
	cmd := exec.Command("redis-server", s.args...)
	cmd.Stdout, cmd.Stderr = s.out, s.out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		s.t.Fatalf("starting redis-server: %v", err)
	}
	done := make(chan struct{})
	go func() {
		cmd.Wait()
		close(done)
	}()
	s.cmd, s.done, s.paused = cmd, done, false
	s.waitUntilUp()
}

func (s *Server) waitUntilUp() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for {
		_, err := s.client.do("PING")
		if err == nil {
			return
		}
		select {
		case <-poll.C:
		case <-s.done:
			s.t.Fatalf("redis-server has ended:\n%s", s.out)
		case <-ctx.Done():
			s.t.Fatalf("redis-server does not answer: %v\n%s", err, s.out)
		}
	}
}

// Kill kills the server at once, as kill -9 does. A second call does nothing.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	s.cmd.Process.Signal(syscall.SIGKILL)
	<-s.done
	s.cmd = nil
}

// Stop pauses the server: it holds its connections and answers nothing.
func (s *Server) Stop() {
	s.t.Helper()
	s.signal(syscall.SIGSTOP)
	s.paused = true
}

// Cont lets a paused server go on.
func (s *Server) Cont() {
	s.t.Helper()
	s.signal(syscall.SIGCONT)
	s.paused = false
}

// answers says whether the server runs and is not paused.
func (s *Server) answers() bool { return s.cmd != nil && !s.paused }

func (s *Server) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatalf("%v to redis-server: %v", sig, err)
	}
}

// FlushAll empties the server in place.
func (s *Server) FlushAll() { s.Do("FLUSHALL") }

// Do makes one command and returns its reply as text, a list as [a b].
func (s *Server) Do(args ...any) string {
	s.t.Helper()
	v, err := s.client.do(args...)
	if err != nil {
		s.t.Fatalf("redis %.200v: %v", args, err)
	}
	return fmt.Sprint(v)
}

// Info is one number of INFO.
func (s *Server) Info(name string) int64 {
	s.t.Helper()
	for line := range bytes.Lines([]byte(s.Do("INFO"))) {
		if v, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte(name+":")); ok {
			n, err := strconv.ParseInt(string(v), 10, 64)
			if err != nil {
				s.t.Fatalf("INFO %s: %v", name, err)
			}
			return n
		}
	}
	s.t.Fatalf("INFO has no %s", name)
	return 0
}

// RemoveData deletes what the server has on disk; it must not be running.
func (s *Server) RemoveData() {
	s.t.Helper()
	for _, name := range []string{"appendonlydir", "dump.rdb"} {
		if err := os.RemoveAll(filepath.Join(s.dir, name)); err != nil {
			s.t.Fatal(err)
		}
	}
}

// output keeps what a server wrote, for failures.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.buf.Len() > 64<<10 {
		o.buf.Reset()
	}
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// BreakDisk takes the server's directory away and lets it fail to save: from then
// on it refuses to write (MISCONF).
func (s *Server) BreakDisk() {
	s.t.Helper()
	if err := os.RemoveAll(s.dir); err != nil {
		s.t.Fatal(err)
	}
	s.Do("CONFIG", "SET", "save", "3600 1")
	s.client.do("BGSAVE") // its error is the point
	for s.Info("rdb_bgsave_in_progress") != 0 || !bytes.Contains([]byte(s.Do("INFO")), []byte("rdb_last_bgsave_status:err")) {
		time.Sleep(10 * time.Millisecond) // it is told by no other way
	}
}
