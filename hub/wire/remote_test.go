package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/hub/view"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A remote writer is a writer: the same contract as at the store itself.
func TestRemoteContract(t *testing.T) {
	runlogtest.Run(t, func(t testing.TB) runlog.Store {
		s := runlog.NewMemory(runlog.MemoryConfig{RunEvents: runlogtest.KeepEvents})
		t.Cleanup(func() { s.Close() })
		return runlogtest.ClaimedThrough(s, serve(t, newWriterServer(s), nil))
	})
}

func memory(t *testing.T) *runlog.Memory {
	s := runlog.NewMemory(runlog.MemoryConfig{})
	t.Cleanup(func() { s.Close() })
	return s
}

func claim(t *testing.T, r *Remote, run string) runlog.Writer {
	t.Helper()
	w, _, err := r.Claim(t.Context(), run, runlog.ClaimOptions{Owner: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A request that arrives but whose answer is lost leaves no hole and no double:
// the call is ErrUnavailable, and repeating it is a dup.
func TestRemoteLostAnswer(t *testing.T) {
	var cut atomic.Bool
	inner := newWriterServer(memory(t))
	r := serve(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !cut.Load() {
			inner.ServeHTTP(w, req)
			return
		}
		inner.ServeHTTP(&discard{}, req)
		panic(http.ErrAbortHandler)
	}), nil)
	w := claim(t, r, "run")
	cut.Store(true)
	if _, err := w.Append(t.Context(), 1, rawEvents); !errors.Is(err, runlog.ErrUnavailable) {
		t.Fatalf("cut off: %v", err)
	}
	cut.Store(false)
	ack, err := w.Append(t.Context(), 1, rawEvents)
	if err != nil || ack != (runlog.Ack{Status: runlog.AppendDup, Last: 3}) {
		t.Errorf("repeated: %v, %v", ack, err)
	}
	ack, err = w.Append(t.Context(), 9, rawEvents)
	if err != nil || ack != (runlog.Ack{Status: runlog.AppendGap, Last: 3}) {
		t.Errorf("gap: %v, %v", ack, err)
	}
}

// discard takes an answer that nobody gets.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header {
	if d.header == nil {
		d.header = http.Header{}
	}
	return d.header
}
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

func TestRemoteHubAway(t *testing.T) {
	server := newWriterServer(memory(t))
	r := serve(t, server, nil)
	w := claim(t, r, "run")
	away, err := NewRemote(RemoteConfig{BaseURL: "http://127.0.0.1:1"}) // nothing listens there
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	if _, _, err := away.Claim(t.Context(), "run", runlog.ClaimOptions{Owner: "x"}); !errors.Is(err, runlog.ErrUnavailable) {
		t.Errorf("claim: %v", err)
	}
	rw := w.(*remoteWriter)
	rw.remote = away
	for name, call := range map[string]func() error{
		"append": func() error { _, err := w.Append(t.Context(), 1, rawEvents); return err },
		"checkpoint": func() error {
			return w.Checkpoint(t.Context(), runlog.Snapshot{Position: runlog.Position{Epoch: w.Epoch()}, View: viewJSON})
		},
		"blob":      func() error { return w.PutBlob(t.Context(), "c1", strings.NewReader("x")) },
		"heartbeat": func() error { return w.Heartbeat(t.Context(), view.Summary{}) },
		"close":     func() error { return w.Close(t.Context()) },
	} {
		if name == "close" {
			continue // last: it ends the writer
		}
		if err := call(); !errors.Is(err, runlog.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := w.Close(t.Context()); !errors.Is(err, runlog.ErrUnavailable) {
		t.Errorf("close: %v", err)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Errorf("second close: %v", err)
	}
}

// A hub that takes a request and never answers costs Timeout, not for ever, and
// does not look like the caller's own deadline.
func TestRemoteSilentHub(t *testing.T) {
	release := make(chan struct{})
	r := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		select {
		case <-release:
		case <-req.Context().Done():
		}
	}), func(c *RemoteConfig) { c.Timeout = 20 * time.Millisecond })
	defer close(release)
	_, _, err := r.Claim(t.Context(), "run", runlog.ClaimOptions{Owner: "x"})
	if !errors.Is(err, runlog.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("silent hub: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the caller's reason"))
	if _, _, err := r.Claim(ctx, "run", runlog.ClaimOptions{Owner: "x"}); err == nil || err.Error() != "the caller's reason" {
		t.Errorf("cancelled: %v", err)
	}
}

