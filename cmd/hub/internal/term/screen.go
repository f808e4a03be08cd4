package term

import (
	"maps"
	"strings"
	"time"

	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/hub/wire"
)

// Config says what a screen shows, and how.
type Config struct {
	// Run is the run's id; Hub the address under which its outputs are found.
	Run, Hub string
	Theme    Theme
	// Location is where times of day are. Absent: UTC.
	Location *time.Location
	// Back says that there is a list to go back to.
	Back bool
}

// Msg is one of Resize, Key, Update, Connected, Unknown, Lost, Ended, Repaint,
// wire.Status and wire.Presence (by value).
type Msg any

type (
	// Resize is the terminal's size.
	Resize struct{ W, H int }
	// Key is one that was pressed, named as bubbletea does: "j", "up", "ctrl+u".
	Key string
	// Repaint changes the colours.
	Repaint struct{ Theme Theme }
	// Update is a newer view of the run. The screen keeps it; it must not change.
	Update struct {
		View *view.View
		Seq  int64
		// Snapshot is the reason of the snapshot that came, "" where events did.
		Snapshot string
		// HeardAt is the time of the newest event, 0 if none came.
		HeardAt int64
		// Resynced: the view had differed from the hub's and was replaced.
		Resynced bool
	}
	// Connected: there is a connection.
	Connected struct{}
	// Unknown: the hub does not know the run, and will be asked again.
	Unknown struct{ RetryAt time.Time }
	// Lost: there is none, and there will be another try.
	Lost struct {
		Why     string
		RetryAt time.Time
	}
	// Ended: there is none, and there will be none.
	Ended struct{ Why string }
)

type linkState uint8

const (
	linkConnecting linkState = iota
	linkLive
	linkUnknown
	linkWaiting
	linkEnded
)

// Screen is a run on a terminal.
type Screen struct {
	cfg   Config
	scene scene
	h     int

	v   *view.View // nil before the first snapshot
	seq int64

	blocks []block
	tops   []int // the row at which each block begins; one more for the end
	index  map[string]int

	// following shows the end. Otherwise the row at the top stays: it is the
	// anchorRow-th of the block anchor, which was the anchorAt-th.
	following           bool
	anchor              string
	anchorRow, anchorAt int
	chosen              string // id of the selected block
	foldBefore          int64  // frozen while not following: nothing folds under the reader
	pausedItems         int64  // what there was when following ended
	pausedErrors        int64

	link     linkState
	why      string
	retryAt  time.Time
	attempt  int
	heardAt  time.Time // when the hub was last heard
	worker   *wire.WorkerStatus
	workerAt time.Time
	store    string
	delivery *wire.DeliveryStatus
	presence *wire.Presence
	note     string // what has to be known until someone has seen it
	clock    runClock

	help      bool
	helpTop   int // the first row of it that is shown
	quit, out bool
}

// New returns a screen that waits for its size and its first view.
func New(c Config) *Screen {
	if c.Location == nil {
		c.Location = time.UTC
	}
	s := &Screen{cfg: c, following: true, index: map[string]int{}, tops: []int{0}}
	s.scene = scene{loc: c.Location, run: c.Run, hub: strings.TrimRight(c.Hub, "/"), open: map[string]bool{}}
	s.scene.forget()
	return s
}

// Quit says that the person wants to leave; Back, that it is to the list.
func (s *Screen) Quit() bool { return s.quit }
func (s *Screen) Back() bool { return s.out }

// Title is what the window is called.
func (s *Screen) Title() string { return shorten(s.title(), 80) + " - Ringside" }

// Handle takes in what happened at a moment.
func (s *Screen) Handle(m Msg, now time.Time) {
	switch m := m.(type) {
	case Resize:
		if m.W != s.scene.w {
			s.scene.forget()
		}
		s.scene.w, s.h = clampSize(m.W), clampSize(m.H)
		s.layout()
	case Key:
		s.key(string(m))
	case Repaint:
		s.cfg.Theme = m.Theme
	case Update:
		s.update(m, now)
	case Connected:
		s.heard(now)
		s.link, s.why, s.attempt = linkLive, "", 0
		s.clock.run()
	case Unknown:
		s.down(linkUnknown, wordUnknownRun, now)
		s.retryAt, s.attempt = m.RetryAt, 0
	case Lost:
		s.down(linkWaiting, m.Why, now)
		s.retryAt = m.RetryAt
		s.attempt++
	case Ended:
		s.down(linkEnded, m.Why, now)
	case wire.Status:
		s.status(m, now)
	case wire.Presence:
		s.presence = &m
	}
}

