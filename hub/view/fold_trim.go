package view

import "slices"

// applyTrim forgets the messages, cards, notices and summaries of turns before
// the given one, and counts them.
func (v *View) applyTrim(before int64) {
	t := Trimmed{}
	if v.Trimmed != nil {
		t = *v.Trimmed
	}
	forgotten := map[TimelineItem]struct{}{}
	v.Msgs = slices.DeleteFunc(v.Msgs, func(m *Message) bool {
		if m.Turn >= before {
			return false
		}
		t.Messages++
		forgotten[TimelineItem{KindMessage, m.ID}] = struct{}{}
		v.touch(messagePrefix + m.ID)
		return true
	})
	for key, tool := range v.Tools {
		if tool.Turn >= before {
			continue
		}
		t.Tools++
		delete(v.Tools, key)
		delete(v.open, key)
		forgotten[TimelineItem{KindTool, key}] = struct{}{}
		forgotten[TimelineItem{KindToolResult, key}] = struct{}{}
		v.touch(toolPrefix + key)
	}
	v.trimNotices(before, &t, forgotten)
	v.Turns = slices.DeleteFunc(v.Turns, func(s *Turn) bool {
		if s.Turn >= before {
			return false
		}
		t.Turns++
		v.touchTurn(s.Turn)
		return true
	})
	v.Timeline = slices.DeleteFunc(v.Timeline, func(i TimelineItem) bool {
		_, gone := forgotten[i]
		return gone
	})
	v.Trimmed = some(&t)
	v.index()
	v.touch(header)
	v.touch(timelineEntity)
}

// trimNotices: digests of notices go by index, so all of them are made anew.
func (v *View) trimNotices(before int64, t *Trimmed, forgotten map[TimelineItem]struct{}) {
	for i := range v.Notices {
		v.touchNotice(i)
	}
	v.Notices = slices.DeleteFunc(v.Notices, func(n *Notice) bool {
		if n.Turn >= before {
			return false
		}
		t.Notices++
		forgotten[TimelineItem{KindNotice, n.ID}] = struct{}{}
		return true
	})
}
