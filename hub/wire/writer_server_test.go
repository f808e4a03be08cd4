package wire

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// writerServer is the writer API over a store, as thin as it can be: what the
// remote end is tried against. The hub has its own.
type writerServer struct {
	store runlog.Store

	mu      sync.Mutex
	writers map[string]runlog.Writer // by run and epoch; guarded by mu
}

func newWriterServer(store runlog.Store) http.Handler {
	s := &writerServer{store: store, writers: map[string]runlog.Writer{}}
	mux := http.NewServeMux()
	at := "/api/runs/{run}/writer"
	mux.HandleFunc("POST "+at, s.claim)
	mux.HandleFunc("POST "+at+"/{epoch}/events", s.with(MaxAppendBody, s.append))
	mux.HandleFunc("PUT "+at+"/{epoch}/checkpoint", s.with(MaxCheckpointBody, s.checkpoint))
	mux.HandleFunc("POST "+at+"/{epoch}/heartbeat", s.with(MaxHeartbeatBody, s.heartbeat))
	mux.HandleFunc("DELETE "+at+"/{epoch}", s.with(0, s.close))
	mux.HandleFunc("PUT "+at+"/{epoch}/blobs/{key}", s.putBlob)
	return mux
}

func (s *writerServer) claim(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxClaimBody+1))
	if err != nil {
		return
	}
	o, err := DecodeClaim(body)
	if err != nil {
		fail(w, err)
		return
	}
	run := r.PathValue("run")
	writer, snapshot, err := s.store.Claim(r.Context(), run, o)
	if err != nil {
		fail(w, err)
		return
	}
	s.mu.Lock()
	s.writers[run+"/"+writer.Epoch()] = writer
	s.mu.Unlock()
	answer(w, http.StatusCreated, Claimed{Position: snapshot.Position, View: snapshot.View})
}

type call func(w http.ResponseWriter, r *http.Request, writer runlog.Writer, body []byte) error

func (s *writerServer) with(limit int64, do call) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
		if err != nil {
			return
		}
		writer := s.writer(r)
		if writer == nil {
			fail(w, runlog.ErrFenced)
			return
		}
		if err := do(w, r, writer, body); err != nil {
			fail(w, err)
		}
	}
}

func (s *writerServer) writer(r *http.Request) runlog.Writer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writers[r.PathValue("run")+"/"+r.PathValue("epoch")]
}

func (s *writerServer) append(w http.ResponseWriter, r *http.Request, writer runlog.Writer, body []byte) error {
	first, events, err := DecodeAppend(body)
	if err != nil {
		return err
	}
	ack, err := writer.Append(r.Context(), first, events)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, ack)
	return nil
}

func (s *writerServer) checkpoint(w http.ResponseWriter, r *http.Request, writer runlog.Writer, body []byte) error {
	snapshot, err := DecodeCheckpoint(writer.Epoch(), body)
	if err == nil {
		err = writer.Checkpoint(r.Context(), snapshot)
	}
	return noContent(w, err)
}

func (s *writerServer) heartbeat(w http.ResponseWriter, r *http.Request, writer runlog.Writer, body []byte) error {
	summary, err := DecodeHeartbeat(body)
	if err == nil {
		err = writer.Heartbeat(r.Context(), summary)
	}
	return noContent(w, err)
}

func (s *writerServer) close(w http.ResponseWriter, r *http.Request, writer runlog.Writer, _ []byte) error {
	return noContent(w, writer.Close(r.Context()))
}

func (s *writerServer) putBlob(w http.ResponseWriter, r *http.Request) {
	writer := s.writer(r)
	if writer == nil {
		fail(w, runlog.ErrFenced)
		return
	}
	if err := noContent(w, writer.PutBlob(r.Context(), r.PathValue("key"), r.Body)); err != nil {
		fail(w, err)
	}
}

func noContent(w http.ResponseWriter, err error) error {
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

func answer(w http.ResponseWriter, status int, body any) {
	data, err := marshal(body)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

func fail(w http.ResponseWriter, err error) {
	status, body := StatusOf(err)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body.Encode())
}

// serve starts a server and a Remote to it; both end with the test.
func serve(t testing.TB, h http.Handler, change func(*RemoteConfig)) *Remote {
	t.Helper()
	server := httptest.NewServer(h)
	c := RemoteConfig{BaseURL: server.URL + "/"}
	if change != nil {
		change(&c)
	}
	r, err := NewRemote(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.CloseClientConnections()
		_ = r.Close()
		server.Close()
	})
	return r
}
