package hub_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ringside-hub/ringside/hub"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/hub/view"
)

// BenchmarkFanOut appends one 250-byte event at a time and waits until every
// observer has it. The sockets are TCP over loopback; clients only count.
func BenchmarkFanOut(b *testing.B) {
	for _, n := range []int{1, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchFanOut(b, n) })
	}
}

func benchFanOut(b *testing.B, observers int) {
	s := start(b, hub.Config{})
	a := s.author(b, "r1", 1)
	end := view.Event{Type: view.ToolUpdate, T: 1, Key: "c1", Text: new(strings.Repeat("x", 180))}
	must(b, a.AppendEvents(b.Context(), view.Event{Type: view.ToolStart, T: 1, Key: "c1", Name: "bash"}))
	arrived := make(chan struct{}, 1)
	var left atomic.Int64
	var ready sync.WaitGroup
	for range observers {
		x := s.rawConnect(b)
		x.frame(b, 0x81, hello)
		x.frame(b, 0x81, `{"type":"watch","run":"r1"}`)
		ready.Add(1)
		go countEvents(x, ready.Done, func() {
			if left.Add(-1) == 0 {
				arrived <- struct{}{}
			}
		})
	}
	ready.Wait()
	data, err := runlogtest.Encode(end)
	must(b, err)
	b.ReportAllocs()
	for b.Loop() {
		left.Store(int64(observers))
		if _, err := a.Writer.Append(b.Context(), a.At.Seq+1, data); err != nil {
			b.Fatal(err)
		}
		<-arrived
		if a.At.Seq++; a.At.Seq%10_000 == 0 { // the store wants one now and then
			b.StopTimer()
			must(b, a.Checkpoint(b.Context()))
			b.StartTimer()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(observers), "ns/delivery")
}

// countEvents reads frames as cheaply as it can: the first snapshot, then each
// `events` message.
func countEvents(x *raw, ready, event func()) {
	once := sync.OnceFunc(ready)
	defer once()
	for {
		op, payload, err := x.read()
		switch {
		case err != nil:
			return
		case op != 1:
		case strings.HasPrefix(string(payload[:min(16, len(payload))]), `{"type":"status"`):
			once() // comes once the observer is at the head
		case strings.HasPrefix(string(payload[:min(16, len(payload))]), `{"type":"events"`):
			event()
		}
	}
}

// BenchmarkShowRun reads a run of some size over HTTP while it does not change.
func BenchmarkShowRun(b *testing.B) {
	s := start(b, hub.Config{})
	a := s.author(b, "r1", 2)
	for range 20 {
		must(b, a.Append(b.Context(), 100))
	}
	for b.Loop() {
		res, err := s.http.Get(s.URL + "/api/runs/r1")
		must(b, err)
		if res.StatusCode != http.StatusOK {
			b.Fatal(res.Status)
		}
		n, err := io.Copy(io.Discard, res.Body)
		must(b, err)
		b.SetBytes(n)
		_ = res.Body.Close()
	}
}
