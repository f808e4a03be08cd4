package worker

import (
	"maps"
	"slices"

	"github.com/ringside-hub/ringside/hub/view"
)

// trimBefore returns the turn before which a view of size bytes is to forget
// everything so that about half of limit is left; 0 if nothing is to be trimmed.
// The present turn stays, unless it alone takes twice the limit.
func trimBefore(v *view.View, size, limit int) int64 {
	if size <= limit {
		return 0
	}
	perTurn := turnSizes(v)
	turns := slices.Sorted(maps.Keys(perTurn))
	total := 1
	for _, n := range perTurn {
		total += n
	}
	left, before := size, int64(0)
	for _, t := range turns {
		if left <= limit/2 || t >= v.Turn {
			break
		}
		// JSON may take several times the text: share out what it really takes.
		left -= int(float64(perTurn[t]) / float64(total) * float64(size))
		before = t + 1
	}
	if left > 2*limit {
		return v.Turn + 1
	}
	return before
}

// turnSizes estimates what each turn takes in the view.
func turnSizes(v *view.View) map[int64]int {
	const overhead = 200
	sizes := map[int64]int{}
	for _, m := range v.Msgs {
		sizes[m.Turn] += overhead + len(m.Text) + len(m.Thinking) + len(m.Error)
	}
	for _, t := range v.Tools {
		sizes[t.Turn] += overhead + len(t.RawArgs) + len(t.ProgressText) + len(t.Details) + len(t.ResultText)
		if t.Conflict != nil {
			sizes[t.Turn] += len(t.Conflict.Text)
		}
	}
	for _, n := range v.Notices {
		sizes[n.Turn] += overhead + len(n.Text)
	}
	for _, t := range v.Turns {
		sizes[t.Turn] += overhead + len(t.Error)
	}
	return sizes
}
