package redis

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/redis/redistest"
)

// event200 is an event of 200 bytes.
func event200(i int) []byte {
	e := fmt.Appendf(nil, `{"type":"tool_update","t":%d,"key":"c%d","append":"`, 1_700_000_000_000+i, i%100)
	return append(append(e, strings.Repeat("x", 198-len(e))...), `"}`...)
}

func events200(n int) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		out[i] = event200(i)
	}
	return out
}

func benchStore(b *testing.B) (*Store, *redistest.Server) {
	server := redistest.Start(b)
	s, err := Open(Config{URL: server.URL(), Limits: Limits{RunEvents: 1 << 30, RunBytes: 1 << 40}})
	must(b, err)
	b.Cleanup(func() { s.Close() })
	must(b, s.linkOf(0).await(b.Context()))
	return s, server
}

// BenchmarkAppend is the script path of one and of many workers; one hub follows
// each run.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 16} {
		for _, size := range []int{1, 10, 50} {
			b.Run(fmt.Sprintf("writers=%d/batch=%d", writers, size), func(b *testing.B) {
				benchAppend(b, writers, size)
			})
		}
	}
}

func benchAppend(b *testing.B, writers, size int) {
	s, _ := benchStore(b)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	batch := events200(size)
	var left atomic.Int64
	left.Store(int64(b.N))
	var wg, followed sync.WaitGroup
	var claimed []runlog.Writer
	for i := range writers {
		run := "run" + strconv.Itoa(i)
		w, _, err := s.Claim(ctx, run, runlog.ClaimOptions{Owner: "bench"})
		must(b, err)
		claimed = append(claimed, w)
		f, err := s.Follow(ctx, run)
		must(b, err)
		followed.Go(func() {
			defer f.Close()
			for {
				if _, err := f.Next(ctx); err != nil {
					return
				}
			}
		})
	}
	b.ReportAllocs()
	b.ResetTimer()
	for _, w := range claimed {
		wg.Go(func() {
			next := int64(1)
			for left.Add(-1) >= 0 {
				if _, err := w.Append(ctx, next, batch); err != nil {
					b.Error(err)
					return
				}
				next += int64(size)
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "events/s")
	cancel()
	followed.Wait()
}

// BenchmarkMemory is what 100 000 events of 200 bytes take in Redis.
func BenchmarkMemory(b *testing.B) {
	const events = 100_000
	for _, size := range []int{1, 10, 50} {
		b.Run(fmt.Sprintf("batch=%d", size), func(b *testing.B) {
			s, server := benchStore(b)
			for i := range b.N {
				run := "run" + strconv.Itoa(i)
				before := server.Info("used_memory_dataset")
				w, _, err := s.Claim(b.Context(), run, runlog.ClaimOptions{Owner: "bench"})
				must(b, err)
				fillRun(b, w, events, size)
				used, err := strconv.ParseFloat(server.Do("MEMORY", "USAGE", s.names.run(run).keys[1], "SAMPLES", 0), 64)
				must(b, err)
				b.ReportMetric(used/events, "stream-B/event")
				b.ReportMetric(float64(server.Info("used_memory_dataset")-before)/events, "redis-B/event")
			}
		})
	}
}

func fillRun(b *testing.B, w runlog.Writer, events, size int) {
	for at := 0; at < events; at += size {
		batch := make([][]byte, size)
		for i := range batch {
			batch[i] = event200(at + i)
		}
		if _, err := w.Append(b.Context(), int64(at)+1, batch); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkColdFollow is a hub that joins a run of 100 000 events: from the log
// alone, and from a snapshot and the 500 events since.
func BenchmarkColdFollow(b *testing.B) {
	const events = 100_000
	for _, tail := range []int{events, 500} {
		b.Run(fmt.Sprintf("tail=%d", tail), func(b *testing.B) {
			s, server := benchStore(b)
			w, base, err := s.Claim(b.Context(), "run", runlog.ClaimOptions{Owner: "bench"})
			must(b, err)
			appendFrom(b, w, 0, events-tail)
			if tail < events {
				must(b, w.Checkpoint(b.Context(), foldAll(b, base, int64(events-tail))))
			}
			appendFrom(b, w, events-tail, tail)
			sent, packed := server.Info("total_net_output_bytes"), server.Do("STRLEN", s.names.run("run").keys[2])
			b.ResetTimer()
			for range b.N {
				cold, err := Open(Config{URL: server.URL()})
				must(b, err)
				joinTo(b, cold, events)
				cold.Close()
			}
			b.StopTimer()
			b.ReportMetric(float64(server.Info("total_net_output_bytes")-sent)/float64(b.N), "net-B/op")
			snapshot, _ := strconv.ParseFloat(packed, 64)
			b.ReportMetric(snapshot, "snapshot-B")
		})
	}
}

func appendFrom(b *testing.B, w runlog.Writer, from, n int) {
	for at := from; at < from+n; at += 50 {
		batch := make([][]byte, 50)
		for i := range batch {
			batch[i] = event200(at + i)
		}
		if _, err := w.Append(b.Context(), int64(at)+1, batch); err != nil {
			b.Fatal(err)
		}
	}
}

// foldAll is the snapshot at seq: a view as large as a long run's, 1 MiB.
func foldAll(b *testing.B, base runlog.Snapshot, seq int64) runlog.Snapshot {
	v, err := view.Decode(base.View)
	must(b, err)
	for i := range 100 {
		text := string(bytes.Repeat(fmt.Appendf(nil, "line %d of a result\n", i), 500))
		for _, e := range []view.Event{
			{Type: view.ToolStart, T: 1, Key: fmt.Sprint("c", i), ID: fmt.Sprint("id", i), Name: "bash", Args: "{}"},
			{Type: view.ToolEnd, T: 2, Key: fmt.Sprint("c", i), Text: &text},
		} {
			v.Apply(&e)
		}
	}
	data, err := v.Encode()
	must(b, err)
	return runlog.Snapshot{Position: runlog.Position{Epoch: base.Epoch, Seq: seq}, View: data}
}

func joinTo(b *testing.B, s *Store, seq int64) {
	must(b, s.linkOf(0).await(b.Context()))
	f, err := s.Follow(b.Context(), "run")
	must(b, err)
	defer f.Close()
	for at := int64(-1); at < seq; {
		u, err := f.Next(b.Context())
		must(b, err)
		if u.Reset != nil {
			at = u.Reset.Snapshot.Seq
		} else if u.Entries != nil {
			at = u.Entries[len(u.Entries)-1].Seq
		}
	}
}
