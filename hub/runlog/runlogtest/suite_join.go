package runlogtest

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

func joinAtEverySeq(t *testing.T, e *env) {
	a := e.author(t, "every", runlog.ClaimOptions{})
	var followers []runlog.Follower
	var verifiers []*Verifier
	for i := range 120 {
		must(t, a.Append(e.ctx, 1))
		if i%25 == 24 {
			must(t, a.Checkpoint(e.ctx))
		}
		f, v := e.follow(t, a.Run), NewVerifier(a.Ledger)
		followers, verifiers = append(followers, f), append(verifiers, v)
		if i%2 == 0 { // the others read only at the end
			e.pumpTo(t, f, v, a)
		}
	}
	must(t, a.End(e.ctx))
	for i, f := range followers {
		e.pumpTo(t, f, verifiers[i], a)
		if r := verifiers[i].Resets; len(r) != 1 || r[runlog.ReasonJoin] != 1 {
			t.Errorf("joined at %d: resets %v, want one join", i+1, r)
		}
	}
}

// joinWhileAppending: many join at random while batches flow, checkpoints are
// made and the run is claimed again; each ends in the author's view.
func joinWhileAppending(t *testing.T, e *env) {
	const batches, joiners = 250, 24
	a := e.author(t, "busy", runlog.ClaimOptions{})
	rnd := rand.New(rand.NewPCG(7, 7))
	joinAt := make([]int, joiners)
	for i := range joinAt {
		joinAt[i] = rnd.IntN(batches)
	}
	views := make([]*Verifier, joiners)
	errs := make(chan error, joiners)
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(e.ctx)
	defer wg.Wait()
	defer cancel()
	for b := range batches {
		for i, at := range joinAt {
			if at != b {
				continue
			}
			views[i] = NewVerifier(a.Ledger)
			wg.Go(func() { errs <- JoinTo(ctx, e.store, a.Run, views[i]) })
		}
		must(t, a.Append(e.ctx, 1+rnd.IntN(6)))
		if rnd.IntN(20) == 0 {
			must(t, a.Checkpoint(e.ctx))
		}
		if rnd.IntN(60) == 0 {
			must(t, a.Claim(e.ctx, e.store, runlog.ClaimOptions{Owner: "again", Takeover: true}))
		}
	}
	must(t, a.End(e.ctx))
	for range joiners {
		must(t, <-errs)
	}
	for _, v := range views {
		if v.At() != a.At {
			t.Fatalf("ended at %s, want %s", v.At(), a.At)
		}
		sameView(t, v.View(), a.View)
	}
}

func newRunIsEmpty(t *testing.T, e *env) {
	w, s, err := e.store.Claim(e.ctx, "new", runlog.ClaimOptions{Owner: "o"})
	must(t, err)
	if s.Seq != 0 || s.Epoch == "" || s.Epoch != w.Epoch() {
		t.Errorf("installed %s, writer's epoch %q; want seq 0 of that epoch", s.Position, w.Epoch())
	}
	v, err := view.Decode(s.View)
	must(t, err)
	sameView(t, v, view.New())
	got := NewVerifier(nil)
	must(t, Pump(e.ctx, e.follow(t, "new"), got, func() bool { return got.At() == s.Position }))
	entries, err := e.store.Read(e.ctx, "new", runlog.Position{}, 10)
	must(t, err)
	if len(entries) != 0 {
		t.Errorf("a new run has %d entries", len(entries))
	}
}

func unknownRun(t *testing.T, e *env) {
	_, err := e.store.Follow(e.ctx, "nobody")
	wantError(t, err, runlog.ErrNoRun)
	_, err = e.store.Read(e.ctx, "nobody", runlog.Position{}, 1)
	wantError(t, err, runlog.ErrNoRun)
	if _, err = e.store.Blob(e.ctx, "nobody", "c1"); !errors.Is(err, runlog.ErrNoRun) && !errors.Is(err, runlog.ErrNoBlob) {
		t.Errorf("blob of an unknown run: %v", err)
	}
}

func badRunID(t *testing.T, e *env) {
	for _, id := range []string{"", "a b", "a/b", "é", "{x}", "a\n", string(make([]byte, 65))} {
		_, _, err := e.store.Claim(e.ctx, id, runlog.ClaimOptions{Owner: "o"})
		wantError(t, err, runlog.ErrBadRunID)
		_, err = e.store.Follow(e.ctx, id)
		wantError(t, err, runlog.ErrBadRunID)
		_, err = e.store.Read(e.ctx, id, runlog.Position{}, 1)
		wantError(t, err, runlog.ErrBadRunID)
		_, err = e.store.Blob(e.ctx, id, "c1")
		wantError(t, err, runlog.ErrBadRunID)
	}
}

