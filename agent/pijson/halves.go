package pijson

import (
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/agent"
)

// JavaScript cuts strings between UTF-16 units, so that a delta may end with
// one half of a character and the next delta of its block begin with the other.
// On its line each of them is a lone surrogate.

// maxHalves bounds how many halves are noted per line, and how many wait.
const maxHalves = 256

// half is a lone surrogate escape at an edge of its string; at is its place in
// the line.
type half struct {
	at   int
	unit rune
}

// halves puts characters together again.
type halves struct {
	// found are those of the present line.
	found []half
	// waiting are the first halves that the last deltas of the streaming
	// message's blocks ended with, by content index.
	waiting map[int]waitingHalf
}

type waitingHalf struct {
	kind agent.UpdateType // of the delta
	unit rune
}

// note keeps the lone surrogate escape at i if it is a first half at the end of
// its string, or a second half at the start.
func (h *halves) note(src []byte, i int, unit uint32) {
	atEnd := isHigh(unit) && i+6 < len(src) && src[i+6] == '"'
	atStart := isLow(unit) && i > 0 && src[i-1] == '"'
	if (atEnd || atStart) && len(h.found) < maxHalves {
		h.found = append(h.found, half{i, rune(unit)})
	}
}

// at returns the half at a place in the line, or 0.
func (h *halves) at(place int) rune {
	for _, f := range h.found {
		if f.at == place {
			return f.unit
		}
	}
	return 0
}

// delta reads a step's delta and notes the halves at its edges.
func (d *decoder) delta(s *step) error {
	s.hasDelta, s.first, s.last = d.c.kind() != 'n', 0, 0
	if d.c.kind() != '"' || len(d.halves.found) == 0 {
		return hold(&s.badDelta, d.c.str(&s.u.Delta))
	}
	v, err := d.c.value()
	if err != nil {
		return err
	}
	end := int(d.c.dec.InputOffset())
	if unit := d.halves.at(end - len(v) + 1); isLow(uint32(unit)) {
		s.first = unit
	}
	if unit := d.halves.at(end - len(`\uXXXX"`)); isHigh(uint32(unit)) {
		s.last = unit
	}
	text, err := jsontext.AppendUnquote(nil, v)
	s.u.Delta = string(text)
	return err
}

// joinHalves completes the character that the block's last delta began, and
// keeps back one that this delta only begins.
func (d *decoder) joinHalves(s *step, u *agent.AssistantUpdate) {
	h := &d.halves
	w, waits := h.waiting[u.ContentIndex]
	if waits && w.kind != u.Type {
		d.dropHalf(u.ContentIndex)
		waits = false
	}
	if !waits && s.last == 0 {
		return
	}
	delete(h.waiting, u.ContentIndex)
	text := u.Delta
	if s.last != 0 && len(h.waiting) < maxHalves {
		if h.waiting == nil {
			h.waiting = map[int]waitingHalf{}
		}
		h.waiting[u.ContentIndex] = waitingHalf{u.Type, s.last}
		text = text[:len(text)-len(replacement)]
	}
	switch {
	case waits && s.first != 0:
		text = string(utf16.DecodeRune(w.unit, s.first)) + text[len(replacement):]
	case waits:
		text = replacement + text
	}
	u.Delta = text
}

// replacement is what repair has put in the place of a half.
const replacement = "\uFFFD"

// dropHalf gives up waiting: the block has ended, or is another one now.
func (d *decoder) dropHalf(index int) {
	w, waits := d.halves.waiting[index]
	if !waits {
		return
	}
	delete(d.halves.waiting, index)
	d.emit(agent.MessageUpdate{Update: agent.AssistantUpdate{Type: w.kind, ContentIndex: index, Delta: replacement}})
}
