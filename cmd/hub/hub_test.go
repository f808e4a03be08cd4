package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/tools"
)

// These tests run the real program in processes of its own: this test binary
// becomes hub when it is told to.
func TestMain(m *testing.M) {
	_ = tools.Supervise() // a supervisor of a command is this binary, too
	if os.Getenv("RINGSIDE_TEST_AS_HUB") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// asHub is the environment in which this binary becomes hub. The race detector
// makes every process sleep for a second before it exits, unless told otherwise.
func asHub() []string {
	return append(os.Environ(), "RINGSIDE_TEST_AS_HUB=1", "GORACE="+os.Getenv("GORACE")+" atexit_sleep_ms=10")
}

// patience bounds every wait of these tests; nothing should come near it.
const patience = 20 * time.Second

type process struct {
	*exec.Cmd
	t              *testing.T
	stdout, stderr *syncBuffer
	lines          chan string // of standard output
	exited         chan struct{}
}

func start(t *testing.T, stdin io.Reader, args ...string) *process {
	t.Helper()
	return startWith(t, stdin, func(*exec.Cmd) {}, args...)
}

// startWith starts the program with what change says about its process.
func startWith(t *testing.T, stdin io.Reader, change func(*exec.Cmd), args ...string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{
		Cmd: exec.Command(exe, args...), t: t, stdout: &syncBuffer{}, stderr: &syncBuffer{},
		lines: make(chan string, 64), exited: make(chan struct{}),
	}
	p.Env = asHub()
	p.Stdin, p.Stderr = stdin, p.stderr
	change(p.Cmd)
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.exited)
		s := bufio.NewScanner(out)
		s.Buffer(nil, 16<<20) // a snapshot is one line
		for s.Scan() {
			fmt.Fprintln(p.stdout, s.Text())
			select {
			case p.lines <- s.Text():
			default:
			}
		}
		_ = p.Cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = p.Process.Kill()
		<-p.exited
		if t.Failed() {
			t.Logf("%s\nstdout:\n%s\nstderr:\n%s", strings.Join(args, " "), p.stdout, p.stderr)
		}
	})
	return p
}

// wait waits for the end and returns the exit code.
func (p *process) wait() int {
	p.t.Helper()
	select {
	case <-p.exited:
		return p.ProcessState.ExitCode()
	case <-time.After(patience):
		p.t.Fatalf("%v did not end", p.Args[1:])
		return -1
	}
}

var addressed = regexp.MustCompile(`http://[0-9.]+:[0-9]+`)

// address waits for the line with the hub's address.
func (p *process) address() string {
	p.t.Helper()
	for {
		select {
		case line := <-p.lines:
			if a := addressed.FindString(line); a != "" {
				return a
			}
		case <-p.exited:
			p.t.Fatalf("%v ended: %s", p.Args[1:], p.stderr)
		case <-time.After(patience):
			p.t.Fatalf("%v gave no address", p.Args[1:])
		}
	}
}

// waitFor waits until standard error has text.
func (p *process) waitFor(text string) {
	p.t.Helper()
	deadline := time.After(patience)
	for !strings.Contains(p.stderr.String(), text) {
		select {
		case <-p.stderr.changed():
		case <-deadline:
			p.t.Fatalf("%v never said %q", p.Args[1:], text)
		}
	}
}

type shown struct {
	Run   string         `json:"run"`
	Epoch string         `json:"epoch"`
	Seq   int64          `json:"seq"`
	View  map[string]any `json:"view"`
	Hash  string         `json:"hash"`
}

