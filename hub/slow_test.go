package hub_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/hub"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/hub/wire"
)

// big makes an event of about n bytes.
func big(n int) view.Event {
	return view.Event{Type: view.NoticeEvent, Kind: "info", T: 1, Text: new(strings.Repeat("x", n))}
}

// Alice writes, Bob and Cathy watch, Cathy freezes: Bob must not notice, and
// Cathy costs nothing. When she wakes up she is given a snapshot and told why.
func TestFrozenPeerSlowsNobody(t *testing.T) {
	s := start(t, hub.Config{
		Limits: hub.Limits{LogBytes: 256 << 10, SendBuffer: 16 << 10},
		Timing: hub.Timing{Slow: 2 * time.Second, Heartbeat: 100 * time.Millisecond},
	})
	alice := s.author(t, "r1", 20)
	bob := s.connect(t, "Bob")
	s.receive = 8 << 10
	cathy := s.connect(t, "Cathy")
	bob.watch(t, "r1", nil)
	bob.same(t, alice)
	frozen := cathy.watch(t, "r1", nil)
	cathy.same(t, alice)
	// Far more than the kernel keeps for Cathy with her small buffer.
	for range 64 {
		must(t, alice.AppendEvents(t.Context(), big(32<<10), view.Event{Type: view.TurnStart, T: 1}))
		must(t, alice.AppendEvents(t.Context(), view.Event{Type: view.Trim, T: 1, BeforeTurn: alice.View.Turn}))
		bob.same(t, alice) // each one at once
	}
	if n := len(bob.runs["r1"].snapshots); n != 1 {
		t.Fatalf("Bob got %d snapshots", n)
	}
	cathy.same(t, alice)
	cathy.until(t, func() bool { n := len(frozen.delivery); return n > 1 && frozen.delivery[n-1] == "every" })
	if frozen.delivery[0] != "snapshot" || len(frozen.snapshots) != len(frozen.delivery) {
		t.Fatalf("Cathy was told %v about snapshots %v", frozen.delivery, frozen.snapshots)
	}
	if frozen.behind <= 0 || frozen.behind > alice.At.Seq {
		t.Errorf("Cathy was told that she is %d behind", frozen.behind)
	}
	for _, reason := range frozen.snapshots[1:] {
		if reason != runlog.ReasonSlow {
			t.Fatalf("Cathy's snapshots %v", frozen.snapshots)
		}
	}
	must(t, alice.Append(t.Context(), 5))
	cathy.same(t, alice)
}

// One that reads nothing is cut off, and does not hold up the others.
func TestStalledPeerIsCutOff(t *testing.T) {
	s := start(t, hub.Config{Limits: hub.Limits{SendBuffer: 8 << 10}, Timing: hub.Timing{Stall: 300 * time.Millisecond}})
	a := s.author(t, "r1", 21)
	s.receive = 8 << 10
	x := s.rawConnect(t)
	x.frame(t, 0x81, hello)
	x.frame(t, 0x81, `{"type":"watch","run":"r1"}`)
	s.receive = 0
	bob := s.connect(t, "Bob")
	bob.watch(t, "r1", nil)
	bob.same(t, a)
	for s.Stats().Stalled.Load() == 0 {
		must(t, a.AppendEvents(t.Context(), big(64<<10)))
		must(t, a.AppendEvents(t.Context(), view.Event{Type: view.TurnStart, T: 1}))
		must(t, a.AppendEvents(t.Context(), view.Event{Type: view.Trim, T: 1, BeforeTurn: a.View.Turn}))
		bob.same(t, a)
	}
}

// One that reads, but never catches up, is sent away with a time to come back.
func TestTooSlowForTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startPiped(t, hub.Config{Logger: zerolog.New(t.Output()), Limits: hub.Limits{LogBytes: 64 << 10}, Timing: hub.Timing{Heartbeat: time.Hour}})
		a := s.author(t, "r1", 22)
		x := s.rawConnect(t)
		x.frame(t, 0x81, hello)
		x.frame(t, 0x81, `{"type":"watch","run":"r1"}`)
		ctx, cancel := context.WithCancel(t.Context())
		wrote := make(chan error, 1)
		go func() { wrote <- writeSteadily(ctx, a, 400*time.Millisecond) }()
		start := time.Now()
		slow := &raw{x.Conn, bufio.NewReader(slowReader{x.r})} // 10 KB/s, of 80 KB/s that are written
		var bye wire.Bye
		for {
			op, payload, err := slow.read()
			must(t, err)
			if op == 8 {
				if code := int(payload[0])<<8 | int(payload[1]); code != int(wire.CloseTooSlow) {
					t.Fatalf("closed with %d", code)
				}
				break
			}
			if m, err := wire.DecodeHub(payload); err == nil {
				if b, ok := m.(wire.Bye); ok {
					bye = b
				}
			}
		}
		if took := time.Since(start); took < time.Minute || took > 2*time.Minute {
			t.Errorf("sent away after %s", took)
		}
		if bye.Code != int(wire.CloseTooSlow) || bye.RetryAfterMs <= 0 {
			t.Errorf("bye %+v", bye)
		}
		cancel()
		if err := <-wrote; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		_ = x.Close()
		must(t, s.stop())
	})
}

// slowReader gives 1 KiB every 100 ms.
type slowReader struct{ io.Reader }

func (r slowReader) Read(p []byte) (int, error) {
	time.Sleep(100 * time.Millisecond)
	return r.Reader.Read(p[:min(len(p), 1<<10)])
}

// writeSteadily appends 32 KiB at each pace until ctx ends; the view stays small.
func writeSteadily(ctx context.Context, a *runlogtest.Author, pace time.Duration) error {
	for {
		err := a.AppendEvents(ctx, big(32<<10), view.Event{Type: view.TurnStart, T: 1}, view.Event{Type: view.Trim, T: 1, BeforeTurn: a.View.Turn + 1})
		if err != nil {
			return err
		}
		select {
		case <-time.After(pace):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
