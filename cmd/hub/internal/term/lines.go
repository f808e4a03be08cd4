package term

import (
	"fmt"
	"strings"
	"time"

	"github.com/ringside-hub/ringside/hub/view"
)

// Lines tells a run line by line, for pipes and logs: one for each thing that
// begins or ends, none for what is written in between. It folds the events itself,
// so that each line says what was true just then. Every line is harmless and ends
// in a line feed.
type Lines struct {
	loc *time.Location
	v   *view.View
}

// maxLine is the most columns of a line's foreign part.
const maxLine = 300

// NewLines returns the teller of one run. loc is where its times of day are.
func NewLines(loc *time.Location) *Lines { return &Lines{loc: loc, v: view.New()} }

// View is the fold of what was told. It changes with the next Event.
func (l *Lines) View() *view.View { return l.v }

func (l *Lines) at(ms int64, format string, args ...any) string {
	return timeOfDay(ms, l.loc) + "  " + Safe(fmt.Sprintf(format, args...)) + "\n"
}

// Note is a line of now about the connection.
func (l *Lines) Note(now time.Time, format string, args ...any) string {
	return l.at(now.UnixMilli(), format, args...)
}

// Snapshot takes over a view, which becomes Lines' own: where the run stands, and
// what has ended since, as far as that was not told.
func (l *Lines) Snapshot(v *view.View, seq int64, reason string, now time.Time) string {
	before := l.v
	l.v = v
	var b strings.Builder
	words := []string{strings.ToLower(string(stateOfView(v)))}
	if v.Turn > 0 {
		words = append(words, "turn "+grouped(v.Turn))
	}
	var cards []*view.Tool
	for _, t := range v.Tools {
		cards = append(cards, t)
	}
	words = append(words, countStates(cards)...)
	if v.Worker == view.WorkerLost || v.Worker == view.WorkerGone {
		words = append(words, "worker "+v.Worker)
	}
	b.WriteString(l.at(now.UnixMilli(), "snapshot at event %s (%s): %s", grouped(seq), snapshotWord(reason), strings.Join(words, ", ")))
	for _, item := range v.Timeline {
		if item.Kind != view.KindTool {
			continue
		}
		t, was := v.Tools[item.Key], before.Tools[item.Key]
		if t != nil && was != nil && open(was.Status) && !open(t.Status) {
			b.WriteString(l.at(t.EndedAt, "%s", l.ended(t)))
		}
	}
	if open(before.RunStatus) && !open(v.RunStatus) {
		b.WriteString(l.at(now.UnixMilli(), "%s", l.settled()))
	}
	return b.String()
}

// open says of a card's status or a run's that it is not over.
func open(status string) bool {
	switch status {
	case view.Composing, view.Preparing, view.CardRunning, view.Settling:
		return true
	}
	return false
}

// Event folds one event and tells of it; most events tell nothing.
func (l *Lines) Event(e *view.Event) string {
	was := l.v.Tools[e.Key]
	before := l.openCards(e.Type)
	l.v.Apply(e)
	var b strings.Builder
	if words := l.words(e, was); words != "" {
		b.WriteString(l.at(e.T, "%s", words))
	}
	for _, key := range before { // presumed: no event of their own says so
		if t := l.v.Tools[key]; t != nil && !open(t.Status) {
			b.WriteString(l.at(e.T, "%s", l.ended(t)))
		}
	}
	return b.String()
}

// openCards lists the cards that an event of this type may close.
func (l *Lines) openCards(by view.Type) []string {
	switch by {
	case view.TurnEnd, view.AgentEnd, view.AgentIdle, view.Worker, view.MessageEnd:
	default:
		return nil
	}
	var keys []string
	for _, item := range l.v.Timeline {
		if t := l.v.Tools[item.Key]; item.Kind == view.KindTool && t != nil && open(t.Status) {
			keys = append(keys, item.Key)
		}
	}
	return keys
}

func (l *Lines) words(e *view.Event, was *view.Tool) string {
	switch e.Type {
	case view.TurnStart:
		return "turn " + grouped(l.v.Turn) + " started"
	case view.TurnEnd:
		if e.Error == "" {
			return ""
		}
		return "turn " + grouped(l.v.Turn) + " ended with an error: " + shorten(headline(e.Error), maxLine)
	case view.MessageEnd:
		return l.message(e)
	case view.ToolStart:
		if was != nil && was.Status != view.Composing {
			return ""
		}
		return strings.Join(nonEmpty(l.name(l.v.Tools[e.Key])+" started", shorten(oneLine(e.Args), maxLine)), ": ")
	case view.ToolEnd:
		t := l.v.Tools[e.Key]
		if t == nil || t == was {
			return ""
		}
		return l.ended(t)
	case view.AgentEnd:
		if e.WillRetry {
			return "run will be tried again"
		}
	case view.AgentIdle:
		return l.settled()
	case view.Worker:
		return workerWords(e.State)
	case view.NoticeEvent:
		return strings.Join(nonEmpty("notice", strings.ReplaceAll(e.Kind, "_", " "), shorten(headline(deref(e.Text)), maxLine)), ": ")
	case view.Queue:
		if n := len(e.Steering) + len(e.FollowUp); n > 0 {
			return count(n, "message waiting", "messages waiting")
		}
	}
	return ""
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (l *Lines) name(t *view.Tool) string {
	if t == nil {
		return wordUnnamed
	}
	name := card{block: &block{tool: t}, t: t}.name()
	return shorten(name, 80) + " (" + shorten(t.Key, 20) + ")"
}

func (l *Lines) ended(t *view.Tool) string {
	look := stateOf(t.Status)
	words := l.name(t) + " " + look.word
	switch t.Status {
	case view.Lost:
		return l.name(t) + " " + lostWord(t.Cause, timeOfDay(t.EndedAt, l.loc))
	case view.Skipped:
		return l.name(t) + " " + wordSkipped
	}
	if t.DurationMs > 0 {
		words += " after " + duration(t.DurationMs)
	}
	if t.Late {
		words += ", " + wordLate
	}
	if t.Conflict != nil {
		words += ", " + wordConflict
	}
	if t.Status == view.Failed {
		words += ": " + shorten(headline(t.ResultText), maxLine)
	}
	return words
}

func (l *Lines) message(e *view.Event) string {
	who := "assistant"
	switch e.Role {
	case "user":
		who = "user"
	case "", "assistant":
	default:
		return ""
	}
	stop := stopWord(e.StopReason)
	said := headline(deref(e.Text))
	if said == "" && stop == "" && e.Error == "" {
		return ""
	}
	words := who
	if stop != "" {
		words += " " + stop
	}
	return strings.Join(nonEmpty(words, shorten(headline(e.Error), maxLine), shorten(said, maxLine)), ": ")
}

func (l *Lines) settled() string {
	words := "run settled: " + strings.ToLower(string(stateOfView(l.v)))
	if t := headline(l.v.OutcomeText); t != "" {
		words += ": " + shorten(t, maxLine)
	}
	return words
}

func workerWords(state string) string {
	switch state {
	case view.WorkerLive:
		return "worker live"
	case view.WorkerLost:
		return "worker lost: it stopped answering"
	case view.WorkerGone:
		return "worker left"
	}
	return ""
}