func getRun(t *testing.T, hub, run string) shown {
	t.Helper()
	body, status := get(t, hub+"/api/runs/"+run)
	if status != http.StatusOK {
		t.Fatalf("run %s: %d %s", run, status, body)
	}
	var s shown
	if err := json.Unmarshal(body, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func get(t *testing.T, url string) ([]byte, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body, res.StatusCode
}

func serveHub(t *testing.T, args ...string) (*process, string) {
	t.Helper()
	p := start(t, nil, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	return p, p.address()
}

// Every recorded session goes through publish, hub and API; what the API shows
// is what folding the run's history gives.
func TestPublishRecordedSessions(t *testing.T) {
	_, hub := serveHub(t)
	files, err := filepath.Glob("../../agent/pijson/testdata/*.jsonl")
	if err != nil || len(files) < 4 {
		t.Fatalf("recorded sessions: %v %v", files, err)
	}
	for _, file := range files {
		run := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(run, func(t *testing.T) {
			p := start(t, nil, "publish", "--run", run, "--to", hub, file)
			want := 0
			if run == "damaged" { // it holds broken records on purpose
				want = 1
			}
			if code := p.wait(); code != want {
				t.Fatalf("exit code %d, want %d", code, want)
			}
			if !strings.Contains(p.stdout.String(), "watch at "+hub+"/r/"+run) {
				t.Error("no link to watch")
			}
			if !strings.Contains(p.stdout.String(), " 0 lost;") {
				t.Error("no summary")
			}
			s := getRun(t, hub, run)
			if s.View["runStatus"] != view.Idle || s.View["worker"] != view.WorkerGone {
				t.Errorf("ended as %v, worker %v", s.View["runStatus"], s.View["worker"])
			}
			if got := foldHistory(t, hub, run); got != s.Hash {
				t.Errorf("the history folds to %s, the hub shows %s", got, s.Hash)
			}
		})
	}
}

func foldHistory(t *testing.T, hub, run string) string {
	t.Helper()
	body, status := get(t, hub+"/api/runs/"+run+"/events?limit=5000")
	if status != http.StatusOK {
		t.Fatalf("history of %s: %d %s", run, status, body)
	}
	v := view.New()
	for line := range bytes.Lines(body) {
		var entry struct {
			Epoch string     `json:"epoch"`
			Seq   int64      `json:"seq"`
			Event view.Event `json:"event"`
		}
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		v.Apply(&entry.Event)
	}
	return v.Hash()
}

// A publisher that dies in the middle of a line loses only that line, and says
// so; a line that is no record costs nothing.
func TestPublishDiesInsideALine(t *testing.T) {
	_, hub := serveHub(t)
	in := strings.NewReader(`{"type":"agent_start"}
{"type":"turn_start"}
not json at all
{"type":"tool_execution_start","toolCallId":"a","toolName":"bash","args":{"command":"ls"}}
{"type":"tool_execution_end","toolCallId":"a","toolName":"ba`)
	p := start(t, in, "publish", "--run", "cut", "--to", hub)
	if code := p.wait(); code != 1 || !strings.Contains(p.stderr.String(), "1 lines were broken") {
		t.Fatalf("exit code %d", code)
	}
	if !strings.Contains(p.stdout.String(), "5 lines read, 0 skipped, 2 quarantined") {
		t.Errorf("summary: %s", p.stdout)
	}
	if !strings.Contains(p.stderr.String(), "line 3") {
		t.Errorf("line 3 is not named: %s", p.stderr)
	}
	card := getRun(t, hub, "cut").View["tools"].(map[string]any)["c1"].(map[string]any)
	if card["status"] != view.Lost {
		t.Errorf("the card whose end was cut off is %v, want lost", card["status"])
	}
}

// The second publisher of a run is refused and told who holds it; it may take
// the run over, and then the first one ends.
func TestTwoPublishers(t *testing.T) {
	_, hub := serveHub(t)
	in, feed := io.Pipe()
	first := start(t, in, "publish", "--run", "r", "--to", hub)
	if _, err := io.WriteString(feed, "{\"type\":\"agent_start\"}\n"); err != nil {
		t.Fatal(err)
	}
	waitStatus(t, hub, "r", view.Running)

	second := start(t, strings.NewReader(`{"type":"agent_start"}`), "publish", "--run", "r", "--to", hub)
	if second.wait() == 0 || !strings.Contains(second.stderr.String(), "is held by") {
		t.Errorf("the second publisher: exit code %d, %s", second.ProcessState.ExitCode(), second.stderr)
	}
	third := start(t, strings.NewReader(`{"type":"agent_start"}`), "publish", "--run", "r", "--to", hub, "--takeover")
	if code := third.wait(); code != 0 {
		t.Errorf("takeover: exit code %d", code)
	}
	// The first finds out at the latest with its next word. It goes on reading:
	// whoever writes into it must not die.
	first.waitFor("what still comes is not published")
	for range 2000 {
		if _, err := io.WriteString(feed, "{\"type\":\"turn_start\",\"filler\":\""+strings.Repeat("x", 1000)+"\"}\n"); err != nil {
			t.Fatalf("writing to a publisher that was taken over: %v", err)
		}
	}
	_ = feed.Close()
	if code := first.wait(); code == 0 {
		t.Errorf("the publisher that was taken over ended with 0")
	}
	if out := first.stdout.String(); !strings.Contains(out, "lines read") || strings.Contains(out, "; 0 lines read") {
		t.Errorf("the summary forgets what was read: %s", out)
	}
}

// While the hub is away a publisher says so, keeps what comes, and delivers it.
func TestHubAway(t *testing.T) {
	old, hub := serveHub(t)
	in, feed := io.Pipe()
	p := start(t, in, "publish", "--run", "r", "--to", hub)
	if _, err := io.WriteString(feed, "{\"type\":\"agent_start\"}\n{\"type\":\"turn_start\"}\n"); err != nil {
		t.Fatal(err)
	}
	waitStatus(t, hub, "r", view.Running)
	_ = old.Process.Kill()
	<-old.exited
	if _, err := io.WriteString(feed, "{\"type\":\"tool_execution_start\",\"toolCallId\":\"a\",\"toolName\":\"bash\",\"args\":{}}\n"); err != nil {
		t.Fatal(err)
	}
	p.waitFor("is away")
	// Its memory is gone; the publisher brings the run back.
	again := start(t, nil, "serve", "--addr", strings.TrimPrefix(hub, "http://"))
	again.address()
	if _, err := io.WriteString(feed, "{\"type\":\"tool_execution_end\",\"toolCallId\":\"a\",\"toolName\":\"bash\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]},\"isError\":false}\n"); err != nil {
		t.Fatal(err)
	}
	_ = feed.Close()
	if code := p.wait(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	s := getRun(t, hub, "r")
	card := s.View["tools"].(map[string]any)["c1"].(map[string]any)
	if card["status"] != view.Done || card["resultText"] != "ok" {
		t.Errorf("card: %v", card)
	}
	if s.View["turn"] != 1.0 {
		t.Errorf("turn %v, want 1", s.View["turn"])
	}
}

func waitStatus(t *testing.T, hub, run, want string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		body, status := get(t, hub+"/api/runs/"+run)
		if status == http.StatusOK && strings.Contains(string(body), `"runStatus":"`+want+`"`) {
			return
		}
		wait, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		<-wait.Done()
		cancel()
	}
	t.Fatalf("run %s is not %s", run, want)
}

// A hub that nobody can reach loses what does not fit; the exit code says so.
func TestNothingListens(t *testing.T) {
	p := start(t, strings.NewReader("{\"type\":\"agent_start\"}\n"), "publish", "--run", "r", "--to", "http://127.0.0.1:9", "--drain", "1s")
	if code := p.wait(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if !strings.Contains(p.stderr.String(), "lost") {
		t.Errorf("does not say what was lost: %s", p.stderr)
	}
}

// What answers is no hub: that is said, and not waited out.
func TestNotAHub(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	other := &http.Server{Handler: http.NotFoundHandler()}
	t.Cleanup(func() { _ = other.Close() })
	go func() { _ = other.Serve(l) }()
	p := start(t, strings.NewReader("{\"type\":\"agent_start\"}\n"), "publish", "--run", "r", "--to", "http://"+l.Addr().String())
	if code := p.wait(); code != 1 || !strings.Contains(p.stderr.String(), "404") {
		t.Errorf("exit code %d, %s", code, p.stderr)
	}
}

// The demo has lively runs within seconds, and SIGTERM ends it cleanly.
func TestDemo(t *testing.T) {
	p := start(t, nil, "demo", "--addr", "127.0.0.1:0")
	hub := p.address()
	for _, id := range []string{"overview", "fix-tests", "long-output", "trouble"} {
		waitStatus(t, hub, id, view.Running)
	}
	body, status := get(t, hub+"/")
	if status != http.StatusOK || !bytes.Contains(body, []byte("<html")) {
		t.Errorf("page: %d", status)
	}
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := p.wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestBadCommandLines(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"serve", "--addr", "0.0.0.0:0"}, 1, "without keys"},
		{[]string{"serve", "--addr", "nonsense"}, 1, "cannot listen on nonsense"},
		{[]string{"serve", "--lost-after", "1s"}, 1, "--lost-after 1s: at least 3s"},
		{[]string{"serve", "--lost-after=-5s"}, 1, "--lost-after -5s"},
		{[]string{"serve", "--keep", "1ms"}, 1, "--keep 1ms"},
		{[]string{"serve", "--keep-events", "1"}, 1, "--keep-events 1"},
		{[]string{"serve", "--redis", "redis://127.0.0.1:1", "--keep-bytes", "1"}, 1, "--keep-bytes 1"},
		{[]string{"publish", "--run", "bad id"}, 1, `--run "bad id"`},
		{[]string{"publish", "--to", "ftp://x"}, 1, "--to"},
		{[]string{"publish", "no-such-file"}, 1, "no-such-file"},
		{[]string{"publish", "--pace", "slow"}, 2, "--pace"},
		{[]string{"fly"}, 2, "fly"},
		{[]string{"--log-level", "loud", "version"}, 2, "loud"},
	} {
		p := start(t, nil, c.args...)
		if code := p.wait(); code != c.code || !strings.Contains(p.stderr.String(), c.want) {
			t.Errorf("%v: exit code %d, %s; want %d and %q", c.args, code, p.stderr, c.code, c.want)
		}
	}
}

func TestVersion(t *testing.T) {
	for _, arg := range []string{"version", "--version"} {
		p := start(t, nil, arg)
		if code := p.wait(); code != 0 || p.stdout.String() != "hub "+version()+"\n" || p.stderr.String() != "" {
			t.Errorf("%s: exit code %d, %q, %q", arg, code, p.stdout, p.stderr)
		}
	}
}
