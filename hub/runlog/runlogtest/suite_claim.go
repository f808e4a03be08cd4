package runlogtest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

func held(t *testing.T, e *env) {
	a := e.author(t, "held", runlog.ClaimOptions{Owner: "host/1"})
	_, _, err := e.store.Claim(e.ctx, a.Run, runlog.ClaimOptions{Owner: "host/2"})
	heldErr, ok := errors.AsType[*runlog.HeldError](err)
	if !ok || heldErr.Owner != "host/1" || heldErr.Run != a.Run || heldErr.Age < 0 || heldErr.Age >= runlog.HoldFor {
		t.Fatalf("claim of a held run: %#v (%v)", heldErr, err)
	}
	// The refused claim has changed nothing.
	must(t, a.Append(e.ctx, 3))
	e.joined(t, a)
}

func released(t *testing.T, e *env) {
	a := e.author(t, "released", runlog.ClaimOptions{})
	must(t, a.Append(e.ctx, 5))
	must(t, a.Writer.Close(e.ctx))
	must(t, a.Writer.Close(e.ctx))
	if _, err := a.Writer.Append(e.ctx, a.At.Seq+1, [][]byte{[]byte(`{"type":"agent_start","t":1}`)}); err == nil {
		t.Error("a closed writer appends")
	}
	e.joined(t, a) // the log stays
	must(t, a.Claim(e.ctx, e.store, runlog.ClaimOptions{Owner: "next"}))
	must(t, a.Append(e.ctx, 5))
	e.joined(t, a)
}

// takeover: followers keep the old epoch until they are told of the new one.
func takeover(t *testing.T, e *env) {
	a := e.author(t, "takeover", runlog.ClaimOptions{})
	must(t, a.Append(e.ctx, 7))
	f, v := e.follow(t, a.Run), NewVerifier(a.Ledger)
	e.pumpTo(t, f, v, a)
	old := a.At
	must(t, a.Claim(e.ctx, e.store, runlog.ClaimOptions{Owner: "thief", Takeover: true}))
	if a.At.Epoch == old.Epoch || a.At.Seq != old.Seq {
		t.Fatalf("claimed at %s after %s", a.At, old)
	}
	e.pumpTo(t, f, v, a)
	if v.Resets[runlog.ReasonEpoch] != 1 {
		t.Errorf("resets %v, want one for the epoch", v.Resets)
	}
	must(t, Pump(e.ctx, f, v, func() bool { return v.LastBeat.Owner == "thief" }))
	must(t, a.Append(e.ctx, 4))
	e.pumpTo(t, f, v, a)
	if len(v.Resets) != 2 {
		t.Errorf("resets %v", v.Resets)
	}
}

func claimContinuesSeq(t *testing.T, e *env) {
	a := e.author(t, "continues", runlog.ClaimOptions{})
	seen := map[string]bool{a.At.Epoch: true}
	for round := range 5 {
		must(t, a.Append(e.ctx, 30))
		if round%2 == 0 {
			must(t, a.Checkpoint(e.ctx))
			must(t, a.Append(e.ctx, 3))
		}
		before, was := a.At, a.View
		must(t, a.Claim(e.ctx, e.store, runlog.ClaimOptions{Owner: fmt.Sprint(round), Takeover: true}))
		if a.At.Seq != before.Seq || seen[a.At.Epoch] {
			t.Fatalf("claimed at %s after %s", a.At, before)
		}
		seen[a.At.Epoch] = true
		sameView(t, a.View, was)
	}
	e.joined(t, a)
}

// seeded claims with a's view as a seed that stands ahead (or behind) by n.
func seeded(t *testing.T, e *env, a *Author, ahead int64, change ...view.Event) (seed runlog.Snapshot, got *Author) {
	t.Helper()
	v := a.View.Clone()
	for _, ev := range change {
		v.Apply(&ev)
	}
	data, err := v.Encode()
	must(t, err)
	seed = runlog.Snapshot{Position: runlog.Position{Epoch: "whatever", Seq: a.At.Seq + ahead}, View: data}
	got = NewAuthor(a.Run, 99)
	must(t, got.Claim(e.ctx, e.store, runlog.ClaimOptions{Owner: "seeder", Takeover: true, Seed: &seed}))
	return seed, got
}

