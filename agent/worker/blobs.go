package worker

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ringside-hub/ringside/agent/projector"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// blob is a whole output that waits to be stored.
type blob struct{ key, text string }

// blobQueue holds whole outputs in order, bounded in bytes. Guarded by
// Worker.mu.
type blobQueue struct {
	maxBytes, bytes int
	queue           []blob
	writer          runlog.Writer // nil while the run is not claimed
	gen             int64         // counts writers
	changed         chan struct{} // closed and replaced when something above changes
}

func newBlobQueue(maxBytes int) blobQueue {
	return blobQueue{maxBytes: maxBytes, changed: make(chan struct{})}
}

func (q *blobQueue) wake() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// blobOverhead counts empty outputs too.
const blobOverhead = 128

func (q *blobQueue) put(b blob) bool {
	if q.bytes+len(b.text)+blobOverhead > q.maxBytes {
		return false
	}
	q.bytes += len(b.text) + blobOverhead
	q.queue = append(q.queue, b)
	q.wake()
	return true
}

func (q *blobQueue) pop() {
	q.bytes -= len(q.queue[0].text) + blobOverhead
	q.queue[0] = blob{}
	q.queue = q.queue[1:]
	q.wake()
}

// drop forgets all and says how many.
func (q *blobQueue) drop() int64 {
	n := len(q.queue)
	q.queue, q.bytes, q.maxBytes = nil, 0, 0
	return int64(n)
}

// setWriter says who stores outputs now.
func (w *Worker) setWriter(to runlog.Writer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.blobs.writer = to
	w.blobs.gen++
	w.blobs.wake()
}

// outputsWait says whether whole outputs are still to be stored.
func (w *Worker) outputsWait() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.blobs.queue) > 0
}

// maxBlobAttempts bounds the tries for one output where the store is there but
// does not take it.
const maxBlobAttempts = 8

// storeOutputs stores whole outputs, one after the other, beside the events: a
// large one must not hold them up. Its failures never end a run.
func (w *Worker) storeOutputs() {
	var pause backoff
	refused := 0
	for {
		b, writer, gen, changed := w.nextOutput()
		if writer == nil {
			select {
			case <-changed:
				continue
			case <-w.ctx.Done():
				return
			}
		}
		err := writer.PutBlob(w.ctx, b.key, strings.NewReader(b.text))
		switch {
		case w.ctx.Err() != nil:
			return // the rest is counted at the end
		case err == nil:
			w.doneOutput(nil)
		case errors.Is(err, runlog.ErrFenced), errors.Is(err, runlog.ErrNoRun), errors.Is(err, runlog.ErrClosed):
			w.forgetWriter(gen) // the link notices too, and brings another
			continue
		case errors.Is(err, runlog.ErrTooLarge), errors.Is(err, runlog.ErrBadBlobName), refused >= maxBlobAttempts:
			w.log.Warn().Err(err).Str("key", b.key).Int("bytes", len(b.text)).Msg("whole output not stored")
			w.doneOutput(err)
		default:
			if w.Stats().AwaySince.IsZero() {
				refused++
			}
			w.sleep(pause.next())
			continue
		}
		pause.reset()
		refused = 0
	}
}

var errOutputsFull = errors.New("too many whole outputs waited")

// queueOutputsLocked lets whole outputs wait to be stored, and returns the keys
// of those for which there is no room.
func (w *Worker) queueOutputsLocked(outputs []projector.Blob) map[string]bool {
	var refused map[string]bool
	for _, b := range outputs {
		if w.blobs.put(blob{w.number.key(b.Key), b.Text}) {
			continue
		}
		if refused == nil {
			refused = map[string]bool{}
		}
		refused[b.Key] = true
		w.stats.OutputsLost++
		w.noteLossLocked(errOutputsFull)
		w.log.Warn().Str("key", b.Key).Int("bytes", len(b.Text)).Msg("whole output lost: too many wait")
	}
	return refused
}

// nextOutput returns the oldest output and who stores it, or what to wait for.
func (w *Worker) nextOutput() (blob, runlog.Writer, int64, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.blobs.queue) == 0 {
		return blob{}, nil, 0, w.blobs.changed
	}
	return w.blobs.queue[0], w.blobs.writer, w.blobs.gen, w.blobs.changed
}

// doneOutput is the end of the oldest output: stored, or lost for err. Its card
// has said meanwhile that there is one, so those who watch are told.
func (w *Worker) doneOutput(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := w.blobs.queue[0].key
	w.blobs.pop()
	if err == nil {
		w.stats.Outputs++
	} else {
		w.stats.OutputsLost++
		w.noteLossLocked(err)
		text := fmt.Sprintf("the whole output of %s was lost", key)
		w.putLocked(view.Event{Type: view.NoticeEvent, T: w.clock.now(), Kind: "lost", Text: &text}, true)
	}
	w.signal()
}

// forgetWriter keeps a writer that is no use from being tried again.
func (w *Worker) forgetWriter(gen int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.blobs.gen == gen {
		w.blobs.writer = nil
	}
	w.signal()
}

// sleep waits for d or the end of all calls.
func (w *Worker) sleep(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.ctx.Done():
	}
}
