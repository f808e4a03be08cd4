package runlogtest

import (
	"context"
	"fmt"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// Author is a plain writer of one run: it appends what its Script says, keeps
// its own view and notes everything in its Ledger. Its view is the truth that
// followers are compared with. Not safe for concurrent use.
type Author struct {
	Run    string
	Script *Script
	Ledger *Ledger
	Writer runlog.Writer
	View   *view.View
	At     runlog.Position
}

// NewAuthor returns an author that has not claimed its run yet.
func NewAuthor(run string, seed uint64) *Author {
	return &Author{Run: run, Script: NewScript(seed), Ledger: NewLedger()}
}

// Claim claims the run and goes on from the installed snapshot.
func (a *Author) Claim(ctx context.Context, s runlog.Store, o runlog.ClaimOptions) error {
	w, snapshot, err := s.Claim(ctx, a.Run, o)
	if err != nil {
		return err
	}
	v, err := view.Decode(snapshot.View)
	if err != nil {
		return err
	}
	if snapshot.Epoch != w.Epoch() || snapshot.Epoch == "" {
		return fmt.Errorf("claim installed %s, but the writer's epoch is %q", snapshot.Position, w.Epoch())
	}
	a.Writer, a.View, a.At = w, v, snapshot.Position
	a.Script.Continue(v)
	return a.Ledger.View(a.At, v.Hash())
}

// Append appends the next n events of the script as one batch.
func (a *Author) Append(ctx context.Context, n int) error {
	events := make([]view.Event, 0, n)
	for range n {
		events = append(events, a.Script.Next())
	}
	return a.AppendEvents(ctx, events...)
}

// AppendEvents appends the given events as one batch, again after a checkpoint
// if the store asks for one. What is not acknowledged is not in View.
func (a *Author) AppendEvents(ctx context.Context, events ...view.Event) error {
	data, err := Encode(events...)
	if err != nil {
		return err
	}
	ack, err := a.Writer.Append(ctx, a.At.Seq+1, data)
	if isNeedCheckpoint(err) {
		if err := a.Checkpoint(ctx); err != nil {
			return err
		}
		ack, err = a.Writer.Append(ctx, a.At.Seq+1, data)
	}
	if err != nil {
		return err
	}
	if want := (runlog.Ack{Status: runlog.AppendOK, Last: a.At.Seq + int64(len(events))}); ack != want {
		return fmt.Errorf("append of %d at %s: %+v, want %+v", len(events), a.At, ack, want)
	}
	return a.fold(data)
}

// fold takes acknowledged events into the author's view.
func (a *Author) fold(data [][]byte) error {
	for _, d := range data {
		a.At.Seq++
		if err := a.Ledger.Entry(runlog.Entry{Position: a.At, Data: d}); err != nil {
			return err
		}
		e, err := view.DecodeEvent(d)
		if err != nil {
			return err
		}
		a.View.Apply(&e)
		if a.At.Seq%hashEvery == 0 {
			if err := a.Ledger.View(a.At, a.View.Hash()); err != nil {
				return err
			}
		}
	}
	return nil
}

// Snapshot is the author's view at its position.
func (a *Author) Snapshot() (runlog.Snapshot, error) {
	v, err := a.View.Encode()
	return runlog.Snapshot{Position: a.At, View: v}, err
}

// Checkpoint stores the author's view.
func (a *Author) Checkpoint(ctx context.Context) error {
	s, err := a.Snapshot()
	if err != nil {
		return err
	}
	return a.Writer.Checkpoint(ctx, s)
}

// EndKind is the kind of the notice that End appends.
const EndKind = "end"

// End appends a notice by which followers know that nothing comes after it.
func (a *Author) End(ctx context.Context) error {
	return a.AppendEvents(ctx, view.Event{Type: view.NoticeEvent, Kind: EndKind, T: a.Script.t})
}

// Ended says whether a view holds the notice of End.
func Ended(v *view.View) bool {
	return v != nil && len(v.Notices) > 0 && v.Notices[len(v.Notices)-1].Kind == EndKind
}

// Encode encodes events as a worker does.
func Encode(events ...view.Event) ([][]byte, error) {
	data := make([][]byte, 0, len(events))
	for _, e := range events {
		d, err := e.Encode()
		if err != nil {
			return nil, err
		}
		data = append(data, d)
	}
	return data, nil
}
