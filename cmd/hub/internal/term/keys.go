package term

import (
	"sort"

	"github.com/ringside-hub/ringside/hub/view"
)

func (s *Screen) key(k string) {
	if s.help && s.helpKey(k) {
		return
	}
	switch k {
	case "q", "ctrl+c":
		s.quit = true
	case "?":
		s.help = true
	case "esc", "backspace":
		s.leave()
	case "up", "ctrl+y", "ctrl+p":
		s.scroll(-1)
	case "down", "ctrl+e", "ctrl+n":
		s.scroll(1)
	case "pgup", "b", "ctrl+b":
		s.scroll(-max(1, s.bodyHeight()-2))
	case "pgdown", "space", " ", "ctrl+f":
		s.scroll(max(1, s.bodyHeight()-2))
	case "ctrl+u":
		s.scroll(-max(1, s.bodyHeight()/2))
	case "ctrl+d":
		s.scroll(max(1, s.bodyHeight()/2))
	case "g", "home":
		s.scroll(-s.rows() - 1)
	case "f", "G", "shift+g", "end":
		s.follow()
	case "j":
		s.choose(1, false, (*block).chooses)
	case "k":
		s.choose(-1, false, (*block).chooses)
	case "e":
		s.choose(1, true, failedBlock)
	case "E", "shift+e":
		s.choose(-1, true, failedBlock)
	case "r":
		s.choose(1, true, func(b *block) bool { return b.tool != nil && b.tool.Status == view.CardRunning })
	case "]":
		s.turn(1)
	case "[":
		s.turn(-1)
	case "enter", "o", "right", "left":
		s.toggle(k)
	case "t":
		s.scene.thinking = !s.scene.thinking
		s.scene.forget()
		s.layout()
	}
}

func failedBlock(b *block) bool { return b.tool != nil && b.tool.Status == view.Failed }

// leave closes one thing: the note, the open card, the selection, and at last
// the screen, where there is a list to go back to.
func (s *Screen) leave() {
	switch {
	case s.note != "":
		s.note = ""
	case s.chosen != "" && s.scene.open[s.chosen]:
		s.toggle("enter")
	case s.chosen != "":
		s.chosen = ""
		s.layout()
	case s.cfg.Back:
		s.quit, s.out = true, true
	}
}

// scroll moves by rows. Upwards it ends following at once; back at the end it
// follows again.
func (s *Screen) scroll(by int) {
	if by < 0 {
		s.pause()
	}
	if s.following {
		return
	}
	to := s.top() + by
	if by > 0 && to >= s.rows()-s.bodyHeight() {
		s.follow()
		return
	}
	s.hold(to)
}

// blockAt finds the block that has a row.
func (s *Screen) blockAt(row int) int {
	i := sort.SearchInts(s.tops, row+1) - 1
	return min(max(i, 0), len(s.blocks)-1)
}

// choose selects the next block, or with -1 the previous one, that will do; with
// round, the search goes on at the other end. With none selected it begins with
// what is on the screen.
func (s *Screen) choose(step int, round bool, will func(*block) bool) {
	all := len(s.blocks)
	if all == 0 {
		return
	}
	if step < 0 {
		s.pause()
	}
	at, selected := s.index[s.chosen]
	if !selected {
		top := s.top()
		at = s.blockAt(top) - 1
		if step < 0 {
			at = s.blockAt(top+s.bodyHeight()-1) + 1
		}
	}
	for n := 1; n <= all; n++ {
		i := at + n*step
		if round {
			i = (i + 2*all) % all
		}
		if i < 0 || i >= all {
			return
		}
		if will(&s.blocks[i]) {
			s.selectBlock(i)
			return
		}
	}
}

// selectBlock selects a block and brings it onto the screen. To have to move for
// that ends following.
func (s *Screen) selectBlock(i int) {
	id := s.blocks[i].id
	s.chosen = id
	s.layout() // the one that was selected may fold now
	s.show(s.index[id])
}

// show moves as little as needed to have a block on the screen.
func (s *Screen) show(i int) {
	top, h := s.top(), s.bodyHeight()
	first, end := s.tops[i], s.tops[i+1]
	switch {
	case first < top || end-first >= h:
		s.pause()
		s.hold(first)
	case end > top+h:
		s.pause()
		s.hold(end - h)
	}
}

// turn goes to the heading of the next or previous turn.
func (s *Screen) turn(step int) {
	if len(s.blocks) == 0 {
		return
	}
	if step < 0 {
		s.pause()
	}
	top := s.top()
	for i := s.blockAt(top); i >= 0 && i < len(s.blocks); i += step {
		if s.blocks[i].heading != nil && (step > 0 && s.tops[i] > top || step < 0 && s.tops[i] < top) {
			s.scroll(s.tops[i] - top)
			return
		}
	}
	if step > 0 {
		s.follow()
	} else {
		s.hold(0)
	}
}

// toggle opens or closes what is selected, and shows as much of it as has room:
// who reads it does not follow.
func (s *Screen) toggle(k string) {
	if _, ok := s.index[s.chosen]; !ok {
		return
	}
	opened := s.scene.open[s.chosen]
	if k == "right" && opened || k == "left" && !opened {
		return
	}
	s.pause()
	if opened {
		delete(s.scene.open, s.chosen)
	} else {
		s.scene.open[s.chosen] = true
	}
	s.layout()
	if i, ok := s.index[s.chosen]; ok {
		s.show(i)
	}
}
