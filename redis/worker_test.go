package redis

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/hub/view"
)

// patience only turns a hang into a failure.
const patience = 90 * time.Second

// stubborn is a writer that goes on whatever the store does, as a worker does:
// it appends again when it does not know, refills what the store lost, and claims
// again with its own view when the run is gone.
type stubborn struct {
	t      testing.TB
	store  *Store
	run    string
	owner  string
	script *runlogtest.Script
	ledger *runlogtest.Ledger

	writer runlog.Writer
	view   *view.View
	at     runlog.Position
	// events holds everything since base, for refills.
	events [][]byte
	base   int64

	dups, gaps, claims, unavailable int
}

func newStubborn(t testing.TB, s *Store, run string, ledger *runlogtest.Ledger) *stubborn {
	return &stubborn{t: t, store: s, run: run, owner: "stubborn", script: runlogtest.NewScript(uint64(len(run))), ledger: ledger}
}

// again says whether err only means that the store is away, after waiting.
func (w *stubborn) again(ctx context.Context, err error) bool {
	if !errors.Is(err, runlog.ErrUnavailable) {
		return false
	}
	w.unavailable++
	return w.store.sleep(ctx, 20*time.Millisecond)
}

func (w *stubborn) claim(ctx context.Context) error {
	o := runlog.ClaimOptions{Owner: w.owner, Takeover: true}
	if w.view != nil {
		data, err := w.view.Encode()
		if err != nil {
			return err
		}
		o.Seed = &runlog.Snapshot{Position: w.at, View: data}
	}
	for {
		writer, s, err := w.store.Claim(ctx, w.run, o)
		if w.again(ctx, err) {
			continue
		}
		if err != nil {
			return err
		}
		v, err := view.Decode(s.View)
		if err != nil {
			return err
		}
		w.claims++
		w.writer, w.view, w.at = writer, v, s.Position
		w.script.Continue(v)
		w.events, w.base = nil, s.Seq
		return w.ledger.View(w.at, v.Hash())
	}
}

// append appends the next n events, until they are in.
func (w *stubborn) append(ctx context.Context, n int) error {
	var events []view.Event
	for range n {
		events = append(events, w.script.Next())
	}
	return w.appendEvents(ctx, events...)
}

func (w *stubborn) appendEvents(ctx context.Context, events ...view.Event) error {
	data, err := runlogtest.Encode(events...)
	if err != nil {
		return err
	}
	first, todo := w.at.Seq+1, data
	for {
		ack, err := w.writer.Append(ctx, first, todo)
		switch {
		case w.again(ctx, err):
		case errors.Is(err, runlog.ErrNoRun):
			// The batch may have been seen before it was lost: it belongs into the seed,
			// or followers would have to go back.
			if err := w.fold(data); err != nil {
				return err
			}
			return w.claim(ctx)
		case errors.Is(err, runlog.ErrNeedCheckpoint):
			if err := w.checkpoint(ctx); err != nil {
				return err
			}
		case err != nil:
			return err
		case ack.Status == runlog.AppendGap:
			w.gaps++
			first, todo = ack.Last+1, append(w.events[ack.Last-w.base:len(w.events):len(w.events)], data...)
		default:
			if ack.Status == runlog.AppendDup {
				w.dups++
			}
			if want := w.at.Seq + int64(len(data)); ack.Last != want {
				return fmt.Errorf("append at %s: %+v, want last %d", w.at, ack, want)
			}
			return w.fold(data)
		}
	}
}

func (w *stubborn) fold(data [][]byte) error {
	w.events = append(w.events, data...)
	for _, d := range data {
		w.at.Seq++
		if err := w.ledger.Entry(runlog.Entry{Position: w.at, Data: d}); err != nil {
			return err
		}
		e, err := view.DecodeEvent(d)
		if err != nil {
			return err
		}
		w.view.Apply(&e)
	}
	return nil
}

func (w *stubborn) checkpoint(ctx context.Context) error {
	data, err := w.view.Encode()
	if err != nil {
		return err
	}
	for {
		err := w.writer.Checkpoint(ctx, runlog.Snapshot{Position: w.at, View: data})
		switch {
		case w.again(ctx, err):
		case errors.Is(err, runlog.ErrNoRun):
			return w.claim(ctx)
		default:
			return err
		}
	}
}

func (w *stubborn) end(ctx context.Context) error {
	return w.appendEvents(ctx, view.Event{Type: view.NoticeEvent, Kind: runlogtest.EndKind, T: 1_800_000_000_000})
}

// watcher follows a run to its end and checks everything on the way.
type watcher struct {
	*runlogtest.Verifier
	done chan error
	// ups and downs count what was said of the link.
	ups, downs int
}

func newWatcher(ledger *runlogtest.Ledger, lossy bool) *watcher {
	w := &watcher{Verifier: runlogtest.NewVerifier(ledger), done: make(chan error, 1)}
	w.Lossy = lossy
	return w
}

func watch(ctx context.Context, t testing.TB, s *Store, run string, ledger *runlogtest.Ledger, lossy bool) *watcher {
	t.Helper()
	w := newWatcher(ledger, lossy)
	f, err := s.Follow(ctx, run)
	if err != nil {
		t.Fatal(err)
	}
	go w.follow(ctx, f)
	return w
}

// follow reads to the end of the run.
func (w *watcher) follow(ctx context.Context, f runlog.Follower) {
	defer f.Close()
	for !runlogtest.Ended(w.View()) {
		u, err := f.Next(ctx)
		if err == nil {
			err = w.Update(u)
		}
		if err != nil {
			w.done <- fmt.Errorf("at %s: %w", w.At(), err)
			return
		}
		if u.Link != nil && u.Link.Up {
			w.ups++
		} else if u.Link != nil {
			w.downs++
		}
	}
	w.done <- nil
}

// wait waits for the end and compares with the writer.
func (w *watcher) wait(t testing.TB, want *stubborn) {
	t.Helper()
	if err := <-w.done; err != nil {
		t.Fatal(err)
	}
	if w.At() != want.at || w.View().Hash() != want.view.Hash() {
		t.Fatalf("a follower ended at %s, hash %.12s; the writer at %s, hash %.12s", w.At(), w.View().Hash(), want.at, want.view.Hash())
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
