package redis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/redis/redistest"
)

// lone is a store on a server of its own.
func lone(t testing.TB, cfg Config) (context.Context, *Store, *redistest.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	server := redistest.Start(t)
	cfg.URL = server.URL()
	s := open(t, cfg)
	must(t, s.linkOf(0).await(ctx))
	return ctx, s, server
}

// TestUnreadFollower: what a follower does not read is bounded, and it gets
// everything all the same.
func TestUnreadFollower(t *testing.T) {
	limits := Limits{BufferEvents: 200, BufferBytes: 32 << 10}
	ctx, s, _ := lone(t, Config{Limits: limits})
	w := newStubborn(t, s, "run", runlogtest.NewLedger())
	must(t, w.claim(ctx))
	f, err := s.Follow(ctx, "run")
	must(t, err)
	defer f.Close()
	for range 600 {
		must(t, w.append(ctx, 7))
	}
	must(t, w.end(ctx))
	feed := f.(*follower).feed
	for reached := false; !reached; { // live delivery is not waited for by the writer
		feed.mu.Lock()
		reached = feed.head.seq == w.at.Seq
		events, bytes, changed := feed.events, feed.bytes, feed.changed
		feed.mu.Unlock()
		if events > limits.BufferEvents || bytes > limits.BufferBytes {
			t.Fatalf("%d events of %d bytes are buffered", events, bytes)
		}
		if !reached {
			<-changed
		}
	}
	if s.Stats().Dropped == 0 {
		t.Error("nothing was dropped")
	}
	v := runlogtest.NewVerifier(w.ledger)
	must(t, runlogtest.Pump(ctx, f, v, func() bool { return v.At() == w.at }))
	if len(v.Resets) != 1 {
		t.Errorf("resets %v: the log had everything", v.Resets)
	}
}

// TestReadFollowerBuffersNothing: what all followers have read is not kept.
func TestReadFollowerBuffersNothing(t *testing.T) {
	ctx, s, _ := lone(t, Config{})
	w := newStubborn(t, s, "run", runlogtest.NewLedger())
	must(t, w.claim(ctx))
	f, err := s.Follow(ctx, "run")
	must(t, err)
	defer f.Close()
	v := runlogtest.NewVerifier(w.ledger)
	for range 1000 {
		must(t, w.append(ctx, 2))
		must(t, runlogtest.Pump(ctx, f, v, func() bool { return v.At() == w.at }))
	}
	feed := f.(*follower).feed
	feed.mu.Lock()
	defer feed.mu.Unlock()
	if len(feed.ring) > 128 {
		t.Errorf("%d batches are kept that everybody has read", len(feed.ring))
	}
}

// TestLargeBatch: one that is not published whole arrives all the same, as one.
func TestLargeBatch(t *testing.T) {
	ctx, s, _ := lone(t, Config{})
	w := newStubborn(t, s, "run", runlogtest.NewLedger())
	must(t, w.claim(ctx))
	f, err := s.Follow(ctx, "run")
	must(t, err)
	defer f.Close()
	v := runlogtest.NewVerifier(w.ledger)
	text := strings.Repeat("long ", 20_000)
	for range 5 {
		var events []view.Event
		for range 20 {
			events = append(events, view.Event{Type: view.NoticeEvent, Kind: "info", T: 1, Text: &text})
		}
		must(t, w.appendEvents(ctx, events...))
		must(t, w.append(ctx, 3))
	}
	must(t, w.end(ctx))
	must(t, runlogtest.Pump(ctx, f, v, func() bool { return v.At() == w.at }))
	// The claim folds a log that is longer than what one call reads.
	before := w.view.Hash()
	w.view = nil
	must(t, w.claim(ctx))
	if w.view.Hash() != before {
		t.Error("the claim lost something")
	}
}

