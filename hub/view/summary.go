package view

import "unicode/utf8"

// Summary is a run's line in a list of runs, made from its view.
type Summary struct {
	Title     string `json:"title,omitzero"`
	Source    string `json:"source,omitzero"`
	Model     string `json:"model,omitzero"`
	RunStatus string `json:"runStatus,omitzero"`
	Worker    string `json:"worker,omitzero"`
	Outcome   string `json:"outcome,omitzero"`
	Turn      int64  `json:"turn,omitzero"`
	// Tools counts cards by status; Errors is Tools["error"].
	Tools  map[string]int64 `json:"tools,omitempty"`
	Errors int64            `json:"errors,omitzero"`
	// LastText is the end of the newest assistant text (at most 200 bytes).
	LastText string `json:"lastText,omitzero"`
	// StartedAt and LastAt are the times of the first kept turn and of the
	// newest thing in the view (Unix milliseconds).
	StartedAt int64 `json:"startedAt,omitzero"`
	LastAt    int64 `json:"lastAt,omitzero"`
}

// Check refuses words that readers of a list of runs do not know. One who hands
// on a summary from outside has to call it: one bad line makes a list unreadable.
func (s *Summary) Check() error {
	if s.RunStatus != "" { // claimed, and not yet written to
		if err := checkWord("runStatus", s.RunStatus, Idle, Running, Settling); err != nil {
			return err
		}
	}
	return checkStates(s.Worker, s.Outcome)
}

const maxLastText = 200

// Summary returns the view's line in a list of runs. It walks the whole view:
// call it at a heartbeat's pace, not per event.
func (v *View) Summary() Summary {
	s := Summary{RunStatus: v.RunStatus, Worker: v.Worker, Outcome: v.Outcome, Turn: v.Turn}
	if v.Run != nil {
		s.Title, s.Source, s.Model = v.Run.Title, v.Run.Source, v.Run.Model
	}
	later := func(ts ...int64) {
		for _, t := range ts {
			s.LastAt = max(s.LastAt, t)
		}
	}
	if len(v.Tools) > 0 {
		s.Tools = map[string]int64{}
	}
	for _, t := range v.Tools {
		s.Tools[t.Status]++
		later(t.StartedAt, t.EndedAt)
	}
	s.Errors = s.Tools[Failed]
	for _, t := range v.Turns {
		if s.StartedAt == 0 {
			s.StartedAt = t.StartedAt
		}
		later(t.StartedAt, t.EndedAt)
	}
	for _, m := range v.Msgs {
		later(m.At)
	}
	if m := v.lastAssistant(); m != nil {
		s.LastText = tail(m.Text, maxLastText)
	}
	if v.Active != nil && v.Active.Text != "" {
		s.LastText = tail(v.Active.Text, maxLastText)
	}
	return s
}

// tail returns the last n bytes of s or a little less, never cut inside a
// character.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}
