package runlog_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ringside-hub/ringside/hub/runlog"
)

func TestPlace(t *testing.T) {
	for _, c := range []struct {
		last, first int64
		n, skip     int
		want        runlog.Ack
	}{
		{0, 1, 3, 0, runlog.Ack{Status: runlog.AppendOK, Last: 3}},
		{0, 2, 1, 0, runlog.Ack{Status: runlog.AppendGap, Last: 0}},
		{5, 6, 1, 0, runlog.Ack{Status: runlog.AppendOK, Last: 6}},
		{5, 7, 1, 0, runlog.Ack{Status: runlog.AppendGap, Last: 5}},
		{5, 3, 3, 3, runlog.Ack{Status: runlog.AppendDup, Last: 5}},
		{5, 1, 2, 2, runlog.Ack{Status: runlog.AppendDup, Last: 5}},
		{5, 4, 4, 2, runlog.Ack{Status: runlog.AppendOK, Last: 7}},
		{5, 6, 0, 0, runlog.Ack{Status: runlog.AppendOK, Last: 5}},
		{5, 8, 0, 0, runlog.Ack{Status: runlog.AppendGap, Last: 5}},
	} {
		skip, ack := runlog.Place(c.last, c.first, c.n)
		if skip != c.skip || ack != c.want {
			t.Errorf("Place(%d, %d, %d) = %d, %+v; want %d, %+v", c.last, c.first, c.n, skip, ack, c.skip, c.want)
		}
	}
}

// Whatever batches come, in whatever overlap: the log stays 1, 2, 3 …
func TestPlaceKeepsTheLogContiguous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var log []int64
		for range rapid.IntRange(1, 30).Draw(t, "appends") {
			first := rapid.Int64Range(1, int64(len(log))+4).Draw(t, "first")
			n := rapid.IntRange(0, 6).Draw(t, "n")
			skip, ack := runlog.Place(int64(len(log)), first, n)
			if ack.Status == runlog.AppendOK {
				for i := skip; i < n; i++ {
					log = append(log, first+int64(i))
				}
			}
			if ack.Last != int64(len(log)) {
				t.Fatalf("append of %d from %d answers %+v, the log has %d", n, first, ack, len(log))
			}
		}
		for i, seq := range log {
			if seq != int64(i)+1 {
				t.Fatalf("log is %v", log)
			}
		}
	})
}

func TestLocate(t *testing.T) {
	spans := []runlog.Span{{Epoch: "a", Base: 0, Last: 10}, {Epoch: "b", Base: 10, Last: 10}, {Epoch: "c", Base: 15, Last: 30}}
	for _, c := range []struct {
		oldest int64
		from   runlog.Position
		after  int64 // -1: unknown
	}{
		{1, runlog.Position{}, 0}, {6, runlog.Position{}, 5}, {31, runlog.Position{}, 30},
		{1, runlog.Position{Epoch: "a", Seq: 0}, 0}, {1, runlog.Position{Epoch: "a", Seq: 10}, 10}, {1, runlog.Position{Epoch: "a", Seq: 11}, -1},
		{1, runlog.Position{Epoch: "b", Seq: 10}, 10}, {1, runlog.Position{Epoch: "b", Seq: 9}, -1}, {1, runlog.Position{Epoch: "c", Seq: 15}, 15},
		{1, runlog.Position{Epoch: "c", Seq: 14}, -1}, {1, runlog.Position{Epoch: "c", Seq: 31}, -1},
		{6, runlog.Position{Epoch: "a", Seq: 5}, 5}, {6, runlog.Position{Epoch: "a", Seq: 4}, -1}, // 5 is gone: a hole
		{1, runlog.Position{Epoch: "", Seq: 3}, -1}, {1, runlog.Position{Epoch: "d", Seq: 3}, -1}, {1, runlog.Position{Epoch: "a", Seq: -1}, -1},
	} {
		after, err := runlog.Locate(spans, c.oldest, c.from)
		if c.after < 0 {
			if !errors.Is(err, runlog.ErrUnknownPosition) {
				t.Errorf("Locate(oldest %d, %s) = %d, %v; want unknown", c.oldest, c.from, after, err)
			}
		} else if err != nil || after != c.after {
			t.Errorf("Locate(oldest %d, %s) = %d, %v; want %d", c.oldest, c.from, after, err, c.after)
		}
	}
	// An epoch without a name is one that nobody has, even where a log has it.
	if _, err := runlog.Locate([]runlog.Span{{Last: 5}}, 1, runlog.Position{Seq: 3}); err == nil {
		t.Error("an empty epoch was found")
	}
}

func TestFoldRefuses(t *testing.T) {
	at := func(seq int64, data string) runlog.Entry {
		return runlog.Entry{Position: runlog.Position{Epoch: "a", Seq: seq}, Data: []byte(data)}
	}
	good := `{"type":"agent_start","t":1}`
	for name, c := range map[string]struct {
		s    runlog.Snapshot
		tail []runlog.Entry
		bad  bool
	}{
		"empty":        {runlog.Snapshot{}, nil, false},
		"contiguous":   {runlog.Snapshot{}, []runlog.Entry{at(1, good), at(2, good)}, false},
		"older entry":  {runlog.Snapshot{Position: runlog.Position{Seq: 1}}, []runlog.Entry{at(1, "no event"), at(2, good)}, false},
		"gap":          {runlog.Snapshot{}, []runlog.Entry{at(2, good)}, true},
		"no event":     {runlog.Snapshot{}, []runlog.Entry{at(1, "no event")}, true},
		"bad snapshot": {runlog.Snapshot{View: []byte("{")}, nil, true},
	} {
		v, pos, err := runlog.Fold(c.s, slices.Values(c.tail))
		if (err != nil) != c.bad {
			t.Errorf("%s: %v", name, err)
		}
		if !c.bad && (v == nil || pos.Seq != c.s.Seq && pos.Seq != c.tail[len(c.tail)-1].Seq) {
			t.Errorf("%s: folded to %s", name, pos)
		}
	}
}
