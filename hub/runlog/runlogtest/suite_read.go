package runlogtest

import (
	"io"
	"strings"
	"testing"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

func readAcrossEpochs(t *testing.T, e *env) {
	a := e.author(t, "history", runlog.ClaimOptions{})
	for range 4 {
		must(t, a.Append(e.ctx, 25))
		must(t, a.Claim(e.ctx, e.store, runlog.ClaimOptions{Takeover: true}))
	}
	must(t, a.Append(e.ctx, 25))
	for _, limit := range []int{1, 7, 25, 1000} {
		var at runlog.Position
		v, n, epochs := view.New(), int64(0), map[string]bool{}
		for {
			entries, err := e.store.Read(e.ctx, a.Run, at, limit)
			must(t, err)
			if len(entries) == 0 {
				break
			}
			if len(entries) > limit {
				t.Fatalf("read %d entries, limit %d", len(entries), limit)
			}
			for _, entry := range entries {
				n++
				if entry.Seq != n {
					t.Fatalf("read %s, want seq %d", entry.Position, n)
				}
				must(t, a.Ledger.Entry(entry))
				ev, err := view.DecodeEvent(entry.Data)
				must(t, err)
				v.Apply(&ev)
				at = entry.Position
				epochs[at.Epoch] = true
			}
		}
		if at != a.At || len(epochs) != 5 {
			t.Fatalf("limit %d: read up to %s in %d epochs, want %s in 5", limit, at, len(epochs), a.At)
		}
		sameView(t, v, a.View)
	}
	entries, err := e.store.Read(e.ctx, a.Run, runlog.Position{}, 0)
	must(t, err)
	if len(entries) != 0 {
		t.Errorf("limit 0 gave %d entries", len(entries))
	}
}

func readUnknownPosition(t *testing.T, e *env) {
	a := e.author(t, "unknown", runlog.ClaimOptions{})
	first := a.At.Epoch
	must(t, a.Append(e.ctx, 10))
	must(t, a.Claim(e.ctx, e.store, runlog.ClaimOptions{Takeover: true}))
	second := a.At.Epoch
	must(t, a.Append(e.ctx, 10))
	for _, p := range []runlog.Position{
		{Epoch: first, Seq: 11}, {Epoch: second, Seq: 9}, {Epoch: second, Seq: 21}, {Epoch: second, Seq: -1},
		{Epoch: "nope", Seq: 5}, {Epoch: "", Seq: 5}, {Epoch: first, Seq: runlog.MaxSeq},
	} {
		entries, err := e.store.Read(e.ctx, a.Run, p, 10)
		if len(entries) > 0 {
			t.Errorf("read after %s: %d entries", p, len(entries))
		}
		wantError(t, err, runlog.ErrUnknownPosition)
	}
	for _, p := range []struct {
		at   runlog.Position
		want int
	}{
		{runlog.Position{Epoch: first, Seq: 0}, 20}, {runlog.Position{Epoch: first, Seq: 10}, 10},
		{runlog.Position{Epoch: second, Seq: 10}, 10}, {runlog.Position{Epoch: second, Seq: 20}, 0},
	} {
		entries, err := e.store.Read(e.ctx, a.Run, p.at, 100)
		must(t, err)
		if len(entries) != p.want {
			t.Errorf("read after %s: %d entries, want %d", p.at, len(entries), p.want)
		}
	}
}

// runLine finds a run in a fresh look at the index.
func runLine(t *testing.T, e *env, run string) runlog.RunSummary {
	t.Helper()
	f, err := e.store.Index(e.ctx)
	must(t, err)
	defer f.Close()
	u, err := f.Next(e.ctx)
	must(t, err)
	if !u.Full {
		t.Fatal("the first index update is not full")
	}
	for _, r := range u.Runs {
		if r.Run == run {
			return r
		}
	}
	t.Fatalf("run %s is not in the index of %d", run, len(u.Runs))
	return runlog.RunSummary{}
}

func index(t *testing.T, e *env) {
	f, err := e.store.Index(e.ctx)
	must(t, err)
	defer f.Close()
	runs := map[string]runlog.RunSummary{}
	until := func(done func() bool) {
		t.Helper()
		for !done() {
			u, err := f.Next(e.ctx)
			must(t, err)
			if u.Full {
				clear(runs)
			}
			for _, r := range u.Runs {
				runs[r.Run] = r
			}
			for _, id := range u.Gone {
				delete(runs, id)
			}
		}
	}
	first, err := f.Next(e.ctx)
	must(t, err)
	if !first.Full || len(first.Runs) != 0 {
		t.Fatalf("first update of an empty index: %+v", first)
	}
	a := e.author(t, "a", runlog.ClaimOptions{Owner: "host/1"})
	b := e.author(t, "b", runlog.ClaimOptions{Owner: "host/2"})
	until(func() bool { return len(runs) == 2 })
	if r := runs["a"]; r.Owner != "host/1" || r.HeardMs < 0 || r.Epoch != a.At.Epoch {
		t.Errorf("index says %+v", r)
	}
	must(t, a.Append(e.ctx, 10))
	must(t, a.Writer.Heartbeat(e.ctx, view.Summary{Title: "a title", RunStatus: view.Running}))
	until(func() bool { return runs["a"].Title == "a title" && runs["a"].RunStatus == view.Running })
	if got := runs["a"].Position; got != a.At {
		t.Errorf("index says %s, want %s", got, a.At)
	}
	must(t, b.Writer.Close(e.ctx))
	until(func() bool { return runs["b"].HeardMs == -1 })
	if r := runLine(t, e, "a"); r.Title != "a title" {
		t.Errorf("a fresh look says %+v", r)
	}
}

func reader(s string) io.Reader { return strings.NewReader(s) }

func putBlob(t *testing.T, e *env, w runlog.Writer, name, content string) {
	t.Helper()
	must(t, w.PutBlob(e.ctx, name, reader(content)))
}

func getBlob(t *testing.T, e *env, run, name string) string {
	t.Helper()
	r, err := e.store.Blob(e.ctx, run, name)
	must(t, err)
	defer r.Close()
	b, err := io.ReadAll(r)
	must(t, err)
	return string(b)
}

func blobs(t *testing.T, e *env) {
	a := e.author(t, "blobs", runlog.ClaimOptions{})
	_, err := e.store.Blob(e.ctx, a.Run, "c1")
	wantError(t, err, runlog.ErrNoBlob)
	long := strings.Repeat("0123456789", 20_000)
	putBlob(t, e, a.Writer, "c1", long)
	putBlob(t, e, a.Writer, "c2", "")
	if got := getBlob(t, e, a.Run, "c1"); got != long {
		t.Errorf("got %d bytes back", len(got))
	}
	if got := getBlob(t, e, a.Run, "c2"); got != "" {
		t.Errorf("the empty output is %q", got)
	}
	r, err := e.store.Blob(e.ctx, a.Run, "c1")
	must(t, err)
	defer r.Close()
	for _, at := range []int64{100_003, 5, 199_999} {
		_, err := r.Seek(at, io.SeekStart)
		must(t, err)
		b := make([]byte, 1)
		_, err = io.ReadFull(r, b)
		must(t, err)
		if want := "0123456789"[at%10]; b[0] != want {
			t.Errorf("byte %d is %q, want %q", at, b, want)
		}
	}
	if size, err := r.Seek(0, io.SeekEnd); err != nil || size != int64(len(long)) {
		t.Errorf("size %d, %v", size, err)
	}
	putBlob(t, e, a.Writer, "c1", "second")
	if got := getBlob(t, e, a.Run, "c1"); got != "second" {
		t.Errorf("replaced output is %.20q", got)
	}
	for _, name := range []string{"", "a/b", "é", strings.Repeat("x", 129)} {
		wantError(t, a.Writer.PutBlob(e.ctx, name, reader("x")), runlog.ErrBadBlobName)
		_, err := e.store.Blob(e.ctx, a.Run, name)
		wantError(t, err, runlog.ErrNoBlob)
	}
	if err := a.Writer.PutBlob(e.ctx, "c3", io.MultiReader(reader("part"), broken{})); err == nil {
		t.Error("a broken reader made an output")
	}
	_, err = e.store.Blob(e.ctx, a.Run, "c3")
	wantError(t, err, runlog.ErrNoBlob)
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// blobTooLarge: the bound holds while reading, and what was there stays.
func blobTooLarge(t *testing.T, e *env) {
	a := e.author(t, "large", runlog.ClaimOptions{})
	putBlob(t, e, a.Writer, "c1", "kept")
	endless := io.LimitReader(zeros{}, runlog.MaxBlobBytes+1)
	wantError(t, a.Writer.PutBlob(e.ctx, "c1", endless), runlog.ErrTooLarge)
	if got := getBlob(t, e, a.Run, "c1"); got != "kept" {
		t.Errorf("output is %.20q", got)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
