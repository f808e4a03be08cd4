package view

import (
	"testing"

	"pgregory.net/rapid"
)

// From any point on and up to any other: folding what was not replaced by then is
// folding everything, and nothing but updates is left out.
func TestMergedIsFoldingEverything(t *testing.T) {
	left := 0
	rapid.Check(t, func(t *rapid.T) {
		events := rapid.SliceOfN(rapid.Custom(mergeable), 2, 120).Draw(t, "events")
		from := rapid.IntRange(0, len(events)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(events)).Draw(t, "to")
		all, u := New(), NewUpdates[int]()
		by := map[int]int{}
		var merged *View
		for i, e := range events[:to] {
			if i == from {
				merged = all.Clone()
			}
			if e.Type == ToolUpdate && all.Tools[e.Key] != nil {
				u.Known(e.Key)
			}
			for _, r := range u.Next(&e, i) {
				by[r] = i
			}
			all.Apply(&e)
		}
		for i := from; i < to; i++ {
			if _, gone := by[i]; gone {
				if events[i].Type != ToolUpdate {
					t.Fatalf("%s was left out", events[i].Type)
				}
				left++
				continue
			}
			merged.Apply(&events[i])
		}
		if all.Hash() != merged.Hash() {
			t.Fatalf("events %d to %d, replaced %v:\n%s\n%s", from, to, by, encoded(t, all), encoded(t, merged))
		}
	})
	if left == 0 {
		t.Error("nothing was ever left out")
	}
}

// mergeable draws events with many updates of few cards.
func mergeable(t *rapid.T) Event {
	if rapid.IntRange(0, 2).Draw(t, "any") == 0 {
		return randomEvent(t)
	}
	e := Event{Type: ToolUpdate, T: 1, Key: rapid.SampledFrom([]string{"c1", "c2"}).Draw(t, "key")}
	switch rapid.IntRange(0, 8).Draw(t, "how") {
	case 0:
		e.Append = new("more")
	case 1:
		e.Phase, e.Done = "testing", new(int64(3))
	case 2:
		e.Text, e.Redacted = new("…"), 1
	case 3:
		e.Text, e.Truncated = new("cut"), &Truncated{Progress: 7, Args: rapid.Int64Range(0, 9).Draw(t, "cutArgs")}
	case 4:
		e.Type, e.Name = ToolStart, "bash"
	case 5:
		e.Type, e.Name, e.Delta = CallDelta, "bash", "{"
	default:
		e.Text, e.Details = new("whole"), "{}"
	}
	return e
}

func encoded(t *rapid.T, v *View) []byte {
	b, err := v.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A tool that only ever appends does not make the finder grow without bound.
func TestUpdatesAreBounded(t *testing.T) {
	u := NewUpdates[int]()
	u.Known("c1")
	for i := range 3 * maxUpdates {
		u.Next(&Event{Type: ToolUpdate, Key: "c1", Append: new("x")}, i)
	}
	if n := len(u.cards["c1"]); n > maxUpdates {
		t.Errorf("%d updates are kept", n)
	}
}
