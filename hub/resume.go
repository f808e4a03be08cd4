package hub

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

// Bounds of the history that is read from the store so that observers can go on
// from before the log of frames begins. What is read is shared: a hub that has
// just started reads it once, however many come back to it.
const (
	maxBackfill      = 2000    // events
	maxBackfillBytes = 1 << 20 // and their bytes
)

// resume places w at a position that the client has reached: it goes on there,
// or, where the position is not known, gets a snapshot and the reason.
func (r *run) resume(ctx context.Context, w *watch, from runlog.Position) {
	if r.place(w, from) {
		return
	}
	if w.need != runlog.ReasonUnknownPosition {
		return
	}
	r.backfilling.Lock()
	defer r.backfilling.Unlock()
	if r.place(w, from) { // somebody else has read it meanwhile
		return
	}
	if r.backfill(ctx, from) {
		r.place(w, from)
	}
}

// place looks the position up in the log of frames. Where it is not there,
// w.need says why.
func (r *run) place(w *watch, from runlog.Position) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	w.need, w.catchUp = "", nil
	if from.Epoch != r.pos.Epoch {
		w.need = runlog.ReasonEpoch
		return false
	}
	cursor, partial, first, ok := r.find(from.Seq)
	if ok && partial != nil {
		w.catchUp, ok = restOf(partial, first, from.Seq+1)
	}
	if !ok {
		w.need = runlog.ReasonUnknownPosition
		return false
	}
	w.cursor = cursor
	return true
}

// restOf makes a frame of the events of another frame from seq on. first is the
// seq of that frame's first event.
func restOf(frame []byte, first, seq int64) ([]byte, bool) {
	var m wire.Events
	if err := json.Unmarshal(framePayload(frame), &m); err != nil {
		return nil, false
	}
	skip := seq - first
	if skip <= 0 || skip >= int64(len(m.Events)) {
		return nil, false
	}
	events := make([][]byte, 0, len(m.Events))
	for _, e := range m.Events[skip:] {
		events = append(events, e)
	}
	return appendFrame(nil, wire.AppendEvents(nil, m.Run, m.Epoch, seq, events)), true
}

// backfill reads what lies between from and the begin of the log of frames, and
// puts it in front. It is false if that is too much or not to be had.
// backfilling is held.
func (r *run) backfill(ctx context.Context, from runlog.Position) bool {
	r.mu.RLock()
	epoch, oldest, known, trimmed := r.pos.Epoch, r.oldestSeq(), r.seq, r.trimmed
	r.mu.RUnlock()
	if trimmed || from.Epoch != epoch || from.Seq >= known || oldest-from.Seq > maxBackfill || oldest <= from.Seq {
		return false
	}
	entries, err := r.hub.cfg.Store.Read(ctx, r.id, from, int(oldest-from.Seq))
	if err != nil || int64(len(entries)) != oldest-from.Seq {
		return false
	}
	size := 0
	for i, e := range entries {
		if e.Epoch != epoch || e.Seq != from.Seq+1+int64(i) {
			return false
		}
		size += len(e.Data)
	}
	if size > maxBackfillBytes {
		return false
	}
	older := &frameLog{maxBytes: 2 * maxBackfillBytes, maxFrames: maxBackfill, seq: from.Seq}
	for batch := range slices.Chunk(entries, 64) {
		older.append(wire.AppendEntries(nil, r.id, batch), batch[len(batch)-1].Seq)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pos.Epoch != epoch || r.oldestSeq() != oldest || !r.prepend(older) {
		return false
	}
	r.hub.stats.Backfills.Add(1)
	return true
}
