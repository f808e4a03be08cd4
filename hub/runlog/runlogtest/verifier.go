package runlogtest

import (
	"errors"
	"fmt"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// Verifier checks the updates that one follower gets, one by one, and folds
// them. Not safe for concurrent use.
type Verifier struct {
	// Ledger is shared by all who look at the same run; nil for none.
	Ledger *Ledger
	// Lossy allows a reset to go back within an epoch, which only a store that
	// loses data does.
	Lossy bool

	// Resets counts resets by their reason, Beats signs of life.
	Resets map[runlog.Reason]int
	Beats  int
	// LastBeat is the newest one, LastEvent the newest event that was folded.
	LastBeat  runlog.Beat
	LastEvent view.Event

	at   runlog.Position
	view *view.View
}

// NewVerifier returns a verifier that expects the first update of a follower.
func NewVerifier(l *Ledger) *Verifier {
	return &Verifier{Ledger: l, Resets: map[runlog.Reason]int{}}
}

// At is the position that was reached, View the view there (nil before the
// first reset).
func (v *Verifier) At() runlog.Position { return v.at }

// View returns the view at At. It is the verifier's own.
func (v *Verifier) View() *view.View { return v.view }

// Update checks and folds one update.
func (v *Verifier) Update(u runlog.Update) error {
	set := 0
	for _, is := range []bool{u.Reset != nil, u.Entries != nil, u.Beat != nil, u.Link != nil} {
		if is {
			set++
		}
	}
	if set != 1 {
		return fmt.Errorf("an update with %d parts set, want one: %+v", set, u)
	}
	switch {
	case u.Reset != nil:
		return v.reset(*u.Reset)
	case v.view == nil && u.Link == nil:
		return errors.New("the first update is no reset")
	case u.Beat != nil:
		if u.Beat.Age < 0 {
			return fmt.Errorf("beat with age %s", u.Beat.Age)
		}
		v.LastBeat = *u.Beat
		v.Beats++
	case u.Entries != nil:
		return v.entries(u.Entries)
	}
	return nil
}

func (v *Verifier) reset(r runlog.Reset) error {
	at := r.Snapshot.Position
	first := v.view == nil
	switch {
	case at.Epoch == "":
		return errors.New("reset without an epoch")
	case first != (r.Reason == runlog.ReasonJoin):
		return fmt.Errorf("reset %s (first: %v)", r.Reason, first)
	case r.Reason == runlog.ReasonEpoch && at.Epoch == v.at.Epoch:
		return fmt.Errorf("reset for an epoch, but it is still %s", at.Epoch)
	case !first && !v.Lossy && r.Reason != runlog.ReasonEpoch && at.Epoch == v.at.Epoch && at.Seq < v.at.Seq:
		return fmt.Errorf("reset %s goes back from %s to %s", r.Reason, v.at, at)
	case !first && !v.Lossy && at.Seq < v.at.Seq:
		return fmt.Errorf("seq goes back from %s to %s", v.at, at)
	}
	decoded, err := view.Decode(r.Snapshot.View)
	if err != nil {
		return fmt.Errorf("reset to %s: %w", at, err)
	}
	v.view, v.at = decoded, at
	v.Resets[r.Reason]++
	return v.noteView()
}

// hashEvery is how often, in seqs, views are compared over all observers.
const hashEvery = 32

func (v *Verifier) entries(entries []runlog.Entry) error {
	if len(entries) == 0 {
		return errors.New("an empty batch")
	}
	for _, e := range entries {
		if e.Epoch != v.at.Epoch || e.Seq != v.at.Seq+1 {
			return fmt.Errorf("%s follows %s", e.Position, v.at)
		}
		if v.Ledger != nil {
			if err := v.Ledger.Entry(e); err != nil {
				return err
			}
		}
		ev, err := view.DecodeEvent(e.Data)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Position, err)
		}
		v.view.Apply(&ev)
		v.at, v.LastEvent = e.Position, ev
		if e.Seq%hashEvery == 0 {
			if err := v.noteView(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *Verifier) noteView() error {
	if v.Ledger == nil {
		return nil
	}
	return v.Ledger.View(v.at, v.view.Hash())
}
