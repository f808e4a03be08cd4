package runlog_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/hub/view"
)

// bubble runs f with a store of its own and a clock that nobody waits for.
func bubble(t *testing.T, cfg runlog.MemoryConfig, f func(*testing.T, *runlog.Memory)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := runlog.NewMemory(cfg)
		defer m.Close()
		f(t, m)
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func claimed(t *testing.T, m runlog.Store, run string) *runlogtest.Author {
	t.Helper()
	a := runlogtest.NewAuthor(run, 1)
	must(t, a.Claim(t.Context(), m, runlog.ClaimOptions{Owner: "author of " + run}))
	return a
}

// index returns the whole list of runs.
func index(t *testing.T, m runlog.Store) map[string]runlog.RunSummary {
	t.Helper()
	f, err := m.Index(t.Context())
	must(t, err)
	defer f.Close()
	u, err := f.Next(t.Context())
	must(t, err)
	runs := map[string]runlog.RunSummary{}
	for _, r := range u.Runs {
		runs[r.Run] = r
	}
	return runs
}

func TestHoldEndsWithSilence(t *testing.T) {
	bubble(t, runlog.MemoryConfig{}, func(t *testing.T, m *runlog.Memory) {
		a := claimed(t, m, "run")
		claim := func() error {
			_, _, err := m.Claim(t.Context(), "run", runlog.ClaimOptions{Owner: "other"})
			return err
		}
		signs := []func() error{
			func() error { return a.Append(t.Context(), 1) },
			func() error { return a.Checkpoint(t.Context()) },
			func() error { return a.Writer.Heartbeat(t.Context(), view.Summary{}) },
			func() error { return a.Writer.PutBlob(t.Context(), "c1", strings.NewReader("x")) },
		}
		for _, sign := range signs {
			time.Sleep(runlog.HoldFor - time.Second)
			must(t, sign())
			time.Sleep(runlog.HoldFor - time.Second)
			held, ok := errors.AsType[*runlog.HeldError](claim())
			if !ok || held.Age != runlog.HoldFor-time.Second {
				t.Fatalf("claim of a run that was heard: %v", held)
			}
		}
		time.Sleep(time.Second)
		must(t, claim())
		if err := a.Append(t.Context(), 1); !errors.Is(err, runlog.ErrFenced) {
			t.Fatalf("append after the loss of the run: %v", err)
		}
	})
}

func TestBeatAge(t *testing.T) {
	bubble(t, runlog.MemoryConfig{}, func(t *testing.T, m *runlog.Memory) {
		a := claimed(t, m, "run")
		must(t, a.Writer.Heartbeat(t.Context(), view.Summary{}))
		time.Sleep(5 * time.Second)
		f, err := m.Follow(t.Context(), "run")
		must(t, err)
		defer f.Close()
		v := runlogtest.NewVerifier(nil)
		must(t, runlogtest.Pump(t.Context(), f, v, func() bool { return v.Beats > 0 }))
		if v.LastBeat.Age != 5*time.Second {
			t.Errorf("beat %+v, want an age of 5s", v.LastBeat)
		}
		if r := index(t, m)["run"]; r.HeardMs != 5000 {
			t.Errorf("index says heard %d ms ago", r.HeardMs)
		}
	})
}

// A finished run goes when nobody has heard of it for KeepFor; a live one never.
func TestFinishedRunsExpire(t *testing.T) {
	bubble(t, runlog.MemoryConfig{}, func(t *testing.T, m *runlog.Memory) {
		live, done := claimed(t, m, "live"), claimed(t, m, "done")
		must(t, done.Append(t.Context(), 3))
		must(t, done.Writer.PutBlob(t.Context(), "c1", strings.NewReader("x")))
		must(t, done.Writer.Close(t.Context()))
		f, err := m.Follow(t.Context(), "done")
		must(t, err)
		defer f.Close()
		x, err := m.Index(t.Context())
		must(t, err)
		defer x.Close()
		if _, err := x.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 8 * 24 {
			time.Sleep(time.Hour)
			must(t, live.Append(t.Context(), 1))
		}
		for {
			u, err := x.Next(t.Context())
			must(t, err)
			if len(u.Gone) == 1 && u.Gone[0] == "done" {
				break
			}
		}
		v := runlogtest.NewVerifier(nil)
		err = runlogtest.Pump(t.Context(), f, v, func() bool { return false })
		if !errors.Is(err, runlog.ErrNoRun) {
			t.Errorf("follower of an expired run: %v", err)
		}
		if runs := index(t, m); len(runs) != 1 {
			t.Errorf("index has %v", runs)
		}
		// Nothing that is left of it may count or write.
		if err := done.Writer.Close(t.Context()); err != nil {
			t.Errorf("second close: %v", err)
		}
		again := claimed(t, m, "done")
		if again.At.Seq != 0 {
			t.Errorf("an expired run is claimed at %s", again.At)
		}
	})
}

// A run whose writer vanished without closing is finished as well.
func TestAbandonedRunsExpire(t *testing.T) {
	bubble(t, runlog.MemoryConfig{KeepFor: time.Hour}, func(t *testing.T, m *runlog.Memory) {
		live, dead := claimed(t, m, "live"), claimed(t, m, "dead")
		must(t, dead.Append(t.Context(), 3))
		f, err := m.Follow(t.Context(), "dead")
		must(t, err)
		defer f.Close()
		for range 90 {
			time.Sleep(time.Minute)
			must(t, live.Append(t.Context(), 1))
		}
		v := runlogtest.NewVerifier(nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := runlogtest.Pump(ctx, f, v, func() bool { return false }); !errors.Is(err, runlog.ErrNoRun) {
			t.Errorf("follower of an abandoned run: %v", err)
		}
		must(t, live.Append(t.Context(), 1))
	})
}

func TestRunsAreBounded(t *testing.T) {
	bubble(t, runlog.MemoryConfig{Runs: 3}, func(t *testing.T, m *runlog.Memory) {
		for i := range 3 {
			a := claimed(t, m, fmt.Sprint("r", i))
			if i != 1 {
				must(t, a.Writer.Close(t.Context()))
			}
			time.Sleep(time.Second)
		}
		claimed(t, m, "r3") // r0 is finished and the oldest
		claimed(t, m, "r4") // r1 is live; r2 goes
		runs := index(t, m)
		if _, kept := runs["r1"]; len(runs) != 3 || !kept {
			t.Errorf("kept %v", runs)
		}
		_, _, err := m.Claim(t.Context(), "r5", runlog.ClaimOptions{Owner: "o"})
		if !errors.Is(err, runlog.ErrFull) {
			t.Errorf("claim with live runs only: %v", err)
		}
		// A worker that vanished without closing gives way in the end.
		time.Sleep(2 * time.Minute)
		claimed(t, m, "r5")
	})
}

func TestBytesAreBounded(t *testing.T) {
	const bound = 200 << 10
	bubble(t, runlog.MemoryConfig{Bytes: bound}, func(t *testing.T, m *runlog.Memory) {
		notice := view.Event{Type: view.NoticeEvent, Text: new(strings.Repeat("x", 1000))}
		fill := func(a *runlogtest.Author) (err error) {
			for range 60 { // about 64 KiB
				if err = a.AppendEvents(t.Context(), notice); err != nil {
					return err
				}
			}
			return nil
		}
		first, second := claimed(t, m, "first"), claimed(t, m, "second")
		must(t, fill(first))
		must(t, first.Writer.Close(t.Context()))
		must(t, fill(second))
		must(t, second.Checkpoint(t.Context()))
		third := claimed(t, m, "third")
		must(t, fill(third)) // makes the finished run go
		if runs := index(t, m); len(runs) != 2 {
			t.Errorf("runs %v, want the finished one gone", runs)
		}
		must(t, fill(third)) // makes the others shrink to their checkpoints
		v := runlogtest.NewVerifier(second.Ledger)
		f, err := m.Follow(t.Context(), "second")
		must(t, err)
		defer f.Close()
		must(t, runlogtest.Pump(t.Context(), f, v, func() bool { return v.At() == second.At }))
		// Snapshots cannot shrink: in the end the store is full, and says so.
		for err == nil {
			err = fill(third)
		}
		if !errors.Is(err, runlog.ErrFull) && !errors.Is(err, runlog.ErrNeedCheckpoint) {
			t.Errorf("beyond the bound: %v", err)
		}
	})
}

// bigView is a snapshot of about n bytes at seq.
func bigView(t *testing.T, n int, seq int64) runlog.Snapshot {
	t.Helper()
	v := view.New()
	v.Apply(&view.Event{Type: view.NoticeEvent, T: 1, Text: new(strings.Repeat("x", n))})
	data, err := v.Encode()
	must(t, err)
	return runlog.Snapshot{Position: runlog.Position{Seq: seq}, View: data}
}

// What comes with a claim counts as what is appended does: finished runs make
// room for it, live ones do not, and what is refused leaves all as it was.
func TestSeedsAreBounded(t *testing.T) {
	const bound, size = 1 << 20, 300 << 10
	bubble(t, runlog.MemoryConfig{Bytes: bound}, func(t *testing.T, m *runlog.Memory) {
		seed := bigView(t, size, 5)
		claim := func(run string) (runlog.Writer, error) {
			time.Sleep(time.Second)
			w, _, err := m.Claim(t.Context(), run, runlog.ClaimOptions{Owner: "o", Takeover: true, Seed: &seed})
			return w, err
		}
		for i := range 20 { // one at a time: those before are finished
			w, err := claim(fmt.Sprint("done", i))
			must(t, err)
			must(t, w.Close(t.Context()))
		}
		if runs := index(t, m); len(runs) != bound/size {
			t.Errorf("%d finished runs of %d bytes are kept within %d", len(runs), size, bound)
		}
		a := claimed(t, m, "live")
		must(t, a.Append(t.Context(), 3))
		for i := range bound/size - 1 {
			_, err := claim(fmt.Sprint("live", i))
			must(t, err)
		}
		huge := bigView(t, size*3, 5)
		for run, o := range map[string]runlog.ClaimOptions{
			"new":   {Owner: "o", Seed: &huge},
			"live":  {Owner: "o", Takeover: true, Seed: &huge},
			"live0": {Owner: "o", Takeover: true, Seed: &huge},
		} {
			if _, _, err := m.Claim(t.Context(), run, o); !errors.Is(err, runlog.ErrFull) {
				t.Errorf("claim of %s above the bound: %v", run, err)
			}
		}
		if runs := index(t, m); len(runs) != bound/size {
			t.Errorf("kept %v", runs)
		}
		must(t, a.Append(t.Context(), 3)) // the refused takeover has not fenced it
	})
}

func TestCheckpointsAreBounded(t *testing.T) {
	const bound = 1 << 20
	bubble(t, runlog.MemoryConfig{Bytes: bound}, func(t *testing.T, m *runlog.Memory) {
		done, other, a := claimed(t, m, "done"), claimed(t, m, "other"), claimed(t, m, "run")
		notice := view.Event{Type: view.NoticeEvent, Text: new(strings.Repeat("x", 100<<10))}
		for _, a := range []*runlogtest.Author{done, other, a} {
			for range 3 {
				must(t, a.AppendEvents(t.Context(), notice))
			}
		}
		must(t, done.Writer.Close(t.Context()))
		put := func(n int) error {
			s := bigView(t, n, a.At.Seq)
			s.Epoch = a.At.Epoch
			return a.Writer.Checkpoint(t.Context(), s)
		}
		must(t, put(300<<10)) // the finished run goes
		if _, kept := index(t, m)["done"]; kept {
			t.Error("the finished run is kept")
		}
		must(t, put(650<<10)) // its own log goes
		if entries, err := m.Read(t.Context(), "run", runlog.Position{}, 10); err != nil || len(entries) != 0 {
			t.Errorf("%d entries are kept: %v", len(entries), err)
		}
		if err := put(900 << 10); !errors.Is(err, runlog.ErrFull) {
			t.Errorf("checkpoint above the bound: %v", err)
		}
		// What was there before is still there, and the writer goes on.
		f, err := m.Follow(t.Context(), "run")
		must(t, err)
		defer f.Close()
		u, err := f.Next(t.Context())
		must(t, err)
		if n := len(u.Reset.Snapshot.View); n < 650<<10 || n > 651<<10 {
			t.Errorf("a joiner gets a snapshot of %d bytes", n)
		}
		must(t, put(300<<10))
		must(t, a.AppendEvents(t.Context(), notice))
	})
}

func TestOneRunIsBoundedInBytes(t *testing.T) {
	bubble(t, runlog.MemoryConfig{RunBytes: 64 << 10}, func(t *testing.T, m *runlog.Memory) {
		a := claimed(t, m, "run")
		e := view.Event{Type: view.ToolStart, Key: "c1", Args: strings.Repeat("x", 1000)}
		for range 500 { // asks for checkpoints; the view stays small
			must(t, a.AppendEvents(t.Context(), e))
		}
		entries, err := m.Read(t.Context(), "run", runlog.Position{}, 1000)
		must(t, err)
		if n := len(entries); n < 20 || n > 60 {
			t.Errorf("%d entries of 1 KiB are kept", n)
		}
	})
}

// A batch greater than the bound must not be refused for ever.
func TestOneBatchAboveTheBound(t *testing.T) {
	bubble(t, runlog.MemoryConfig{RunEvents: 10}, func(t *testing.T, m *runlog.Memory) {
		a := claimed(t, m, "run")
		must(t, a.Append(t.Context(), 50))
		must(t, a.Append(t.Context(), 50))
		must(t, a.Append(t.Context(), 3))
	})
}

func TestBlobsAreBounded(t *testing.T) {
	bubble(t, runlog.MemoryConfig{BlobBytes: 10_000}, func(t *testing.T, m *runlog.Memory) {
		a, b := claimed(t, m, "a"), claimed(t, m, "b")
		put := func(a *runlogtest.Author, name string) error {
			return a.Writer.PutBlob(t.Context(), name, strings.NewReader(strings.Repeat("x", 3000)))
		}
		must(t, put(a, "c1"))
		must(t, put(b, "c1"))
		must(t, put(a, "c1")) // replaced: the newest now
		must(t, put(a, "c2"))
		must(t, put(a, "c3"))
		kept := 0
		for _, at := range []struct{ run, name string }{{"a", "c1"}, {"b", "c1"}, {"a", "c2"}, {"a", "c3"}} {
			if r, err := m.Blob(t.Context(), at.run, at.name); err == nil {
				r.Close()
				kept++
			} else if at.run != "b" {
				t.Errorf("%v: %v", at, err)
			}
		}
		if kept != 3 {
			t.Errorf("%d outputs are kept, want 3", kept)
		}
		err := a.Writer.PutBlob(t.Context(), "c4", strings.NewReader(strings.Repeat("x", 10_001)))
		if !errors.Is(err, runlog.ErrTooLarge) {
			t.Errorf("an output above the bound of all: %v", err)
		}
	})
}

// A log that cannot be folded must not keep the run held, nor be changed.
func TestClaimOfABrokenLog(t *testing.T) {
	bubble(t, runlog.MemoryConfig{}, func(t *testing.T, m *runlog.Memory) {
		a := claimed(t, m, "run")
		_, err := a.Writer.Append(t.Context(), 1, [][]byte{[]byte(`{"type":"from the future","t":1}`)})
		must(t, err)
		for range 2 {
			_, _, err = m.Claim(t.Context(), "run", runlog.ClaimOptions{Owner: "o", Takeover: true})
			if err == nil || !strings.Contains(err.Error(), "from the future") || !strings.Contains(err.Error(), "/1") {
				t.Fatalf("claim of a broken log: %v", err)
			}
		}
		// With a view of its own a worker can go on.
		empty, err := view.New().Encode()
		must(t, err)
		seed := runlog.Snapshot{Position: runlog.Position{Seq: 1}, View: empty}
		must(t, a.Claim(t.Context(), m, runlog.ClaimOptions{Owner: "o", Seed: &seed}))
		if a.At.Seq != 1 {
			t.Errorf("claimed at %s", a.At)
		}
	})
}

// A follower of the index that sleeps through everything still ends right.
func TestIndexFollowerFarBehind(t *testing.T) {
	bubble(t, runlog.MemoryConfig{Runs: 10}, func(t *testing.T, m *runlog.Memory) {
		x, err := m.Index(t.Context())
		must(t, err)
		defer x.Close()
		a := claimed(t, m, "first")
		must(t, a.Writer.Close(t.Context()))
		_, err = x.Next(t.Context())
		must(t, err)
		for i := range 1500 {
			a := claimed(t, m, fmt.Sprint("r", i))
			must(t, a.Writer.Close(t.Context()))
		}
		u, err := x.Next(t.Context())
		must(t, err)
		if !u.Full || len(u.Runs) != 10 || len(u.Gone) != 0 {
			t.Errorf("update full=%v with %d runs and %d gone, want the full list of 10", u.Full, len(u.Runs), len(u.Gone))
		}
	})
}

// A worker that is restarted over and over must not make a run grow.
func TestManyEpochs(t *testing.T) {
	bubble(t, runlog.MemoryConfig{}, func(t *testing.T, m *runlog.Memory) {
		a := claimed(t, m, "run")
		must(t, a.Append(t.Context(), 5))
		first := a.At
		for range 1000 {
			must(t, a.Claim(t.Context(), m, runlog.ClaimOptions{Takeover: true}))
		}
		recent := a.At
		must(t, a.Claim(t.Context(), m, runlog.ClaimOptions{Takeover: true}))
		must(t, a.Append(t.Context(), 5))
		entries, err := m.Read(t.Context(), "run", recent, 10)
		must(t, err)
		if len(entries) != 5 {
			t.Errorf("read after a recent epoch: %d entries", len(entries))
		}
		if _, err := m.Read(t.Context(), "run", first, 10); !errors.Is(err, runlog.ErrUnknownPosition) {
			t.Errorf("an epoch of long ago: %v", err)
		}
	})
}

// What was lost is given again; who had seen it does not notice.
func TestLose(t *testing.T) {
	bubble(t, runlog.MemoryConfig{}, func(t *testing.T, m *runlog.Memory) {
		a := claimed(t, m, "run")
		must(t, a.Append(t.Context(), 10))
		must(t, a.Checkpoint(t.Context()))
		f, err := m.Follow(t.Context(), "run")
		must(t, err)
		defer f.Close()
		v := runlogtest.NewVerifier(a.Ledger)
		var data [][]byte
		for range 10 {
			d, err := runlogtest.Encode(a.Script.Next())
			must(t, err)
			data = append(data, d...)
		}
		give := func(first int64, data [][]byte, want runlog.Ack) {
			t.Helper()
			got, err := a.Writer.Append(t.Context(), first, data)
			must(t, err)
			if got != want {
				t.Fatalf("append from %d: %+v, want %+v", first, got, want)
			}
		}
		give(11, data[:6], runlog.Ack{Status: runlog.AppendOK, Last: 16})
		must(t, runlogtest.Pump(t.Context(), f, v, func() bool { return v.At().Seq == 16 }))
		m.Lose("run", 13)
		give(17, data[6:], runlog.Ack{Status: runlog.AppendGap, Last: 13})
		m.Lose("run", 3) // the checkpoint holds
		give(17, data[6:], runlog.Ack{Status: runlog.AppendGap, Last: 10})
		give(11, data, runlog.Ack{Status: runlog.AppendOK, Last: 20})
		must(t, runlogtest.Pump(t.Context(), f, v, func() bool { return v.At().Seq == 20 }))
		if len(v.Resets) != 1 {
			t.Errorf("resets %v", v.Resets)
		}
		m.Lose("run", -1)
		if err := a.Append(t.Context(), 1); !errors.Is(err, runlog.ErrNoRun) {
			t.Errorf("append to a lost run: %v", err)
		}
		m.Lose("run", 0)
	})
}