// batchesStayWhole: a follower that keeps up sees every append as one update.
func batchesStayWhole(t *testing.T, e *env) {
	a := e.author(t, "batches", runlog.ClaimOptions{})
	f, v := e.follow(t, a.Run), NewVerifier(a.Ledger)
	e.pumpTo(t, f, v, a)
	for _, n := range []int{1, 5, 1, 17} {
		must(t, a.Append(e.ctx, n))
		var got []int
		for v.At() != a.At {
			u, err := f.Next(e.ctx)
			must(t, err)
			must(t, v.Update(u))
			if u.Entries != nil {
				got = append(got, len(u.Entries))
			}
		}
		if !slices.Equal(got, []int{n}) {
			t.Errorf("a batch of %d came as %v", n, got)
		}
	}
}

// waitingFollowerWakes: every kind of news reaches who waits for it.
func waitingFollowerWakes(t *testing.T, e *env) {
	a := e.author(t, "wakes", runlog.ClaimOptions{})
	ctx, cancel := context.WithCancel(e.ctx)
	type news struct {
		at    runlog.Position
		beats int
	}
	told, ended := make(chan news), make(chan error, 1)
	f, v := e.follow(t, a.Run), NewVerifier(a.Ledger)
	go func() {
		ended <- Pump(ctx, f, v, func() bool {
			if v.View() != nil {
				select {
				case told <- news{v.At(), v.Beats}:
				case <-ctx.Done():
				}
			}
			return ctx.Err() != nil
		})
	}()
	defer func() { cancel(); <-ended }()
	var last news
	until := func(done func() bool) {
		t.Helper()
		for !done() {
			select {
			case last = <-told:
			case err := <-ended:
				ended <- err
				t.Fatalf("at %s of %s: %v", last.at, a.At, err)
			}
		}
	}
	for i := range 60 {
		switch i % 6 {
		case 4:
			n := last.beats
			must(t, a.Writer.Heartbeat(e.ctx, a.View.Summary()))
			until(func() bool { return last.beats > n })
		case 5:
			must(t, a.Claim(e.ctx, e.store, runlog.ClaimOptions{Owner: "again", Takeover: true}))
		default:
			must(t, a.Append(e.ctx, 1))
		}
		until(func() bool { return last.at == a.At })
	}
}

// beats: a follower hears that the writer lives, and that it has closed.
func beats(t *testing.T, e *env) {
	a := e.author(t, "beats", runlog.ClaimOptions{Owner: "host/1"})
	f, v := e.follow(t, a.Run), NewVerifier(a.Ledger)
	must(t, Pump(e.ctx, f, v, func() bool { return v.Beats > 0 }))
	if v.LastBeat.Owner != "host/1" || v.LastBeat.Released {
		t.Errorf("first beat %+v", v.LastBeat)
	}
	n := v.Beats
	must(t, a.Writer.Heartbeat(e.ctx, a.View.Summary()))
	must(t, Pump(e.ctx, f, v, func() bool { return v.Beats > n }))
	must(t, a.Writer.Close(e.ctx))
	must(t, Pump(e.ctx, f, v, func() bool { return v.LastBeat.Released }))

	late := NewVerifier(a.Ledger)
	must(t, Pump(e.ctx, e.follow(t, a.Run), late, func() bool { return late.Beats > 0 }))
	if !late.LastBeat.Released {
		t.Errorf("joined after the release: %+v", late.LastBeat)
	}
}

// cancelledNext: a call given up takes nothing with it.
func cancelledNext(t *testing.T, e *env) {
	a := e.author(t, "cancel", runlog.ClaimOptions{})
	f, v := e.follow(t, a.Run), NewVerifier(a.Ledger)
	must(t, Pump(e.ctx, f, v, func() bool { return v.Beats > 0 }))
	for range 20 {
		ctx, cancel := context.WithCancel(e.ctx)
		done := make(chan error, 1)
		var u runlog.Update
		go func() {
			var err error
			u, err = f.Next(ctx)
			done <- err
		}()
		must(t, a.Append(e.ctx, 1))
		cancel() // before, while or after the update comes
		if err := <-done; err == nil {
			must(t, v.Update(u))
		} else {
			wantError(t, err, context.Canceled)
		}
	}
	must(t, a.End(e.ctx))
	e.pumpTo(t, f, v, a)
}
