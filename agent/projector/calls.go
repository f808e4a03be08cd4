package projector

import (
	"slices"
	"strconv"
)

// StrayKey is the key of updates, ends and results that fit no call: no card
// ever has it, so the fold counts them as strays.
const StrayKey = "c0"

// maxCalls bounds how many calls are remembered: a late end of an older one is
// a stray.
const maxCalls = 4096

type callState int

const (
	written callState = iota // by the model, not started
	started
	ended  // its result message may still come
	closed // nothing more is expected
	// skipped: written, and then passed over; an end may still come, late.
	skipped
)

// over says that the call takes no more updates.
func (s callState) over() bool { return s == ended || s == closed || s == skipped }

// call is one tool call of the run, and what has been shown of it.
type call struct {
	key, id, name string
	state         callState
	turn          int64
	// composed counts the bytes of its call_delta text; composeCut says that
	// the rest was kept back.
	composed   int
	composeCut bool
	progress   progress
	// hidden counts secrets by the part they were in; shown is the most that was
	// said.
	hidden struct{ args, progress, details, result, shown int64 }
}

// redacted returns the number of secrets hidden on the card so far.
func (c *call) redacted() int64 {
	h := &c.hidden
	h.shown = max(h.shown, h.args+h.progress+h.details+h.result)
	return h.shown
}

// calls finds a run's calls by the model's ids, which may come again.
type calls struct {
	next int64
	turn int64
	// byID holds the calls of one id in the order in which they were written.
	byID map[string][]*call
	// order holds all of byID, oldest first, and some that were dropped from it.
	order []*call
}

func newCalls(next int64) calls {
	return calls{next: max(next, 1), byID: map[string][]*call{}}
}

// add makes a call with a new key.
func (t *calls) add(id, name string) *call {
	c := &call{key: "c" + strconv.FormatInt(t.next, 10), id: id, name: name, turn: t.turn}
	t.next++
	t.insert(c)
	t.order = append(t.order, c)
	if len(t.order) > maxCalls {
		t.remove(t.order[0])
		t.order[0] = nil
		t.order = t.order[1:]
	}
	return c
}

func (t *calls) insert(c *call) {
	same := slices.DeleteFunc(t.byID[c.id], func(old *call) bool { return old.state == closed || old.state == skipped })
	t.byID[c.id] = append(same, c)
}

func (t *calls) remove(c *call) {
	same := slices.DeleteFunc(t.byID[c.id], func(o *call) bool { return o == c })
	if len(same) == 0 {
		delete(t.byID, c.id)
	} else {
		t.byID[c.id] = same
	}
}

// rename gives a call the id that its final message says.
func (t *calls) rename(c *call, id string) {
	if c.id != id {
		t.remove(c)
		c.id = id
		t.insert(c)
	}
}

// first returns the oldest call of that id in that state, or nil.
func (t *calls) first(id string, state callState) *call {
	for _, c := range t.byID[id] {
		if c.state == state {
			return c
		}
	}
	return nil
}

// last returns the newest call of that id in one of the states, or nil.
func (t *calls) last(id string, states ...callState) *call {
	for _, c := range slices.Backward(t.byID[id]) {
		if slices.Contains(states, c.state) {
			return c
		}
	}
	return nil
}

// start returns the call that starts, and whether it is news: the next one that
// was written with this id; else one that runs already in this turn, whose start
// has come again; else a new one.
func (t *calls) start(id, name string) (c *call, news bool) {
	if c = t.first(id, written); c == nil {
		if c = t.running(id); c != nil && c.turn == t.turn {
			return c, false
		}
		c = t.add(id, name)
	}
	c.turn, c.state = t.turn, started
	return c, true
}

// running returns the running call of that id: of several, the one that started
// first in the newest turn; nil if there is none. Updates, ends and inner calls
// all mean this one.
func (t *calls) running(id string) *call {
	newest := t.last(id, started)
	if newest == nil {
		return nil
	}
	for _, c := range t.byID[id] {
		if c.state == started && c.turn == newest.turn {
			return c
		}
	}
	return newest
}

// forEvent returns the call that an update or an end is about: the running one;
// else one that has ended, for the fold to count it as late or as a second end;
// else one that was only written, in this turn or before; else nil.
func (t *calls) forEvent(id string) *call {
	if c := t.running(id); c != nil {
		return c
	}
	if c := t.last(id, ended, closed); c != nil {
		return c
	}
	if c := t.first(id, written); c != nil {
		return c
	}
	return t.last(id, skipped)
}

// forResult returns the call that a result message belongs to: the one that
// ended first and has none yet; else one that never ended, or never started;
// else nil.
func (t *calls) forResult(id string) *call {
	for _, state := range []callState{ended, started, written, skipped} {
		if c := t.first(id, state); c != nil {
			return c
		}
	}
	return nil
}

// parentKey returns the key of the call that others run inside of, or "".
func (t *calls) parentKey(id string) string {
	if id == "" {
		return ""
	}
	if c := t.running(id); c != nil {
		return c.key
	}
	if c := t.last(id, ended, closed, written, skipped); c != nil {
		return c.key
	}
	return ""
}

// nextTurn waits no longer for what the turns before lack: calls that never
// started, and results that never came. Any of them may still end.
func (t *calls) nextTurn() {
	t.turn++
	for _, c := range t.order {
		switch c.state {
		case written:
			c.state = skipped
		case started:
			c.progress = progress{} // said whole if it goes on: texts are not kept for lost calls
		case ended:
			c.state = closed
		}
	}
}
