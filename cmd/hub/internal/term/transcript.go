package term

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/ringside-hub/ringside/hub/view"
)

// doneShown is how many done cards a past turn keeps; the others fold, if there
// are at least two.
const doneShown = 3

// block is one thing of the transcript: what a reader sees as one, and what stays
// where it is while others change. Exactly one of the pointers is set; none for
// the words of kind trimmed and more.
type block struct {
	// id is the block's name for as long as it exists: "c/c1", "m/m1", "n/n1",
	// "t/1", "more/c7", "trimmed".
	id string

	tool   *view.Tool
	depth  int    // of nesting
	inside int    // how many calls it made inside
	finish string // where it finished among its group, "" if that says nothing

	message *view.Message
	active  *view.Active
	notice  *view.Notice
	heading *heading
	// words is what a block without content says; more is one that opens.
	words string
	more  bool
}

// heading is a turn's: its number, its summary where there is one, its cards.
type heading struct {
	number int64
	turn   *view.Turn
	cards  []*view.Tool
}

// chooses says that the block can be selected.
func (b *block) chooses() bool { return b.tool != nil || b.more }

// folding says what of a transcript is open.
type folding struct {
	open map[string]bool // by block id
	// before is the first turn whose done cards do not fold.
	before int64
	// keep is the id of a card that does not fold.
	keep string
}

