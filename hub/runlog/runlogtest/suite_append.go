package runlogtest

import (
	"bytes"
	"testing"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// next encodes the author's next n events without appending them.
func (a *Author) next(t *testing.T, n int) [][]byte {
	t.Helper()
	var events []view.Event
	for range n {
		events = append(events, a.Script.Next())
	}
	data, err := Encode(events...)
	must(t, err)
	return data
}

func appendRaw(t *testing.T, e *env, a *Author, first int64, data [][]byte, want runlog.Ack) {
	t.Helper()
	got, err := a.Writer.Append(e.ctx, first, data)
	must(t, err)
	if got != want {
		t.Fatalf("append of %d from %d: %+v, want %+v", len(data), first, got, want)
	}
}

// appendDup: a call whose answer was lost is repeated, and nobody sees it twice.
func appendDup(t *testing.T, e *env) {
	a := e.author(t, "dup", runlog.ClaimOptions{})
	f, v := e.follow(t, a.Run), NewVerifier(a.Ledger)
	must(t, a.Append(e.ctx, 4))
	data := a.next(t, 5)
	appendRaw(t, e, a, 5, data, runlog.Ack{Status: runlog.AppendOK, Last: 9})
	appendRaw(t, e, a, 5, data, runlog.Ack{Status: runlog.AppendDup, Last: 9})
	appendRaw(t, e, a, 6, data[1:3], runlog.Ack{Status: runlog.AppendDup, Last: 9})
	must(t, a.fold(data))
	must(t, a.Append(e.ctx, 2))
	e.pumpTo(t, f, v, a)
	wholeLog(t, e, a)
}

// wholeLog reads history from the beginning, which must lack and repeat nothing.
func wholeLog(t *testing.T, e *env, a *Author) {
	t.Helper()
	entries, err := e.store.Read(e.ctx, a.Run, runlog.Position{}, KeepEvents)
	must(t, err)
	for i, entry := range entries {
		if entry.Seq != int64(i)+1 {
			t.Fatalf("entry %d of the log is %s", i+1, entry.Position)
		}
		must(t, a.Ledger.Entry(entry))
	}
	if int64(len(entries)) != a.At.Seq {
		t.Fatalf("the log has %d entries, want %d", len(entries), a.At.Seq)
	}
}

func appendGap(t *testing.T, e *env) {
	a := e.author(t, "gap", runlog.ClaimOptions{})
	must(t, a.Append(e.ctx, 4))
	data := a.next(t, 3)
	appendRaw(t, e, a, 6, data[1:], runlog.Ack{Status: runlog.AppendGap, Last: 4})
	e.joined(t, a) // nothing was written
	// No events: only the question whether the store has what comes before.
	appendRaw(t, e, a, 5, nil, runlog.Ack{Status: runlog.AppendOK, Last: 4})
	appendRaw(t, e, a, 6, nil, runlog.Ack{Status: runlog.AppendGap, Last: 4})
	appendRaw(t, e, a, 5, data, runlog.Ack{Status: runlog.AppendOK, Last: 7})
	must(t, a.fold(data))
	e.joined(t, a)
}

func appendOverlap(t *testing.T, e *env) {
	a := e.author(t, "overlap", runlog.ClaimOptions{})
	f, v := e.follow(t, a.Run), NewVerifier(a.Ledger)
	data := a.next(t, 10)
	appendRaw(t, e, a, 1, data[:6], runlog.Ack{Status: runlog.AppendOK, Last: 6})
	appendRaw(t, e, a, 4, data[3:], runlog.Ack{Status: runlog.AppendOK, Last: 10})
	must(t, a.fold(data))
	e.pumpTo(t, f, v, a)
	wholeLog(t, e, a)
	appendRaw(t, e, a, 11, nil, runlog.Ack{Status: runlog.AppendOK, Last: 10})
}

func appendTooLarge(t *testing.T, e *env) {
	a := e.author(t, "large", runlog.ClaimOptions{})
	must(t, a.Append(e.ctx, 2))
	small, big := []byte(`{"type":"agent_start","t":1}`), bytes.Repeat([]byte(" "), view.MaxEventBytes)
	many := make([][]byte, runlog.MaxBatchEvents+1)
	for i := range many {
		many[i] = small
	}
	for _, batch := range [][][]byte{many, {append(big, ' ')}, {small, big, big, small}} {
		_, err := a.Writer.Append(e.ctx, 3, batch)
		wantError(t, err, runlog.ErrTooLarge)
	}
	if _, err := a.Writer.Append(e.ctx, 0, [][]byte{small}); err == nil {
		t.Error("seq 0 was taken")
	}
	must(t, a.Append(e.ctx, 3))
	e.joined(t, a)
	s := runlog.Snapshot{Position: a.At, View: make([]byte, runlog.MaxViewBytes+1)}
	wantError(t, a.Writer.Checkpoint(e.ctx, s), runlog.ErrTooLarge)
	e.joined(t, a)
}

// checkpointRules: an older checkpoint, or one ahead of the log, is ignored.
func checkpointRules(t *testing.T, e *env) {
	a := e.author(t, "checkpoint", runlog.ClaimOptions{})
	must(t, a.Append(e.ctx, 5))
	old, err := a.Snapshot()
	must(t, err)
	must(t, a.Append(e.ctx, 5))
	must(t, a.Checkpoint(e.ctx))
	joinAt := func() runlog.Position {
		f := e.follow(t, a.Run)
		u, err := f.Next(e.ctx)
		must(t, err)
		if u.Reset == nil {
			t.Fatalf("first update %+v", u)
		}
		return u.Reset.Snapshot.Position
	}
	at := a.At
	if got := joinAt(); got != at {
		t.Errorf("joined with the snapshot of %s, want %s", got, at)
	}
	must(t, a.Writer.Checkpoint(e.ctx, old))
	if got := joinAt(); got != at {
		t.Errorf("after an older checkpoint: joined with %s, want %s", got, at)
	}
	ahead, err := a.Snapshot()
	must(t, err)
	ahead.Seq += 5
	must(t, a.Writer.Checkpoint(e.ctx, ahead))
	if got := joinAt(); got != at {
		t.Errorf("after a checkpoint ahead of the log: joined with %s, want %s", got, at)
	}
	e.joined(t, a)
}

// checkpointTrimJoin: the log forgets what checkpoints cover, and a joiner does
// not notice.
func checkpointTrimJoin(t *testing.T, e *env) {
	a := e.author(t, "trim", runlog.ClaimOptions{})
	f, v := e.follow(t, a.Run), NewVerifier(a.Ledger)
	for a.At.Seq < 3*KeepEvents {
		must(t, a.Append(e.ctx, 50))
		if a.At.Seq%200 == 0 {
			must(t, a.Checkpoint(e.ctx))
		}
		e.pumpTo(t, f, v, a)
	}
	if len(v.Resets) != 1 {
		t.Errorf("a follower that kept up was reset: %v", v.Resets)
	}
	e.joined(t, a)
	entries, err := e.store.Read(e.ctx, a.Run, runlog.Position{}, 10*KeepEvents)
	must(t, err)
	n := int64(len(entries))
	if n == 0 || entries[0].Seq == 1 || entries[n-1].Seq != a.At.Seq || entries[n-1].Seq-entries[0].Seq != n-1 {
		t.Fatalf("kept %d entries", n)
	}
	_, err = e.store.Read(e.ctx, a.Run, runlog.Position{Epoch: a.At.Epoch, Seq: 1}, 10)
	wantError(t, err, runlog.ErrUnknownPosition)
}

// noCheckpoint: without checkpoints nothing is forgotten; the store may ask.
func noCheckpoint(t *testing.T, e *env) {
	a := e.author(t, "nocheckpoint", runlog.ClaimOptions{})
	w := a.Writer
	for a.At.Seq < 3*KeepEvents {
		data := a.next(t, 100)
		_, err := w.Append(e.ctx, a.At.Seq+1, data)
		if isNeedCheckpoint(err) {
			e.joined(t, a) // the refused batch left nothing
			must(t, a.Checkpoint(e.ctx))
			_, err = w.Append(e.ctx, a.At.Seq+1, data)
		}
		must(t, err)
		must(t, a.fold(data))
	}
	e.joined(t, a)
}

// slowFollower: one that does not read is reset, and slows nobody.
func slowFollower(t *testing.T, e *env) {
	a := e.author(t, "slow", runlog.ClaimOptions{})
	must(t, a.Append(e.ctx, 10))
	f, v := e.follow(t, a.Run), NewVerifier(a.Ledger)
	e.pumpTo(t, f, v, a)
	for a.At.Seq < 6*KeepEvents {
		must(t, a.Append(e.ctx, 100))
		if a.At.Seq%500 == 10 {
			must(t, a.Checkpoint(e.ctx))
		}
	}
	must(t, a.End(e.ctx))
	e.pumpTo(t, f, v, a)
	if v.Resets[runlog.ReasonSlow] == 0 {
		t.Errorf("resets %v, want one because it was slow", v.Resets)
	}
	must(t, a.Append(e.ctx, 10))
	e.pumpTo(t, f, v, a)
}
