package worker

import (
	"container/list"
	"strings"

	"github.com/ringside-hub/ringside/hub/view"
)

// buffer holds the events that have no seq yet, in order. It joins and leaves
// out what folding would not miss, and above its bounds refuses what hurts
// least. It is pure: no lock, no clock.
type buffer struct {
	maxEvents, maxBytes int

	items list.List // of *item
	bytes int
	// updates knows which waiting updates a later one replaces.
	updates *view.Updates[*list.Element]
	// message is the assistant message that surely streams, or "".
	message string
	// broken holds the ids and keys whose stream has lost a piece: what follows
	// would be put together wrongly.
	broken map[string]struct{}
}

type item struct {
	event view.Event
	size  int
	taken bool
}

func newBuffer(maxEvents, maxBytes int) *buffer {
	return &buffer{
		maxEvents: maxEvents, maxBytes: maxBytes,
		updates: view.NewUpdates[*list.Element](), broken: map[string]struct{}{},
	}
}

func (b *buffer) len() int { return b.items.Len() }

// full says that streaming text is refused; starts and ends still fit.
func (b *buffer) full() bool { return b.items.Len() >= b.maxEvents || b.bytes >= b.maxBytes }

// overflowing says that nothing fits.
func (b *buffer) overflowing() bool {
	return b.items.Len() >= 2*b.maxEvents || b.bytes >= 2*b.maxBytes
}

// put adds an event. merged counts the events that are gone without being
// missed (the event itself, where it was joined); kept is false if it was lost.
// With room the bounds do not count: there was room when the agent event came
// that this one belongs to, and it must not lose a part.
func (b *buffer) put(e view.Event, room bool) (merged int, kept bool) {
	if !b.admit(&e, room) {
		return 0, false
	}
	if b.join(&e) {
		return 1, true
	}
	el := b.items.PushBack(&item{event: e, size: sizeOf(&e)})
	b.bytes += sizeOf(&e)
	for _, old := range b.updates.Next(&e, el) {
		if it := old.Value.(*item); !it.taken {
			b.items.Remove(old)
			b.bytes -= it.size
			merged++
		}
	}
	b.note(&e)
	return merged, true
}

// admit applies the bounds. A piece of a stream whose earlier piece was lost is
// lost too, until something says the whole again.
func (b *buffer) admit(e *view.Event, room bool) bool {
	stream, piece := streamOf(e)
	_, broken := b.broken[stream]
	switch {
	case piece && broken:
		return false
	case !piece && broken:
		delete(b.broken, stream)
	}
	switch {
	case room || !b.full() || e.Type == view.Worker:
		return true
	case e.Type == view.ToolUpdate && e.Text != nil && b.updates.Waits(e.Key):
		return true // it makes room
	case piece || e.Type == view.ToolUpdate:
		b.broken[stream] = struct{}{}
		return false
	}
	return !b.overflowing()
}

// streamOf names the stream that e is a piece of, or that it ends or says whole.
func streamOf(e *view.Event) (name string, piece bool) {
	switch e.Type {
	case view.TextDelta, view.ThinkingDelta:
		return "m/" + e.ID, true
	case view.MessageEnd:
		return "m/" + e.ID, false
	case view.CallDelta:
		return "c/" + e.Key, true
	case view.ToolUpdate:
		return "c/" + e.Key, e.Text == nil
	case view.ToolStart, view.ToolEnd:
		return "c/" + e.Key, false
	}
	return "", false
}

// maxJoined bounds the text that deltas are joined to.
const maxJoined = 16 << 10

// join appends a delta to the newest event if that is a delta of the same thing.
func (b *buffer) join(e *view.Event) bool {
	el := b.items.Back()
	switch {
	case el == nil:
		return false
	case e.Type == view.CallDelta:
	case (e.Type == view.TextDelta || e.Type == view.ThinkingDelta) && e.ID == b.message:
	default:
		return false
	}
	last := el.Value.(*item)
	l := &last.event
	if l.Type != e.Type || l.ID != e.ID && e.Type != view.CallDelta || l.Key != e.Key ||
		e.Truncated != nil || e.Redacted != 0 || len(l.Delta)+len(e.Delta) > maxJoined {
		return false
	}
	joined := *l
	joined.Delta += e.Delta
	if e.Type == view.CallDelta {
		if e.ID != "" {
			joined.ID = e.ID
		}
		if e.Name != "" {
			joined.Name = e.Name
		}
	}
	b.bytes -= last.size
	last.event, last.size = joined, sizeOf(&joined)
	b.bytes += last.size
	return true
}

// note remembers what is being streamed.
func (b *buffer) note(e *view.Event) {
	switch e.Type {
	case view.MessageStart:
		b.message = e.ID
	case view.MessageEnd, view.TurnEnd, view.AgentEnd, view.AgentIdle, view.Worker, view.Trim:
		b.message = ""
	}
	if e.Type == view.AgentIdle {
		clear(b.broken)
	}
}

// putFront adds events, in their order, before all others.
func (b *buffer) putFront(events []view.Event) {
	for i := len(events) - 1; i >= 0; i-- {
		it := &item{event: events[i], size: sizeOf(&events[i])}
		b.items.PushFront(it)
		b.bytes += it.size
	}
	b.updates.Fence()
}

// take removes the oldest events, as many as fit and at least one.
func (b *buffer) take(maxEvents, maxBytes int) []view.Event {
	var out []view.Event
	for el := b.items.Front(); el != nil && len(out) < maxEvents; el = b.items.Front() {
		it := el.Value.(*item)
		if len(out) > 0 && it.size > maxBytes {
			break
		}
		maxBytes -= it.size
		b.bytes -= it.size
		it.taken = true
		b.items.Remove(el)
		out = append(out, it.event)
	}
	return out
}

// renumber changes the keys and ids of all that waits and is known.
func (b *buffer) renumber(n renumber) {
	for el := b.items.Front(); el != nil; el = el.Next() {
		n.event(&el.Value.(*item).event)
	}
	b.updates.Rename(n.key)
	b.message = n.message(b.message)
	broken := make(map[string]struct{}, len(b.broken))
	for stream := range b.broken {
		kind, id, _ := strings.Cut(stream, "/")
		broken[kind+"/"+n.message(n.key(id))] = struct{}{}
	}
	b.broken = broken
}

// sizeOf estimates what an event takes, encoded and in memory.
func sizeOf(e *view.Event) int {
	n := 256 + len(e.ID) + len(e.Key) + len(e.Role) + len(e.Delta) + len(e.Thinking) + len(e.Error) + len(e.Name) +
		len(e.Label) + len(e.Args) + len(e.Details) + len(e.Phase) + len(e.Title) + len(e.Cwd) + len(e.Model) + 64*len(e.Attachments)
	for _, p := range []*string{e.Text, e.Append} {
		if p != nil {
			n += len(*p)
		}
	}
	for _, s := range e.Steering {
		n += 16 + len(s)
	}
	for _, s := range e.FollowUp {
		n += 16 + len(s)
	}
	for k, v := range e.Labels {
		n += 16 + len(k) + len(v)
	}
	return n
}
