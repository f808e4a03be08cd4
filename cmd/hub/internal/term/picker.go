package term

import (
	"slices"
	"strings"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

// Picker is the list of a hub's runs, to choose one from. It takes Resize, Key,
// Repaint, Connected, Lost, Ended and wire.Runs. Rows do not change places while
// someone moves among them.
type Picker struct {
	cfg  Config
	w, h int

	runs  map[string]runlog.RunSummary
	order []string // all runs
	shown []string // those that have what was typed
	known bool     // a list has come
	at    string
	moved bool // someone has moved: the order stays

	link    linkState
	why     string
	retryAt time.Time

	typing bool
	typed  string

	picked string
	quit   bool
}

// NewPicker returns a list that is still empty. c.Run is what is selected at
// first.
func NewPicker(c Config) *Picker {
	if c.Location == nil {
		c.Location = time.UTC
	}
	return &Picker{cfg: c, at: c.Run, runs: map[string]runlog.RunSummary{}}
}

// Picked is the run that was chosen, "" for none yet. Quit says that the person
// wants to leave.
func (p *Picker) Picked() string { return p.picked }
func (p *Picker) Quit() bool     { return p.quit }

// Handle takes in what happened.
func (p *Picker) Handle(m Msg) {
	switch m := m.(type) {
	case Resize:
		p.w, p.h = clampSize(m.W), clampSize(m.H)
	case Repaint:
		p.cfg.Theme = m.Theme
	case Connected:
		p.link = linkLive
	case Lost:
		p.link, p.why, p.retryAt = linkWaiting, m.Why, m.RetryAt
	case Ended:
		p.link, p.why = linkEnded, m.Why
	case wire.Runs:
		p.list(m)
	case Key:
		p.key(string(m))
	}
}

func (p *Picker) list(m wire.Runs) {
	p.known = true
	if m.Full {
		clear(p.runs)
	}
	for _, r := range m.Runs {
		p.runs[r.Run] = r
	}
	for _, id := range m.Gone {
		delete(p.runs, id)
	}
	p.sort()
}

// sort keeps the order of what is known while someone moves; what is new comes
// at the end then.
func (p *Picker) sort() {
	all := make([]runlog.RunSummary, 0, len(p.runs))
	for _, r := range p.runs {
		all = append(all, r)
	}
	SortRuns(all)
	var order []string
	seen := map[string]bool{}
	if p.moved {
		for _, id := range p.order {
			if _, ok := p.runs[id]; ok {
				order, seen[id] = append(order, id), true
			}
		}
	}
	for _, r := range all {
		if !seen[r.Run] {
			order = append(order, r.Run)
		}
	}
	p.order = order
	if p.at == "" && len(order) > 0 {
		p.at = order[0] // and no newer one that takes its place
	}
	p.narrow()
}

// index is where the selected run stands; one that is gone gives the first.
func (p *Picker) index() int {
	return max(0, slices.Index(p.shown, p.at))
}

func (p *Picker) key(k string) {
	if p.typing && p.typeKey(k) {
		return
	}
	step := 0
	switch k {
	case "q", "ctrl+c", "esc":
		p.quit = true
	case "/":
		p.typing, p.moved = true, true
	case "j", "down", "ctrl+n":
		step = 1
	case "k", "up", "ctrl+p":
		step = -1
	case "pgdown", "space", "ctrl+f", "ctrl+d":
		step = max(1, p.h-6)
	case "pgup", "ctrl+b", "ctrl+u":
		step = -max(1, p.h-6)
	case "g", "home":
		step = -len(p.shown)
	case "G", "shift+g", "end":
		step = len(p.shown)
	case "enter", "right", "o":
		if len(p.shown) > 0 {
			p.picked = p.shown[p.index()]
		}
	}
	if step != 0 && len(p.shown) > 0 {
		p.moved = true
		p.at = p.shown[min(max(p.index()+step, 0), len(p.shown)-1)]
	}
}

// View draws the list as it is at a moment.
func (p *Picker) View(now time.Time) string {
	var b strings.Builder
	n := 0
	row := func(l line, chosen bool) {
		if n == p.h {
			return
		}
		if n > 0 {
			b.WriteByte('\n')
		}
		n++
		p.cfg.Theme.draw(&b, l, p.w, chosen)
	}
	row(join(p.head(), p.linkWord(now), p.w, 8), false)
	last := p.h - 1 // the row of the keys
	if len(p.shown) == 0 {
		words := wordNoRuns
		switch {
		case !p.known:
			words = connecting(p.cfg.Hub)
		case len(p.order) > 0:
			words = wordNoMatch
		}
		for _, l := range spread(roleDim, line{text(rolePlain, "  ")}, wrap(words, p.w-2)) {
			row(l, false)
		}
	} else {
		p.drawRows(now, max(0, last-2), row)
	}
	for n < last {
		row(nil, false)
	}
	keys := "j/k move  Enter watch  / find  q quit"
	if p.typing {
		keys = "type to find  Enter watch  Esc all"
	}
	row(line{text(roleFaint, keys)}, false)
	return b.String()
}

// drawRows draws the head and as many runs as have room, the selected one among
// them. Only those are laid out.
func (p *Picker) drawRows(now time.Time, room int, row func(line, bool)) {
	at := p.index()
	first := min(max(0, at-room/2), max(0, len(p.shown)-room))
	shown := p.shown[first:min(len(p.shown), first+room)]
	rows := []runRow{runHeads}
	for _, id := range shown {
		rows = append(rows, rowOf(p.runs[id], now, p.cfg.Location))
	}
	widths := columnWidths(rows)
	for column, least := range map[int]int{columnLast: 110, columnTools: 90, columnErrors: 70, columnTurn: 60} {
		if p.w < least {
			widths[column] = 0
		}
	}
	row(line{text(roleFaint, "    "+layRow(runHeads.fields(), widths))}, false)
	for i, r := range rows[1:] {
		lead := "  "
		if first+i == at {
			lead = "> "
		}
		row(line{text(roleStrong, lead), text(r.look.role, r.look.glyph+" "), text(rolePlain, layRow(r.fields(), widths))}, first+i == at)
	}
}

func (p *Picker) linkWord(now time.Time) line {
	switch p.link {
	case linkLive:
		return line{text(roleOK, "● "+wordLive)}
	case linkWaiting:
		in := max(1, int64((p.retryAt.Sub(now)+time.Second-1)/time.Second))
		return line{text(rolePrep, "! "+wordReconnecting+" in "+grouped(in)+" s. "+sentence(shorten(p.why, 80)))}
	case linkEnded:
		return line{text(roleErr, "! "+wordDisconnected+". "+sentence(shorten(p.why, 80)))}
	}
	return line{text(roleIdle, "○ Connecting")}
}