var marked = view.Event{Type: view.RunInfo, Title: "seeded"}

func seedFurther(t *testing.T, e *env) {
	a := e.author(t, "further", runlog.ClaimOptions{})
	must(t, a.Append(e.ctx, 20))
	f, v := e.follow(t, a.Run), NewVerifier(nil)
	must(t, Pump(e.ctx, f, v, func() bool { return v.At() == a.At }))
	seed, b := seeded(t, e, a, 30, marked)
	if b.At.Seq != seed.Seq || b.View.Run == nil {
		t.Fatalf("claimed at %s, run info %v; want the seed at %d", b.At, b.View.Run, seed.Seq)
	}
	must(t, b.Append(e.ctx, 5))
	e.pumpTo(t, f, v, b)
	e.joined(t, b)
	// History shows the jump, and only where the epoch changes.
	entries, err := e.store.Read(e.ctx, a.Run, a.At, 10)
	must(t, err)
	if len(entries) != 5 || entries[0].Seq != seed.Seq+1 || entries[0].Epoch != b.At.Epoch {
		t.Fatalf("read after %s: %v", a.At, entries)
	}
}

func seedTie(t *testing.T, e *env) {
	a := e.author(t, "tie", runlog.ClaimOptions{})
	must(t, a.Append(e.ctx, 20))
	seed, b := seeded(t, e, a, 0, marked)
	if b.At.Seq != seed.Seq || b.View.Run == nil {
		t.Fatalf("claimed at %s, run info %v; a seed as far as the store wins", b.At, b.View.Run)
	}
	must(t, b.Append(e.ctx, 5))
	e.joined(t, b)
}

func seedBehind(t *testing.T, e *env) {
	a := e.author(t, "behind", runlog.ClaimOptions{})
	must(t, a.Append(e.ctx, 20))
	_, b := seeded(t, e, a, -1, marked)
	if b.At.Seq != a.At.Seq {
		t.Fatalf("claimed at %s, want seq %d", b.At, a.At.Seq)
	}
	sameView(t, b.View, a.View)
	must(t, b.Append(e.ctx, 5))
	e.joined(t, b)
}

func seedIntoEmptyStore(t *testing.T, e *env) {
	a := NewAuthor("lost", 1)
	a.View, a.At = view.New(), runlog.Position{Seq: 500}
	a.View.Apply(&marked)
	_, b := seeded(t, e, a, 0)
	if b.At.Seq != 500 {
		t.Fatalf("claimed at %s, want seq 500", b.At)
	}
	must(t, b.Append(e.ctx, 5))
	e.joined(t, b)
	entries, err := e.store.Read(e.ctx, b.Run, runlog.Position{}, 10)
	must(t, err)
	if len(entries) != 5 || entries[0].Seq != 501 {
		t.Fatalf("read %v", entries)
	}
}

// acks are positions that a store acknowledged to any of several writers.
type acks struct {
	mu  sync.Mutex
	set map[runlog.Position]bool // guarded by mu
}

func (a *acks) add(p runlog.Position) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.set[p] = true
}

// contend takes the run and appends until it is fenced, round after round.
func contend(e *env, a *Author, rounds int, acked *acks) error {
	for range rounds {
		err := a.Claim(e.ctx, e.store, runlog.ClaimOptions{Owner: "contender", Takeover: true})
		for n := 0; err == nil && n < 5; n++ {
			if err = a.Append(e.ctx, 2); err == nil {
				acked.add(a.At)
			}
		}
		if err != nil && !errors.Is(err, runlog.ErrFenced) {
			return err
		}
	}
	return nil
}

