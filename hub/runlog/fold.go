package runlog

import (
	"fmt"
	"iter"

	"github.com/ringside-hub/ringside/hub/view"
)

// Fold returns the view of s with the entries of tail that come after it
// applied. Older entries are skipped; a gap or an entry that is not an event is
// an error that names its position.
func Fold(s Snapshot, tail iter.Seq[Entry]) (*view.View, Position, error) {
	v := view.New()
	if len(s.View) > 0 {
		var err error
		if v, err = view.Decode(s.View); err != nil {
			return nil, s.Position, fmt.Errorf("snapshot %s: %w", s.Position, err)
		}
	}
	at := s.Position
	for e := range tail {
		if e.Seq <= at.Seq {
			continue
		}
		if e.Seq != at.Seq+1 {
			return nil, at, fmt.Errorf("fold: %s follows %s: a gap", e.Position, at)
		}
		ev, err := view.DecodeEvent(e.Data)
		if err != nil {
			return nil, at, fmt.Errorf("entry %s: %w", e.Position, err)
		}
		v.Apply(&ev)
		at = e.Position
	}
	return v, at, nil
}