// transcript lays out a view: by turns, and in a turn in the order of first
// appearance, calls inside of others under those.
func transcript(v *view.View, f folding) []block {
	var blocks []block
	if t := v.Trimmed; t != nil && t.Turns > 0 {
		blocks = append(blocks, block{id: "trimmed", words: count(t.Turns, "earlier turn is", "earlier turns are") + " no longer kept."})
	}
	lookup := newLookup(v)
	byTurn := map[int64][]view.TimelineItem{}
	turns := map[int64]*view.Turn{}
	for _, t := range v.Turns {
		turns[t.Turn], byTurn[t.Turn] = t, nil
	}
	for _, item := range v.Timeline {
		if n, ok := lookup.turnOf(item); ok {
			byTurn[n] = append(byTurn[n], item)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(byTurn)) {
		s := section{lookup: lookup, folding: f, past: n < f.before}
		blocks = s.appendTo(blocks, n, turns[n], byTurn[n])
	}
	return blocks
}

// lookup finds what a timeline points at.
type lookup struct {
	v        *view.View
	messages map[string]*view.Message
	notices  map[string]*view.Notice
}

func newLookup(v *view.View) *lookup {
	l := &lookup{v: v, messages: make(map[string]*view.Message, len(v.Msgs)), notices: make(map[string]*view.Notice, len(v.Notices))}
	for _, m := range v.Msgs {
		l.messages[m.ID] = m
	}
	for _, n := range v.Notices {
		l.notices[n.ID] = n
	}
	return l
}

// turnOf is false for what has no row of its own.
func (l *lookup) turnOf(item view.TimelineItem) (int64, bool) {
	switch item.Kind {
	case view.KindMessage:
		if m := l.messages[item.Key]; m != nil {
			return m.Turn, true
		}
		if a := l.v.Active; a != nil && a.ID == item.Key {
			return a.Turn, true
		}
	case view.KindTool:
		if t := l.v.Tools[item.Key]; t != nil {
			return t.Turn, true
		}
	case view.KindNotice:
		if n := l.notices[item.Key]; n != nil {
			return n.Turn, true
		}
	}
	return 0, false
}

// section lays out one turn.
type section struct {
	*lookup
	folding
	past bool
	// children and roots of the turn's calls, by key.
	children map[string][]*view.Tool
}

func (s *section) appendTo(blocks []block, number int64, turn *view.Turn, items []view.TimelineItem) []block {
	var cards []*view.Tool
	for _, item := range items {
		if item.Kind == view.KindTool {
			cards = append(cards, s.v.Tools[item.Key])
		}
	}
	roots := s.nest(cards)
	if number > 0 {
		blocks = append(blocks, block{id: "t/" + strconv.FormatInt(number, 10), heading: &heading{number, turn, cards}})
	}
	var group []*view.Tool
	end := func() {
		blocks = s.appendGroup(blocks, group)
		group = nil
	}
	for _, item := range items {
		switch item.Kind {
		case view.KindTool:
			if roots[item.Key] {
				group = append(group, s.v.Tools[item.Key])
			}
		case view.KindMessage:
			end()
			blocks = s.appendMessage(blocks, item.Key)
		case view.KindNotice:
			end()
			blocks = append(blocks, block{id: "n/" + item.Key, notice: s.notices[item.Key]})
		}
	}
	end()
	return blocks
}

// nest sorts calls under the calls that made them, and returns those at the top.
func (s *section) nest(cards []*view.Tool) (roots map[string]bool) {
	here := make(map[string]bool, len(cards))
	for _, t := range cards {
		here[t.Key] = true
	}
	roots, s.children = map[string]bool{}, map[string][]*view.Tool{}
	for _, t := range cards {
		if t.Parent == t.Key || !here[t.Parent] {
			roots[t.Key] = true
		} else {
			s.children[t.Parent] = append(s.children[t.Parent], t)
		}
	}
	return roots
}

func (s *section) appendMessage(blocks []block, id string) []block {
	b := block{id: "m/" + id}
	if m := s.messages[id]; m != nil {
		if m.Text == "" && m.Thinking == "" && m.Error == "" && stopWord(m.StopReason) == "" {
			return blocks
		}
		b.message = m
	} else {
		b.active = s.v.Active
	}
	return append(blocks, b)
}

// appendGroup lays out calls that were made together, in source order.
func (s *section) appendGroup(blocks []block, group []*view.Tool) []block {
	if len(group) == 0 {
		return blocks
	}
	finish := finishOrder(group)
	folded := map[string]bool{}
	if s.past {
		done := slices.DeleteFunc(slices.Clone(group), func(t *view.Tool) bool {
			return t.Status != view.Done || t.Conflict != nil || s.open["c/"+t.Key] || "c/"+t.Key == s.keep
		})
		if len(done) >= doneShown+2 {
			for _, t := range done[doneShown:] {
				folded[t.Key] = true
			}
		}
	}
	more := block{id: "more/" + group[0].Key, more: true}
	for _, t := range group {
		if !folded[t.Key] || s.open[more.id] {
			blocks = s.appendCard(blocks, t, 0, finish[t.Key], map[string]bool{})
		}
	}
	if len(folded) > 0 {
		more.words = grouped(len(folded)) + " more done"
		if s.open[more.id] {
			more.words = "Show fewer"
		}
		blocks = append(blocks, more)
	}
	return blocks
}

// appendCard lays out a call and what was called inside it: closed at first, but
// a failure is never hidden. A ring of parents is cut by seen.
func (s *section) appendCard(blocks []block, t *view.Tool, depth int, finish string, seen map[string]bool) []block {
	if seen[t.Key] {
		return blocks
	}
	seen[t.Key] = true
	children := s.children[t.Key]
	id := "c/" + t.Key
	blocks = append(blocks, block{id: id, tool: t, depth: depth, inside: len(children), finish: finish})
	for _, child := range children {
		childID := "c/" + child.Key
		if s.open[id] || s.open[childID] || childID == s.keep || s.failed(child, map[string]bool{}) {
			blocks = s.appendCard(blocks, child, depth+1, "", seen)
		}
	}
	return blocks
}

// failed says that a call or one inside it failed.
func (s *section) failed(t *view.Tool, seen map[string]bool) bool {
	if seen[t.Key] {
		return false
	}
	seen[t.Key] = true
	return t.Status == view.Failed || slices.ContainsFunc(s.children[t.Key], func(c *view.Tool) bool { return s.failed(c, seen) })
}

// finishOrder is "1st to finish", "2nd", …: only among calls that ran together.
// Those that ended in the same instant share a rank.
func finishOrder(group []*view.Tool) map[string]string {
	if len(group) < 2 || !overlap(group) {
		return nil
	}
	var ended []*view.Tool
	for _, t := range group {
		if t.Status == view.Done || t.Status == view.Failed {
			ended = append(ended, t)
		}
	}
	slices.SortStableFunc(ended, func(a, b *view.Tool) int { return cmp.Compare(a.EndedAt, b.EndedAt) })
	words, rank := make(map[string]string, len(ended)), 0
	for i, t := range ended {
		if i == 0 || t.EndedAt != ended[i-1].EndedAt {
			rank = i + 1
		}
		words[t.Key] = ordinal(rank)
		if i == 0 {
			words[t.Key] += " to finish"
		}
	}
	return words
}

// overlap says whether any two of them ran at the same time.
func overlap(tools []*view.Tool) bool {
	started := slices.DeleteFunc(slices.Clone(tools), func(t *view.Tool) bool { return t.StartedAt <= 0 })
	slices.SortStableFunc(started, func(a, b *view.Tool) int { return cmp.Compare(a.StartedAt, b.StartedAt) })
	latest := int64(0)
	for _, t := range started {
		if t.StartedAt < latest {
			return true
		}
		end := t.EndedAt
		if end == 0 {
			end = 1<<63 - 1
		}
		latest = max(latest, end)
	}
	return false
}

func lastTurn(v *view.View) *view.Turn {
	if len(v.Turns) == 0 {
		return nil
	}
	return v.Turns[len(v.Turns)-1]
}