// contendingWriters: many take the run from each other while appending. What
// was acknowledged is in the log, in the order of the epochs, once.
func contendingWriters(t *testing.T, e *env) {
	const writers, rounds = 6, 12
	ledger, acked := NewLedger(), &acks{set: map[runlog.Position]bool{}}
	errs := make(chan error, writers)
	e.author(t, "contended", runlog.ClaimOptions{})
	f, v := e.follow(t, "contended"), NewVerifier(ledger)
	for i := range writers {
		go func() {
			a := NewAuthor("contended", uint64(i))
			a.Ledger = ledger
			errs <- contend(e, a, rounds, acked)
		}()
	}
	var failed error
	for range writers {
		failed = errors.Join(failed, <-errs)
	}
	must(t, failed)
	a := NewAuthor("contended", 50)
	a.Ledger = ledger
	must(t, a.Claim(e.ctx, e.store, runlog.ClaimOptions{Takeover: true}))
	must(t, a.End(e.ctx))
	e.pumpTo(t, f, v, a)
	entries, err := e.store.Read(e.ctx, a.Run, runlog.Position{}, KeepEvents)
	must(t, err)
	wantEpochsInOrder(t, entries)
	for _, entry := range entries {
		delete(acked.set, entry.Position)
	}
	if len(acked.set) > 0 {
		t.Fatalf("acknowledged but not in the log: %v", acked.set)
	}
}

// wantEpochsInOrder: seqs without gaps, and nothing of an epoch after its end.
func wantEpochsInOrder(t *testing.T, entries []runlog.Entry) {
	t.Helper()
	done := map[string]bool{}
	for i := 1; i < len(entries); i++ {
		before, entry := entries[i-1], entries[i]
		if entry.Seq != before.Seq+1 {
			t.Fatalf("%s follows %s", entry.Position, before.Position)
		}
		if entry.Epoch != before.Epoch {
			done[before.Epoch] = true
		}
		if done[entry.Epoch] {
			t.Fatalf("%s: written after its epoch had ended", entry.Position)
		}
	}
}

// fencedWritesNothing: every call of a fenced writer fails and leaves no trace.
func fencedWritesNothing(t *testing.T, e *env) {
	a := e.author(t, "fenced", runlog.ClaimOptions{Owner: "old"})
	must(t, a.Append(e.ctx, 10))
	b := NewAuthor(a.Run, 5)
	b.Ledger = a.Ledger
	must(t, b.Claim(e.ctx, e.store, runlog.ClaimOptions{Owner: "new", Takeover: true}))
	must(t, b.Append(e.ctx, 3))
	putBlob(t, e, b.Writer, "c1", "kept")

	for range 2 {
		data, err := Encode(a.Script.Next())
		must(t, err)
		for _, first := range []int64{a.At.Seq + 1, b.At.Seq + 1, 1} {
			_, err = a.Writer.Append(e.ctx, first, data)
			wantError(t, err, runlog.ErrFenced)
		}
		s, err := a.Snapshot()
		must(t, err)
		wantError(t, a.Writer.Checkpoint(e.ctx, s), runlog.ErrFenced)
		wantError(t, a.Writer.PutBlob(e.ctx, "c1", reader("overwritten")), runlog.ErrFenced)
		wantError(t, a.Writer.Heartbeat(e.ctx, view.Summary{Title: "fenced"}), runlog.ErrFenced)
	}
	if err := a.Writer.Close(e.ctx); err != nil {
		wantError(t, err, runlog.ErrFenced)
	}

	// The run is still b's, and nothing has changed.
	_, _, err := e.store.Claim(e.ctx, a.Run, runlog.ClaimOptions{Owner: "third"})
	if h, ok := errors.AsType[*runlog.HeldError](err); !ok || h.Owner != "new" {
		t.Fatalf("after a fenced close: %v", err)
	}
	if got := getBlob(t, e, a.Run, "c1"); got != "kept" {
		t.Errorf("output is %q", got)
	}
	line := runLine(t, e, a.Run)
	if line.Title == "fenced" || line.Owner != "new" {
		t.Errorf("index says %+v", line)
	}
	must(t, b.Append(e.ctx, 3))
	e.joined(t, b)
	entries, err := e.store.Read(e.ctx, a.Run, runlog.Position{}, 100)
	must(t, err)
	if len(entries) != 16 {
		t.Errorf("log has %d entries, want 16", len(entries))
	}
}
