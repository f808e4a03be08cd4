package view

// Updates finds the tool updates of a row of events that folding would not miss,
// since a later update of the same card says the whole again. It is the one rule
// by which a worker's buffer and a hub's merged catch-up leave events out; nothing
// but a tool_update ever is.
//
// An update may go only while nothing between it and the one that replaces it can
// tell the difference: its own card's start or end, or what presumes something
// about open cards. H names an event to the caller.
type Updates[H any] struct {
	// cards holds the cards that surely exist, with their updates that a later one
	// would replace.
	cards map[string][]waiting[H]
}

type waiting[H any] struct {
	handle   H
	redacted bool
}

// maxUpdates bounds how many updates of one card wait to be replaced; beyond, the
// older ones stay for good.
const maxUpdates = 4096

// NewUpdates returns a finder for events of which nothing is known yet.
func NewUpdates[H any]() *Updates[H] { return &Updates[H]{cards: map[string][]waiting[H]{}} }

// Known tells that a card exists, as a view knows; otherwise its start has to be
// among the events: an update of a card that does not exist is a stray, and counts.
func (u *Updates[H]) Known(key string) {
	if _, known := u.cards[key]; !known {
		u.cards[key] = nil
	}
}

// Next takes the next event and returns the earlier ones that it replaces. The
// result is valid until the next call.
func (u *Updates[H]) Next(e *Event, handle H) (replaced []H) {
	switch e.Type {
	case CallDelta, ToolStart:
		u.cards[e.Key] = nil
	case ToolUpdate:
		return u.update(e, handle)
	case ToolEnd:
		delete(u.cards, e.Key)
	case MessageEnd:
		u.Fence() // an error end skips calls that were only written
	case TurnEnd, AgentEnd, AgentIdle, Worker, Trim:
		u.Clear()
	}
	return nil
}

func (u *Updates[H]) update(e *Event, handle H) (replaced []H) {
	list, known := u.cards[e.Key]
	if !known {
		return nil
	}
	if e.Text != nil {
		for _, w := range list {
			if !w.redacted || e.Redacted != 0 {
				replaced = append(replaced, w.handle)
			}
		}
		list = nil
	}
	if len(list) >= maxUpdates {
		list = nil
	}
	if e.Truncated == nil || e.Truncated.Args == 0 { // cut arguments are not said again
		list = append(list, waiting[H]{handle, e.Redacted != 0})
	}
	u.cards[e.Key] = list
	return replaced
}

// Waits says whether an update of a card would be replaced by a later one.
func (u *Updates[H]) Waits(key string) bool { return len(u.cards[key]) > 0 }

// Fence keeps all updates that there were.
func (u *Updates[H]) Fence() {
	for key := range u.cards {
		u.cards[key] = nil
	}
}

// Clear forgets all cards.
func (u *Updates[H]) Clear() { clear(u.cards) }

// Rename changes the cards' keys.
func (u *Updates[H]) Rename(to func(key string) string) {
	cards := make(map[string][]waiting[H], len(u.cards))
	for key, waiting := range u.cards {
		cards[to(key)] = waiting
	}
	u.cards = cards
}
