package worker

import (
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// The methods here are what the link does with the worker's shared state.

// hasNews says whether anything waits to be sent.
func (w *Worker) hasNews() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unflushed || w.buf.len() > 0
}

// take lets the source give what it holds back, and takes the oldest events.
func (w *Worker) take(maxEvents, maxBytes int) (events []view.Event, more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.unflushed && !w.shut {
		for _, e := range w.source.Flush(w.clock.now()) {
			w.number.event(&e)
			w.putLocked(e, true)
		}
	}
	w.unflushed = false
	events = w.buf.take(maxEvents, maxBytes)
	w.inflight += int64(len(events))
	w.tellLossLocked()
	return events, w.buf.len() > 0
}

// putFront adds the worker's own events before all others. The buffer's bounds
// do not apply to them.
func (w *Worker) putFront(own ...view.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stats.Events += int64(len(own))
	w.buf.putFront(own)
	w.signal()
}

// putBack returns all events that are under way to the front of the buffer,
// behind the worker's own.
func (w *Worker) putBack(inflight []view.Event, own ...view.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stats.Events += int64(len(own))
	w.inflight = 0
	w.buf.putFront(append(own, inflight...))
	w.signal()
}

// adopt makes all keys go on from the run's snapshot.
func (w *Worker) adopt(n renumber) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.number = n
	w.buf.renumber(n)
	for i := range w.blobs.queue {
		w.blobs.queue[i].key = n.key(w.blobs.queue[i].key)
	}
}

// acked counts acknowledged events, and is the progress that Publish waits for.
func (w *Worker) acked(at runlog.Position, n, inflight int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stats.Acked += int64(n)
	w.stats.At = at
	w.inflight = int64(inflight)
	w.releaseLocked()
}

// lost counts events under way that will never be in the log.
func (w *Worker) lost(n int64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.countLostLocked(n, err)
	w.inflight -= n
}

// swapped counts an event under way that another one stands for.
func (w *Worker) swapped(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stats.Events++
	w.countLostLocked(1, err)
}

// now is the time as the source counts it.
func (w *Worker) now() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock.now()
}
