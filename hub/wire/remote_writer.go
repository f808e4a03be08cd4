package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

var _ runlog.Writer = (*remoteWriter)(nil)

// remoteWriter is the writer of one claim. Nothing of it is kept open: each call
// is one request, and a call whose answer was lost is repeated by the caller.
type remoteWriter struct {
	// static after construction
	remote *Remote
	run    string
	epoch  string
	path   string

	mu sync.Mutex
	// ended is why nothing may be written any more. Guarded by mu.
	ended error
}

func (w *remoteWriter) Epoch() string { return w.epoch }

func (w *remoteWriter) why() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

// call makes a request unless the writer has ended; being fenced ends it.
func (w *remoteWriter) call(ctx context.Context, q request) ([]byte, error) {
	if err := w.why(); err != nil {
		return nil, err
	}
	q.path = w.path + q.path
	answer, err := w.remote.call(ctx, w.run, q)
	if errors.Is(err, runlog.ErrFenced) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.ended == nil {
			w.ended = runlog.ErrFenced
			w.remote.log.Warn().Str("run", w.run).Str("epoch", w.epoch).Msg("fenced")
		}
		return nil, w.ended
	}
	return answer, err
}

func (w *remoteWriter) Append(ctx context.Context, first int64, events [][]byte) (runlog.Ack, error) {
	if err := runlog.CheckAppend(first, events); err != nil {
		return runlog.Ack{}, err
	}
	size := 64
	for _, e := range events {
		size += len(e) + 1
	}
	answer, err := w.call(ctx, request{
		method: http.MethodPost, path: "/events", json: AppendBody(make([]byte, 0, size), first, events),
		want: http.StatusOK, repeatable: true,
	})
	if err != nil {
		return runlog.Ack{}, err
	}
	var ack runlog.Ack
	if err := json.Unmarshal(answer, &ack); err != nil || !goodAck(ack) {
		return runlog.Ack{}, w.remote.odd(w.run, "append", answer)
	}
	return ack, nil
}

func goodAck(a runlog.Ack) bool {
	switch a.Status {
	case runlog.AppendOK, runlog.AppendDup, runlog.AppendGap:
		return a.Last >= 0 && a.Last <= runlog.MaxSeq
	}
	return false
}

func (w *remoteWriter) Checkpoint(ctx context.Context, s runlog.Snapshot) error {
	switch {
	case len(s.View) > runlog.MaxViewBytes:
		return fmt.Errorf("checkpoint of %d bytes: %w: at most %d", len(s.View), runlog.ErrTooLarge, runlog.MaxViewBytes)
	case s.Epoch != w.epoch:
		return fmt.Errorf("checkpoint at %s: this writer's epoch is %s", s.Position, w.epoch)
	}
	body, err := EncodeCheckpoint(s)
	if err != nil {
		return err
	}
	_, err = w.call(ctx, request{
		method: http.MethodPut, path: "/checkpoint", json: body, want: http.StatusNoContent, repeatable: true,
	})
	return err
}

// PutBlob streams r to the hub. A failure to read r is returned as it is. When
// PutBlob has returned, r is not read any more.
func (w *remoteWriter) PutBlob(ctx context.Context, name string, r io.Reader) error {
	if err := runlog.CheckBlobName(name); err != nil {
		return err
	}
	in := &blobReader{r: r}
	_, err := w.call(ctx, request{
		method: http.MethodPut, path: "/blobs/" + url.PathEscape(name), raw: in, want: http.StatusNoContent,
	})
	if own := in.stop(); own != nil {
		return own
	}
	return err
}

// blobReader reads at most MaxBlobBytes and remembers why it failed: the
// transport tells of every failure as its own. The transport may read on after
// the request has ended; stop keeps it from the caller's reader.
type blobReader struct {
	mu      sync.Mutex
	r       io.Reader // guarded by mu, also while it reads
	read    int64     // guarded by mu
	err     error     // guarded by mu
	stopped bool      // guarded by mu
}

func (b *blobReader) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		return 0, io.ErrClosedPipe
	}
	n, err := b.r.Read(p)
	b.read += int64(n)
	if b.read > runlog.MaxBlobBytes {
		err = fmt.Errorf("output: %w: at most %d bytes", runlog.ErrTooLarge, runlog.MaxBlobBytes)
	}
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

// stop waits for a read that is under way, and returns why reading failed.
func (b *blobReader) stop() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
	return b.err
}

func (w *remoteWriter) Heartbeat(ctx context.Context, s view.Summary) error {
	body, err := EncodeHeartbeat(s)
	if err != nil {
		return err
	}
	_, err = w.call(ctx, request{
		method: http.MethodPost, path: "/heartbeat", json: body, want: http.StatusNoContent, repeatable: true,
	})
	return err
}

// Close gives the run up at the hub. If the hub is away the run stays held
// until runlog.HoldFor has passed; the error says so.
func (w *remoteWriter) Close(ctx context.Context) error {
	w.mu.Lock()
	ended := w.ended
	if ended == nil {
		w.ended = runlog.ErrClosed
	}
	w.mu.Unlock()
	if ended != nil {
		return nil
	}
	_, err := w.remote.call(ctx, w.run, request{
		method: http.MethodDelete, path: w.path, want: http.StatusNoContent, repeatable: true,
	})
	if errors.Is(err, runlog.ErrFenced) || errors.Is(err, runlog.ErrNoRun) {
		return nil // nothing is held any more
	}
	if err != nil {
		return fmt.Errorf("give up run %s: %w", w.run, err)
	}
	return nil
}
