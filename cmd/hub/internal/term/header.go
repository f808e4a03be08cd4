package term

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ringside-hub/ringside/hub/view"
)

func (s *Screen) title() string {
	if s.v != nil && s.v.Run != nil {
		if t := strings.TrimSpace(Safe(clipBytes(s.v.Run.Title, 2000))); t != "" {
			return t
		}
	}
	return s.cfg.Run
}

// titleRow has what the run is called, and whether what is shown is live.
func (s *Screen) titleRow() line {
	left, right := line{text(roleStrong, s.title())}, s.linkWord()
	room := s.scene.w - right.width() - 2
	add := func(what string) { // what has no room is left out
		if more := text(roleFaint, " · "+what); left.width()+width(more.text) <= room {
			left = append(left, more)
		}
	}
	if s.title() != s.cfg.Run {
		add(s.cfg.Run)
	}
	if s.v != nil && s.v.Run != nil && s.v.Run.Model != "" {
		add(shorten(s.v.Run.Model, 40))
	}
	return join(left, right, s.scene.w, 12)
}

func (s *Screen) linkWord() line {
	switch s.link {
	case linkLive:
		return line{text(roleOK, "● "+wordLive)}
	case linkUnknown:
		return line{text(roleIdle, "○ "+wordAwaiting)}
	case linkWaiting:
		return line{text(rolePrep, "! "+wordReconnecting)}
	case linkEnded:
		return line{text(roleErr, "! "+wordDisconnected)}
	}
	return line{text(roleIdle, "○ Connecting")}
}

// statusRow has the run's state, its counts, and who is there.
func (s *Screen) statusRow() line {
	if s.v == nil {
		what := s.cfg.Run
		if s.h >= titleFrom { // which says that already
			what = s.cfg.Hub
		}
		return join(line{text(roleFaint, what)}, s.linkIfSmall(), s.scene.w, 8)
	}
	state := stateOfView(s.v)
	look := state.look()
	left := line{text(look.role, look.glyph+" "+look.word)}
	turn := line{}
	if state == RunRunning && s.v.Turn > 0 {
		turn = append(turn, text(look.role, " · turn "+grouped(s.v.Turn)))
	}
	elapsed := line{}
	if e := s.elapsed(); e != "" {
		elapsed = append(elapsed, text(roleFaint, "  "+e))
	}
	right := s.workerWord()
	if s.delivery != nil {
		right = append(right, text(roleFaint, "  "+deliveryWord(s.delivery.Step)))
		if s.delivery.Behind > 0 {
			right = append(right, text(rolePrep, ", "+grouped(s.delivery.Behind)+" behind"))
		}
	}
	if small := s.linkIfSmall(); len(small) > 0 {
		right = append(append(right, text(rolePlain, "  ")), small...)
	}
	// Where there is little room the time goes first, then words, people, the turn.
	words, numbers := s.counts(true), s.counts(false)
	for _, try := range []struct{ middle, right line }{
		{slices.Concat(turn, words, elapsed), slices.Concat(s.people(), right)},
		{slices.Concat(turn, words), slices.Concat(s.people(), right)},
		{slices.Concat(turn, numbers, elapsed), slices.Concat(s.people(), right)},
		{slices.Concat(turn, numbers), slices.Concat(s.people(), right)},
		{slices.Concat(turn, numbers), right},
		{numbers, right},
	} {
		if left.width()+try.middle.width()+2+try.right.width() <= s.scene.w {
			return join(append(left, try.middle...), try.right, s.scene.w, s.scene.w)
		}
	}
	return join(append(left, numbers...), right, s.scene.w, s.scene.w)
}

// counts says how many cards are in each state.
func (s *Screen) counts(words bool) line {
	n := map[string]int{}
	for _, t := range s.v.Tools {
		n[t.Status]++
	}
	var l line
	for _, status := range countOrder {
		if n[status] == 0 {
			continue
		}
		look := stateOf(status)
		l = append(l, text(look.role, "  "+look.glyph+" "+grouped(n[status])))
		if words {
			l = append(l, text(roleDim, " "+look.word))
		}
	}
	return l
}

// linkIfSmall is the link's word where there is no row for it.
func (s *Screen) linkIfSmall() line {
	if s.h >= titleFrom {
		return nil
	}
	return s.linkWord()
}

// elapsed is the time since the first turn began, up to the end of the last.
func (s *Screen) elapsed() string {
	if len(s.v.Turns) == 0 || s.v.Turns[0].StartedAt <= 0 {
		return ""
	}
	end := s.scene.at
	if last := lastTurn(s.v); s.v.RunStatus == view.Idle && last.EndedAt > 0 {
		end = last.EndedAt
	}
	return stopwatch(end - s.v.Turns[0].StartedAt)
}

func (s *Screen) workerWord() line {
	switch { // a live one is what everybody expects
	case s.v.Worker == view.WorkerLost:
		return line{text(rolePrep, "  Worker lost")}
	case s.v.Worker == view.WorkerGone:
		return line{text(roleIdle, "  Worker left")}
	case s.worker != nil && s.worker.Stale:
		return line{text(rolePrep, "  Worker stale")}
	}
	return nil
}