// TestKeptBytes: the log is bounded by bytes too, and the accounts are right.
func TestKeptBytes(t *testing.T) {
	ctx, s, server := lone(t, Config{Limits: Limits{RunBytes: runlog.MaxBatchBytes}})
	w := newStubborn(t, s, "run", runlogtest.NewLedger())
	must(t, w.claim(ctx))
	text := strings.Repeat("0123456789", 10_000)
	for range 60 {
		must(t, w.appendEvents(ctx, view.Event{Type: view.ToolUpdate, Key: "c1", T: 1, Text: &text}))
		must(t, w.append(ctx, 1))
	}
	must(t, w.checkpoint(ctx))
	entries, err := s.Read(ctx, "run", runlog.Position{}, 1000)
	must(t, err)
	bytes := 0
	for _, e := range entries {
		bytes += len(e.Data)
	}
	k := s.names.run("run")
	counted := server.Do("HMGET", k.meta(), "n", "by")
	var n, by int
	if _, err := fmt.Sscanf(counted, "[%d %d]", &n, &by); err != nil {
		t.Fatalf("%s: %v", counted, err)
	}
	if n != len(entries) || by < bytes || by > bytes+5*n || by > runlog.MaxBatchBytes {
		t.Errorf("%d events of %d bytes are kept, %d of %d are counted", len(entries), bytes, n, by)
	}
}

// TestPlace: the script and runlog.Place agree on every append.
func TestPlace(t *testing.T) {
	ctx, s, _ := lone(t, Config{})
	wr, _, err := s.Claim(ctx, "run", runlog.ClaimOptions{Owner: "o"})
	must(t, err)
	rnd := rand.New(rand.NewPCG(1, 1))
	last := int64(0)
	for range 2000 {
		first, n := max(last+int64(rnd.IntN(12))-8, 1), rnd.IntN(9)
		events := make([][]byte, n)
		for i := range events {
			events[i] = []byte(`{"type":"agent_start","t":1}`)
		}
		_, want := runlog.Place(last, first, n)
		got, err := wr.Append(ctx, first, events)
		must(t, err)
		if got != want {
			t.Fatalf("%d events from %d to a log up to %d: %+v, want %+v", n, first, last, got, want)
		}
		last = got.Last
	}
	entries, err := s.Read(ctx, "run", runlog.Position{}, int(last)+1)
	must(t, err)
	for i, e := range entries {
		if e.Seq != int64(i+1) {
			t.Fatalf("entry %d has seq %d", i, e.Seq)
		}
	}
}

// TestLargeSeq: no number loses digits in a script.
func TestLargeSeq(t *testing.T) {
	ctx, s, _ := lone(t, Config{})
	data, err := view.New().Encode()
	must(t, err)
	seed := runlog.Snapshot{Position: runlog.Position{Seq: runlog.MaxSeq - 10}, View: data}
	w := newStubborn(t, s, "run", runlogtest.NewLedger())
	w.view, w.at = view.New(), seed.Position
	must(t, w.claim(ctx))
	f := watch(ctx, t, s, "run", w.ledger, false)
	must(t, w.append(ctx, 3))
	must(t, w.append(ctx, 2))
	must(t, w.checkpoint(ctx))
	must(t, w.end(ctx))
	f.wait(t, w)
	entries, err := s.Read(ctx, "run", runlog.Position{Epoch: w.at.Epoch, Seq: runlog.MaxSeq - 8}, 10)
	must(t, err)
	if len(entries) != 4 || entries[0].Seq != runlog.MaxSeq-7 {
		t.Errorf("read %v", entries)
	}
	if _, err := w.writer.Append(ctx, w.at.Seq+1, make([][]byte, 100)); err == nil {
		t.Error("appended beyond the largest seq")
	}
}

// TestExpiry: a run that nobody writes goes, its follower is told, and the list
// forgets it.
func TestExpiry(t *testing.T) {
	ctx, s, server := lone(t, Config{
		Limits:   Limits{KeepFor: 1500 * time.Millisecond},
		Timeouts: Timeouts{Check: 100 * time.Millisecond, Removed: 300 * time.Millisecond},
	})
	w := newStubborn(t, s, "run", runlogtest.NewLedger())
	must(t, w.claim(ctx))
	must(t, w.append(ctx, 10))
	must(t, w.writer.PutBlob(ctx, "c1", strings.NewReader("output")))
	x, err := s.Index(ctx)
	must(t, err)
	_, err = x.Next(ctx)
	must(t, err)
	f, err := s.Follow(ctx, "run")
	must(t, err)
	must(t, w.writer.Close(ctx))
	for {
		if _, err = f.Next(ctx); err != nil {
			break
		}
	}
	if !errors.Is(err, runlog.ErrNoRun) {
		t.Errorf("the follower ended with %v", err)
	}
	for gone := false; !gone; {
		s.keepIndex()
		u, err := x.Next(ctx)
		must(t, err)
		gone = len(u.Gone) == 1 && u.Gone[0] == "run"
	}
	for server.Do("DBSIZE") != "0" && s.sleep(ctx, 20*time.Millisecond) {
	}
	_, err = s.Follow(ctx, "run")
	if !errors.Is(err, runlog.ErrNoRun) {
		t.Errorf("follow of an expired run: %v", err)
	}
	must(t, w.claim(ctx)) // it can live again
	must(t, w.append(ctx, 1))
}