// maxSize bounds what a terminal may say of itself.
const maxSize = 2000

func clampSize(n int) int { return min(max(n, 0), maxSize) }

func (s *Screen) heard(now time.Time) { s.heardAt = now }

func (s *Screen) down(to linkState, why string, now time.Time) {
	if s.link == linkLive {
		s.clock.stop(now)
	}
	s.link, s.why = to, why
}

func (s *Screen) status(m wire.Status, now time.Time) {
	s.heard(now)
	if m.Worker != nil {
		s.worker, s.workerAt = m.Worker, now
	}
	if m.Store != "" {
		s.store = m.Store
	}
	if m.Delivery != nil {
		s.delivery = m.Delivery
	}
}

func (s *Screen) update(m Update, now time.Time) {
	s.heard(now)
	again := s.v != nil
	s.v, s.seq = m.View, m.Seq
	s.scene.active = m.View.Active
	switch {
	case m.Resynced:
		s.note = wordResynced
	case again && m.Snapshot != "" && m.Snapshot != "asked":
		s.note = "Fresh snapshot at event " + grouped(m.Seq) + " (" + snapshotWord(m.Snapshot) + "): what happened in between was not received."
	}
	if m.Snapshot != "" {
		s.clock.joined(m.View, now)
	}
	s.clock.heard(m.HeardAt, now)
	s.forgetGone()
	s.layout()
}

// forgetGone drops what was opened and is no longer kept, so that a long run
// does not collect names.
func (s *Screen) forgetGone() {
	if len(s.scene.open) < 256 {
		return
	}
	maps.DeleteFunc(s.scene.open, func(id string, _ bool) bool {
		key, card := strings.CutPrefix(id, "c/")
		return card && s.v.Tools[key] == nil
	})
}

// layout says where every block is. The blocks themselves are not drawn.
func (s *Screen) layout() {
	if s.v == nil {
		return
	}
	if s.following {
		s.foldBefore = s.v.Turn
	}
	s.blocks = transcript(s.v, folding{s.scene.open, s.foldBefore, s.chosen})
	s.scene.age()
	s.tops = append(s.tops[:0], 0)
	s.index = make(map[string]int, len(s.blocks))
	at := 0
	for i := range s.blocks {
		b := &s.blocks[i]
		s.index[b.id] = i
		at += s.scene.height(b)
		s.tops = append(s.tops, at)
	}
}

// rows is how many rows the transcript has.
func (s *Screen) rows() int { return s.tops[len(s.tops)-1] }

// top is the first row that is shown.
func (s *Screen) top() int {
	last := max(0, s.rows()-s.bodyHeight())
	if s.following || len(s.blocks) == 0 {
		return last
	}
	i, ok := s.index[s.anchor]
	row := s.anchorRow
	if !ok { // forgotten with its turn, or folded
		i, row = min(s.anchorAt, len(s.blocks)-1), 0
	}
	row = min(row, max(0, s.tops[i+1]-s.tops[i]-1))
	return min(s.tops[i]+row, last)
}

// pause ends following: from now on the row at the top stays where it is.
func (s *Screen) pause() {
	if !s.following {
		return
	}
	top := s.top()
	s.following = false
	s.pausedItems, s.pausedErrors = s.items()
	s.hold(top)
}

// hold makes row the one at the top.
func (s *Screen) hold(row int) {
	if len(s.blocks) == 0 {
		return
	}
	row = min(max(row, 0), max(0, s.rows()-s.bodyHeight()))
	i := s.blockAt(row)
	s.anchor, s.anchorAt, s.anchorRow = s.blocks[i].id, i, row-s.tops[i]
}

// follow shows the end from now on.
func (s *Screen) follow() {
	s.following = true
	s.layout()
}

// items counts what has appeared so far, and the failures of it that are kept.
func (s *Screen) items() (all, failed int64) {
	if s.v == nil {
		return 0, 0
	}
	if t := s.v.Trimmed; t != nil {
		all = t.Messages + t.Tools + t.Notices
	}
	for _, item := range s.v.Timeline {
		if item.Kind != view.KindToolResult {
			all++
		}
	}
	for _, t := range s.v.Tools {
		if t.Status == view.Failed {
			failed++
		}
	}
	return all, failed
}
