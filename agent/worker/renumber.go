package worker

import (
	"strconv"
	"strings"

	"github.com/ringside-hub/ringside/agent/projector"
	"github.com/ringside-hub/ringside/hub/view"
)

// renumber makes the keys and ids of a projector that began at 1 go on from a
// run's snapshot. A worker projects before it knows the snapshot: the store may
// be away when it starts.
type renumber struct{ messages, calls int64 }

// renumberFrom returns what goes on from v.
func renumberFrom(v *view.View) renumber {
	c := projector.CountersOf(v)
	return renumber{messages: c.Message - 1, calls: c.Call - 1}
}

func (r renumber) key(key string) string    { return shift(key, "c", r.calls) }
func (r renumber) message(id string) string { return shift(id, "m", r.messages) }

// event renumbers one event in place. On tool events ID is the model's own.
func (r renumber) event(e *view.Event) {
	e.Key = r.key(e.Key)
	e.Parent = r.key(e.Parent)
	switch e.Type {
	case view.MessageStart, view.TextDelta, view.ThinkingDelta, view.MessageEnd:
		e.ID = r.message(e.ID)
	}
}

// shift adds by to the number in an id. StrayKey (c0) is nobody's and stays.
func shift(id, prefix string, by int64) string {
	digits, ok := strings.CutPrefix(id, prefix)
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || n <= 0 || by == 0 {
		return id
	}
	return prefix + strconv.FormatInt(n+by, 10)
}
