package worker

import (
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// BenchmarkPublish counts everything up to the acknowledged event: projecting,
// merging, encoding, appending, folding, checkpoints.
func BenchmarkPublish(b *testing.B) {
	m := runlog.NewMemory(runlog.MemoryConfig{})
	defer m.Close()
	w, err := New(Config{Run: "run", Store: m, MaxWait: -1, Logger: zerolog.Nop()})
	if err != nil {
		b.Fatal(err)
	}
	s := &talk{}
	events := s.prompt(20)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if n == len(events) {
			events, n = s.prompt(20), 0
		}
		s.t++
		w.Publish(s.t, events[n])
		n++
	}
	start := time.Now()
	if err := w.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
	st := w.Stats()
	b.ReportMetric(float64(st.Merged)/float64(st.Events), "merged/event")
	b.ReportMetric(float64(time.Since(start).Milliseconds()), "drain-ms")
}
