package worker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// turnsOf makes a view with a turn per list of card statuses; each card has text
// of size bytes.
func turnsOf(size int, turns ...[]string) *view.View {
	v := view.New()
	n := 0
	apply := func(e view.Event) { v.Apply(&e) }
	for _, cards := range turns {
		apply(view.Event{Type: view.TurnStart, T: 1})
		for _, status := range cards {
			n++
			key := fmt.Sprint("c", n)
			if status == view.Composing {
				apply(view.Event{Type: view.CallDelta, T: 1, Key: key, Delta: strings.Repeat("x", size)})
				continue
			}
			apply(view.Event{Type: view.ToolStart, T: 1, Key: key, Name: "bash", Args: strings.Repeat("x", size)})
			if status == view.CardRunning {
				apply(view.Event{Type: view.ToolUpdate, T: 1, Key: key, Phase: "p"})
			}
			if status == view.Done {
				apply(view.Event{Type: view.ToolEnd, T: 1, Key: key, Text: new("ok")})
			}
		}
	}
	return v
}

// What is trimmed is old, and enough; never a turn with open cards, as long as
// the view can be stored at all.
func TestTrimBefore(t *testing.T) {
	const limit = 10_000
	done, running, composing, preparing := view.Done, view.CardRunning, view.Composing, view.Preparing
	for name, tt := range map[string]struct {
		view *view.View
		size int // of the encoded view; 0: what it is
		want int64
	}{
		"small":                            {turnsOf(1000, []string{done}, []string{done}), 0, 0},
		"old turns":                        {turnsOf(4000, []string{done}, []string{done}, []string{done}), 0, 3},
		"the present one stays":            {turnsOf(8000, []string{done}, []string{done, done}), 0, 2},
		"unless it is huge":                {turnsOf(8000, []string{done}, []string{done, done, done}), 0, 3},
		"not while a card runs":            {turnsOf(8000, []string{done}, []string{done, done, running}), 0, 2},
		"not while a call is written":      {turnsOf(8000, []string{done}, []string{done, done, composing}), 0, 2},
		"nor prepared":                     {turnsOf(8000, []string{done}, []string{preparing, done, done}), 0, 2},
		"an older turn with an open card":  {turnsOf(8000, []string{done}, []string{running}, []string{done}, []string{done}), 0, 2},
		"nothing before the open card":     {turnsOf(8000, []string{running, done}, []string{done}), 0, 0},
		"only open cards":                  {turnsOf(8000, []string{running, running, running}), 0, 0},
		"too large for any store":          {turnsOf(8000, []string{done}, []string{done, running, running, done}), runlog.MaxViewBytes, 3},
		"too large, but only for older":    {turnsOf(8000, []string{done}, []string{running}), runlog.MaxViewBytes, 2},
		"too large, open in an older turn": {turnsOf(8000, []string{running}, []string{done}, []string{done}), runlog.MaxViewBytes, 4},
	} {
		t.Run(name, func(t *testing.T) {
			size := tt.size
			if size == 0 {
				data, err := tt.view.Encode()
				must(t, err)
				size = len(data)
			}
			if got := trimBefore(tt.view, size, limit); got != tt.want {
				t.Errorf("view of %d bytes: trims before %d, want %d", size, got, tt.want)
			}
		})
	}
}
