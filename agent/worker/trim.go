package worker

import (
	"maps"
	"slices"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// storable is a size at which a view can still be stored, with room to grow
// until it is measured again.
const storable = runlog.MaxViewBytes / 4 * 3

// trimBefore returns the turn before which a view of size bytes is to forget
// everything so that about half of limit is left; 0 if nothing is to be trimmed.
// The present turn stays, unless it alone takes twice the limit. A turn with open
// cards stays as long as the view is storable: their ends would be strays.
func trimBefore(v *view.View, size, limit int) (before int64) {
	if size <= limit {
		return 0
	}
	perTurn, open := turnSizes(v), openTurns(v)
	total := 1
	for _, n := range perTurn {
		total += n
	}
	left := size
	for _, t := range slices.Sorted(maps.Keys(perTurn)) {
		enough := limit / 2
		if t >= v.Turn {
			enough = 2 * limit
		}
		if open[t] {
			enough = max(enough, storable)
		}
		if left <= enough {
			break
		}
		// JSON may take several times the text: share out what it really takes.
		left -= int(float64(perTurn[t]) / float64(total) * float64(size))
		before = t + 1
	}
	return before
}

// openTurns returns the turns that have open cards.
func openTurns(v *view.View) map[int64]bool {
	open := map[int64]bool{}
	for _, t := range v.Tools {
		if isOpen(t) {
			open[t.Turn] = true
		}
	}
	return open
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