// TestLiveRunStays: a run that is written lives on beyond KeepFor.
func TestLiveRunStays(t *testing.T) {
	ctx, s, _ := lone(t, Config{Limits: Limits{KeepFor: 1500 * time.Millisecond}})
	w := newStubborn(t, s, "run", runlogtest.NewLedger())
	must(t, w.claim(ctx))
	for range 160 {
		must(t, w.append(ctx, 1))
		s.sleep(ctx, 15*time.Millisecond)
	}
	if w.claims != 1 {
		t.Errorf("the run was lost %d times", w.claims-1)
	}
	f := watch(ctx, t, s, "run", w.ledger, false)
	must(t, w.end(ctx))
	f.wait(t, w)
}

// TestListedRuns: the list is bounded; the runs themselves stay.
func TestListedRuns(t *testing.T) {
	ctx, s, server := lone(t, Config{Limits: Limits{ListedRuns: 2}})
	var last string
	for i, n := 0, 0; n < 6; i++ {
		run := fmt.Sprintf("r%d", i)
		if partitionOf(run) != 0 {
			continue
		}
		n++
		wr, _, err := s.Claim(ctx, run, runlog.ClaimOptions{Owner: "o"})
		must(t, err)
		must(t, wr.Close(ctx))
		last = run
	}
	key := s.names.indexKeys(0).keys[4]
	if got := server.Do("HLEN", key); got != "2" {
		t.Errorf("%s runs are listed", got)
	}
	if server.Do("HEXISTS", key, last) != "1" {
		t.Error("the newest run is not listed")
	}
}

// TestBlobBounds: the oldest outputs of a run go, and one that is being read
// can be read to its end.
func TestBlobBounds(t *testing.T) {
	ctx, s, server := lone(t, Config{Limits: Limits{BlobBytes: 3 << 20, Blobs: 4}})
	wr, _, err := s.Claim(ctx, "run", runlog.ClaimOptions{Owner: "o"})
	must(t, err)
	put := func(name string, size int) {
		t.Helper()
		must(t, wr.PutBlob(ctx, name, strings.NewReader(strings.Repeat("x", size))))
	}
	have := func(want ...string) {
		t.Helper()
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			_, err := s.Blob(ctx, "run", name)
			if (err == nil) != strings.Contains(strings.Join(want, ""), name) {
				t.Errorf("output %s: %v, want %v", name, err, want)
			}
		}
	}
	put("a", 1<<20)
	r, err := s.Blob(ctx, "run", "a")
	must(t, err)
	defer r.Close()
	put("b", 1<<20)
	put("c", 2<<20)
	have("b", "c")
	for _, name := range []string{"d", "e", "f"} {
		put(name, 1)
	}
	have("c", "d", "e", "f")
	n, err := r.Read(make([]byte, 10))
	if n != 10 || err != nil {
		t.Errorf("reading a replaced output: %d, %v", n, err)
	}
	if err := wr.PutBlob(ctx, "g", strings.NewReader(strings.Repeat("x", 3<<20+1))); !errors.Is(err, runlog.ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
	server.Do("DEL", s.names.run("run").meta())
	if err := wr.PutBlob(ctx, "h", strings.NewReader("x")); !errors.Is(err, runlog.ErrNoRun) {
		t.Errorf("output of a lost run: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, cfg := range []Config{
		{}, {URL: "http://x"}, {URL: "redis://u:secret@host:port:x"}, {URL: "redis://localhost", Prefix: "a{b}"},
		{URL: "redis://localhost", Limits: Limits{RunBytes: 5}}, {URL: "redis://u:secret@h/%zz"},
	} {
		s, err := Open(cfg)
		if err == nil {
			s.Close()
			t.Errorf("%+v was taken", cfg)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
}