// After being fenced a writer does not even ask.
func TestRemoteFenced(t *testing.T) {
	var calls atomic.Int64
	inner := newWriterServer(memory(t))
	r := serve(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		calls.Add(1)
		inner.ServeHTTP(w, req)
	}), nil)
	w := claim(t, r, "run")
	if _, _, err := r.Claim(t.Context(), "run", runlog.ClaimOptions{Owner: "other"}); err == nil {
		t.Error("claimed twice")
	} else if held, ok := errors.AsType[*runlog.HeldError](err); !ok || held.Owner != "test" || held.Run != "run" {
		t.Errorf("held: %v", err)
	}
	if _, _, err := r.Claim(t.Context(), "run", runlog.ClaimOptions{Owner: "other", Takeover: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Append(t.Context(), 1, rawEvents); !errors.Is(err, runlog.ErrFenced) {
		t.Errorf("append: %v", err)
	}
	before := calls.Load()
	for _, err := range []error{
		w.Heartbeat(t.Context(), view.Summary{}),
		w.PutBlob(t.Context(), "c1", strings.NewReader("x")),
		w.Checkpoint(t.Context(), runlog.Snapshot{Position: runlog.Position{Epoch: w.Epoch()}, View: viewJSON}),
	} {
		if !errors.Is(err, runlog.ErrFenced) {
			t.Errorf("after being fenced: %v", err)
		}
	}
	if err := w.Close(t.Context()); err != nil || calls.Load() != before {
		t.Errorf("close: %v, %d calls more", err, calls.Load()-before)
	}
}

// Something that is no hub must not look like success.
func TestRemoteOddAnswers(t *testing.T) {
	claimed := `{"epoch":"EPOCH","seq":0,"view":{"runStatus":"idle"}}`
	for _, c := range []struct {
		name   string
		status int
		body   string
		denied bool
	}{
		{"a page", 200, "<html>", false},
		{"created without body", 201, "", false},
		{"created without epoch", 201, `{"seq":1,"view":{}}`, false},
		{"created without view", 201, `{"epoch":"e","seq":1}`, false},
		{"an endless epoch", 201, `{"epoch":"` + strings.Repeat("e", 65) + `","seq":0,"view":{}}`, false},
		{"moved", 302, claimed, false},
		{"unauthorized", 401, `{"code":"unauthorized","message":"no token"}`, true},
		{"forbidden", 403, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}), nil)
			_, _, err := r.Claim(t.Context(), "run", runlog.ClaimOptions{Owner: "x"})
			if _, ok := errors.AsType[*APIError](err); !ok || errors.Is(err, runlog.ErrUnavailable) {
				t.Errorf("got %v", err)
			}
			if errors.Is(err, runlog.ErrDenied) != c.denied {
				t.Errorf("denied: %v", err)
			}
		})
	}
}

func TestRemoteSendsToken(t *testing.T) {
	var got atomic.Pointer[http.Header]
	inner := newWriterServer(memory(t))
	r := serve(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		got.Store(new(req.Header.Clone()))
		inner.ServeHTTP(w, req)
	}), func(c *RemoteConfig) { c.Token = "s3cret" })
	w := claim(t, r, "run")
	if h := *got.Load(); h.Get("Authorization") != "Bearer s3cret" || h.Get("Content-Type") != "application/json" {
		t.Errorf("claim's headers: %v", h)
	}
	if err := w.PutBlob(t.Context(), "c1", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	if h := *got.Load(); h.Get("Authorization") != "Bearer s3cret" || h.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("blob's headers: %v", h)
	}
	if _, err := w.Append(t.Context(), 1, rawEvents); err != nil {
		t.Fatal(err)
	}
	if h := *got.Load(); h.Values("Idempotency-Key") != nil {
		t.Errorf("a header that is only for the transport was sent: %v", h)
	}
}

var errRead = errors.New("disk gone")

// failing gives some bytes and then an error.
type failing struct{ r io.Reader }

func (f failing) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err == io.EOF {
		err = errRead
	}
	return n, err
}

func TestRemoteBlobReadFails(t *testing.T) {
	s := memory(t)
	w := claim(t, serve(t, newWriterServer(s), nil), "run")
	err := w.PutBlob(t.Context(), "c1", failing{bytes.NewReader(make([]byte, 100_000))})
	if !errors.Is(err, errRead) || errors.Is(err, runlog.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Blob(t.Context(), "run", "c1"); !errors.Is(err, runlog.ErrNoBlob) {
		t.Errorf("half an output was kept: %v", err)
	}
	for _, name := range []string{"", "a/b", "c 1", "é"} {
		if err := w.PutBlob(t.Context(), name, strings.NewReader("x")); !errors.Is(err, runlog.ErrBadBlobName) {
			t.Errorf("name %q: %v", name, err)
		}
	}
}

func TestNewRemoteRefuses(t *testing.T) {
	for _, bad := range []string{
		"", "localhost:8080", "ftp://host", "http://", "http://user:secret@host", "http://host?token=x", "http://host#x", "http://h\x00",
	} {
		r, err := NewRemote(RemoteConfig{BaseURL: bad})
		if err == nil {
			t.Errorf("%q accepted: %v", bad, r.base)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error tells the secret: %v", bad, err)
		}
	}
}
