package term

import (
	"strings"
	"time"
)

// titleFrom is the least height of a terminal that has a row for the title.
const titleFrom = 7

// frame says how the rows of the terminal are shared out.
type frame struct {
	title, status, body, footer int
	// notes are what has to be known and what waits, as many as have room.
	notes []line
}

// frame shares out the rows: the state first, then the transcript, then the
// rest. What comes and goes is under the transcript, so that its first row
// stays where it is.
func (s *Screen) frame(now time.Time) frame {
	var f frame
	left := s.h
	take := func(least int) int {
		if left <= least {
			return 0
		}
		left--
		return 1
	}
	f.status = take(0)
	f.footer = take(2)
	f.title = take(titleFrom - 3)
	if !s.help {
		f.notes = append(s.banners(now), s.queue()...)
	}
	f.notes = f.notes[:min(len(f.notes), max(0, (left-1)/2))]
	f.body = left - len(f.notes)
	return f
}

// bodyHeight is how many rows of the transcript are shown.
func (s *Screen) bodyHeight() int { return s.frame(s.heardAt).body }

// View draws the screen as it is at a moment: rows joined by line feeds.
func (s *Screen) View(now time.Time) string {
	s.scene.at = s.clock.at(now)
	f := s.frame(now)
	var b strings.Builder
	rows := 0
	row := func(l line, chosen bool) {
		if rows > 0 {
			b.WriteByte('\n')
		}
		rows++
		s.cfg.Theme.draw(&b, l, s.scene.w, chosen)
	}
	if f.title > 0 {
		row(s.titleRow(), false)
	}
	if f.status > 0 {
		row(s.statusRow(), false)
	}
	switch {
	case s.help:
		s.drawHelp(f.body, row)
	case s.v == nil || len(s.blocks) == 0:
		s.drawEmpty(f.body, row)
	default:
		s.drawBody(f.body, row)
	}
	for _, n := range f.notes {
		row(n, false)
	}
	if f.footer > 0 {
		row(s.footer(), false)
	}
	return b.String()
}

// drawBody draws the blocks that are on the screen, and no others.
func (s *Screen) drawBody(h int, row func(line, bool)) {
	top := s.top()
	left := h
	for i := s.blockAt(top); i < len(s.blocks) && left > 0; i++ {
		b := &s.blocks[i]
		chosen := b.id == s.chosen
		rows := s.scene.draw(b, chosen)
		heads := len(rows)
		if b.tool != nil {
			heads = s.scene.card(b).rows()
		}
		for n := max(0, top-s.tops[i]); n < len(rows) && left > 0; n++ {
			row(rows[n], chosen && n < heads)
			left--
		}
	}
	for ; left > 0; left-- {
		row(nil, false)
	}
}

func (s *Screen) drawEmpty(h int, row func(line, bool)) {
	words := wordNoEvents
	if s.v == nil {
		words = connecting(s.cfg.Hub)
		if s.link != linkConnecting && s.link != linkLive {
			words = "" // the note says it
		}
	}
	s.fill(h, spread(roleDim, line{text(rolePlain, "  ")}, wrap(words, s.scene.w-2)), row)
}

// connecting says where to, so that a wrong address is seen.
func connecting(hub string) string {
	return strings.Join(nonEmpty(wordConnecting, hub), " at ") + "."
}

// fill draws rows and leaves the others empty.
func (s *Screen) fill(h int, rows []line, row func(line, bool)) {
	for i := range h {
		if i < len(rows) {
			row(rows[i], false)
		} else {
			row(nil, false)
		}
	}
}