// people says how many watch, and the names of a few.
func (s *Screen) people() line {
	if s.presence == nil || s.presence.Watching <= 0 {
		return nil
	}
	words := grouped(s.presence.Watching) + " watching"
	var names []string
	for _, p := range s.presence.People {
		if name := strings.TrimSpace(Safe(p.Name)); name != "" && len(names) < 3 {
			names = append(names, shorten(name, 16))
		}
	}
	if s.scene.w >= 100 && len(names) > 0 {
		words += " (" + strings.Join(names, ", ")
		if rest := s.presence.Watching - int64(len(names)); rest > 0 {
			words += " +" + grouped(rest)
		}
		words += ")"
	}
	return line{text(roleFaint, words)}
}

// banners are what everybody has to know about the run as a whole.
func (s *Screen) banners(now time.Time) []line {
	var list []line
	add := func(r role, words ...string) {
		rows := spread(r, nil, wrap(strings.Join(nonEmpty(words...), " "), s.scene.w))
		if len(rows) > 2 {
			rows = append(rows[:1], spread(r, nil, []string{rows[1][0].text + "…"})[0])
		}
		list = append(list, rows...)
	}
	asOf := ""
	if !s.heardAt.IsZero() {
		asOf = fmt.Sprintf("Showing what was known at %s, %s ago.", timeOfDay(s.heardAt.UnixMilli(), s.cfg.Location), ticking(now.Sub(s.heardAt).Milliseconds()))
	}
	if s.v == nil {
		asOf = ""
	}
	in := max(1, int64((s.retryAt.Sub(now)+time.Second-1)/time.Second))
	switch s.link {
	case linkUnknown:
		add(rolePrep, fmt.Sprintf("○ %s Asking again in %d s.", s.why, in), asOf)
	case linkWaiting:
		add(rolePrep, fmt.Sprintf("! Reconnecting in %d s.", in), asOf, fmt.Sprintf("Attempt %d.", s.attempt), sentence(shorten(s.why, 200)))
	case linkEnded:
		add(roleErr, "! "+wordDisconnected+".", sentence(shorten(s.why, 300)), asOf)
	}
	if s.note != "" {
		add(rolePrep, "! "+s.note, "Esc hides this.")
	}
	if s.v == nil {
		return list
	}
	if s.delivery != nil && slowWord(s.delivery.Step) != "" {
		add(rolePrep, "! "+slowWord(s.delivery.Step))
	}
	if stateOfView(s.v) == RunFailed {
		add(roleErr, s.failedWords()...)
	}
	switch {
	case s.store == "down":
		add(rolePrep, "! "+wordStoreDown)
	case s.v.Worker == view.WorkerLost:
		add(rolePrep, "? "+wordWorkerLost)
	case s.v.Worker == view.WorkerGone:
		words := wordWorkerGone
		if s.v.Turn > 0 {
			words += " " + stateOfView(s.v).ending()
		}
		add(roleIdle, "○ "+words)
	case s.worker != nil && s.worker.Stale && s.link == linkLive:
		heard := max(s.worker.HeardMs, 0) + now.Sub(s.workerAt).Milliseconds()
		add(rolePrep, fmt.Sprintf("! The worker was last heard %s ago. What is shown may be out of date.", ticking(heard)))
	}
	if s.v.RunStatus == view.Settling {
		add(rolePrep, "◌ Settling. "+wordSettlingLong)
	}
	return list
}

// failedWords tell of a failed run, which is not a failed tool.
func (s *Screen) failedWords() []string {
	title := "Run stopped with an error."
	if t := headline(s.v.OutcomeText); t != "" {
		title = "Run stopped: " + shorten(t, 300)
	}
	_, failed := s.items()
	words := "No tool had failed."
	switch {
	case failed == 1:
		words = "1 tool error before that was handled by the agent."
	case failed > 1:
		words = grouped(failed) + " tool errors before that were handled by the agent."
	}
	return []string{"✗ " + title, "(turn " + grouped(s.v.Turn) + ").", words}
}

// queue is what waits to be delivered to the agent.
func (s *Screen) queue() []line {
	if s.v == nil || s.v.Queue == nil {
		return nil
	}
	q := s.v.Queue
	all := len(q.Steering) + len(q.FollowUp)
	if all == 0 {
		return nil
	}
	rows := []line{{text(roleStrong, count(all, "message waiting", "messages waiting"))}}
	for _, list := range []struct {
		kind  string
		texts []string
	}{{"Steering", q.Steering}, {"Follow-up", q.FollowUp}} {
		for _, t := range list.texts {
			if len(rows) > 5 {
				return append(rows, line{text(roleFaint, "  and "+grouped(all-5)+" more")})
			}
			rows = append(rows, line{text(roleFaint, "  "+list.kind+": "), text(roleDim, shorten(headline(t), 300))})
		}
	}
	return rows
}

// footer says whether the end is followed, what came since, and the keys.
func (s *Screen) footer() line {
	if s.help {
		return s.helpFooter()
	}
	left := line{text(roleFaint, wordFollowing)}
	if !s.following {
		left = line{text(roleStrong, wordFollowingOff)}
		all, failed := s.items()
		if n := all - s.pausedItems; n > 0 {
			left = append(left, text(roleStrong, "  "+grouped(n)+" new"))
		}
		if n := failed - s.pausedErrors; n > 0 {
			left = append(left, text(roleErr, "  "+grouped(n)+" failed"))
		}
		left = append(left, text(roleFaint, "  f follows"))
	}
	keys := "j/k card  Enter open  e failure  ? help  q quit"
	if s.scene.w < 80 {
		keys = "? help  q quit"
	}
	if s.v != nil && s.scene.w >= 100 {
		keys = "seq " + grouped(s.seq) + "  " + keys
	}
	return join(left, line{text(roleFaint, keys)}, s.scene.w, s.scene.w)
}
