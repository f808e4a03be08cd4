package view

// anyTurn makes presume look at the open cards of every turn.
const anyTurn = -1

func (t *Tool) open() bool {
	return t.Status == Composing || t.Status == Preparing || t.Status == CardRunning
}

func (t *Tool) settled() bool { return t.Status == Done || t.Status == Failed }

// setTool puts the card in place of the one with its key.
func (v *View) setTool(t *Tool) {
	if _, known := v.Tools[t.Key]; !known {
		v.appear(KindTool, t.Key)
	}
	v.Tools[t.Key] = t
	if t.open() {
		v.open[t.Key] = struct{}{}
	} else {
		delete(v.open, t.Key)
	}
	v.touch(toolPrefix + t.Key)
}

func (v *View) stray() {
	v.Strays++
	v.touch(header)
}

// applyCallDelta: the model is still writing the call. A call that has started
// or ended is written already.
func (v *View) applyCallDelta(e *Event) {
	t := Tool{Key: e.Key, Turn: v.Turn, Status: Composing}
	if cur := v.Tools[e.Key]; cur != nil {
		if cur.Status != Composing {
			return
		}
		t = *cur
	}
	if e.ID != "" {
		t.ID = e.ID
	}
	if e.Name != "" {
		t.Name = e.Name
	}
	t.RawArgs += e.Delta
	if cut := some(e.Truncated); cut != nil {
		t.Truncated = cut
	}
	if e.Redacted != 0 {
		t.Redacted = e.Redacted
	}
	v.setTool(&t)
}

// applyToolStart: start is not execution, only preparing. A card that was
// skipped had only been written, so its start is news; any other card has
// started already.
func (v *View) applyToolStart(e *Event) {
	t := Tool{Key: e.Key, Turn: v.Turn}
	if cur := v.Tools[e.Key]; cur != nil {
		if cur.Status != Composing && cur.Status != Skipped {
			return
		}
		t.Turn = cur.Turn
	}
	t.ID, t.Name, t.Label, t.Parent = e.ID, e.Name, e.Label, e.Parent
	t.Status, t.RawArgs, t.StartedAt = Preparing, e.Args, e.T
	t.Truncated, t.Redacted = some(e.Truncated), e.Redacted
	v.setTool(&t)
}

// applyToolUpdate: only a real update makes a card running. Text replaces the
// whole progress; append, or neither, leaves absent parts as they were. An
// update of a card that has ended leaves no trace, not even a count: else
// leaving out one that a later one replaces would show.
func (v *View) applyToolUpdate(e *Event) {
	cur := v.Tools[e.Key]
	if cur == nil {
		v.stray()
		return
	}
	if !cur.open() {
		return // settled, or presumed: only an end may lift that
	}
	t := *cur
	t.Status = CardRunning
	if e.Text != nil {
		t.ProgressText = *e.Text
		t.Phase, t.Done, t.Total, t.Details = "", 0, 0, ""
		t.Truncated = t.Truncated.withProgress(nil)
	}
	if e.Append != nil {
		t.ProgressText += *e.Append
	}
	if e.Phase != "" {
		t.Phase = e.Phase
	}
	if e.Done != nil {
		t.Done = *e.Done
	}
	if e.Total != nil {
		t.Total = *e.Total
	}
	if e.Details != "" {
		t.Details = e.Details
	}
	if e.Truncated != nil {
		t.Truncated = t.Truncated.withProgress(e.Truncated)
	}
	if e.Redacted != 0 {
		t.Redacted = e.Redacted
	}
	v.setTool(&t)
}

// applyToolEnd settles a card. What was only presumed gives way (late); a card
// that has settled never changes, a second and different end is a conflict.
func (v *View) applyToolEnd(e *Event) {
	cur := v.Tools[e.Key]
	if cur == nil {
		v.stray()
		return
	}
	t := *cur
	if cur.settled() {
		if cur.Conflict == nil && (e.IsError != (cur.Status == Failed) || e.text() != cur.ResultText) {
			t.Conflict = some(&Conflict{IsError: e.IsError, Text: e.text(), At: e.T})
			v.setTool(&t)
		}
		return
	}
	t.Late = !cur.open()
	t.Cause = ""
	t.Status = Done
	if e.IsError {
		t.Status = Failed
	}
	t.ResultText, t.Details, t.DurationMs, t.EndedAt = e.text(), e.Details, e.DurationMs, e.T
	t.Attachments, t.Output = e.Attachments, e.Output
	t.Truncated = t.Truncated.withResult(e.Truncated)
	if e.Redacted != 0 {
		t.Redacted = e.Redacted
	}
	v.setTool(&t)
}

// applyToolResult gives the result its place in the conversation; the card is
// not touched, unless the two disagree.
func (v *View) applyToolResult(e *Event) {
	cur := v.Tools[e.Key]
	if cur == nil {
		v.stray()
		return
	}
	v.appear(KindToolResult, e.Key)
	if cur.settled() && cur.Conflict == nil && e.IsError != (cur.Status == Failed) {
		t := *cur
		t.Conflict = some(&Conflict{IsError: e.IsError, At: e.T})
		v.setTool(&t)
	}
}

// presume closes the open cards of a turn (or of any): what had started is
// lost with a cause, what was only written is skipped.
func (v *View) presume(cause string, t, turn int64) {
	for key := range v.open {
		cur := v.Tools[key]
		if turn != anyTurn && cur.Turn != turn {
			continue
		}
		c := *cur
		c.EndedAt = t
		if cur.Status == Composing {
			c.Status = Skipped
		} else {
			c.Status, c.Cause = Lost, cause
		}
		v.setTool(&c)
	}
}

// skipWritten closes the calls of a message that failed while they were being
// written: they will never start.
func (v *View) skipWritten(t int64) {
	for key := range v.open {
		if cur := v.Tools[key]; cur.Status == Composing {
			c := *cur
			c.Status, c.EndedAt = Skipped, t
			v.setTool(&c)
		}
	}
}

// withProgress returns t with only its progress part taken from p.
func (t *Truncated) withProgress(p *Truncated) *Truncated {
	var n Truncated
	if t != nil {
		n = *t
	}
	n.Progress, n.Details = 0, 0
	if p != nil {
		n.Progress, n.Details = p.Progress, p.Details
		n.Args = max(n.Args, p.Args)
	}
	return some(&n)
}

// withResult returns t with its result and details parts taken from r.
func (t *Truncated) withResult(r *Truncated) *Truncated {
	var n Truncated
	if t != nil {
		n = *t
	}
	n.Result, n.Details = 0, 0
	if r != nil {
		n.Result, n.Details = r.Result, r.Details
	}
	return some(&n)
}
