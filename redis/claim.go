package redis

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

const (
	// tailBytes is how much of a log one call reads.
	tailBytes = 4 << 20
	// rememberedEpochs bounds what a run knows of its past: a worker that is
	// restarted over and over must not make it grow.
	rememberedEpochs = 256
)

// Claim implements runlog.Store. The new epoch names the claim from its first
// call on, so that each call can be repeated when its answer is lost.
func (s *Store) Claim(ctx context.Context, run string, o runlog.ClaimOptions) (runlog.Writer, runlog.Snapshot, error) {
	var none runlog.Snapshot
	if err := s.checkCall(ctx, run); err != nil {
		return nil, none, err
	}
	if err := runlog.CheckSeed(o.Seed); err != nil {
		return nil, none, err
	}
	w := &writer{store: s, run: run, keys: s.names.run(run), epoch: runlog.NewEpoch(), owner: o.Owner}
	snapshot, err := w.claim(ctx, o)
	for tries := 0; errors.Is(err, runlog.ErrNoRun) && o.Silent == 0 && tries < 3; tries++ {
		snapshot, err = w.claim(ctx, o) // the store was emptied behind the fence
	}
	switch {
	case err == nil:
		return w, snapshot, nil
	case isHeld(err), errors.Is(err, runlog.ErrReleased):
		return nil, none, err
	}
	w.giveUp(ctx)
	return nil, none, fmt.Errorf("claim %s: %w", run, err)
}

// claim is one attempt.
func (w *writer) claim(ctx context.Context, o runlog.ClaimOptions) (s runlog.Snapshot, err error) {
	last, base, tail, err := w.fence(ctx, o)
	if err != nil {
		return s, err
	}
	s, summary, err := w.fold(ctx, o.Seed, last, base, tail)
	if err != nil {
		return s, err
	}
	return s, w.install(ctx, s, summary)
}

func isHeld(err error) bool {
	_, held := errors.AsType[*runlog.HeldError](err)
	return held
}

// fence shuts the writer before out; it returns what the log holds.
func (w *writer) fence(ctx context.Context, o runlog.ClaimOptions) (last int64, base string, tail []batch, err error) {
	takeover, hold, reaper := "0", runlog.HoldFor, "0"
	switch {
	case o.Silent > 0:
		hold, reaper = o.Silent, "1"
	case o.Takeover:
		takeover = "1"
	}
	r, err := w.call(ctx, w.store.scripts.claimFence, o.Owner, takeover, hold.Milliseconds(), tailBytes, reaper)
	if err != nil {
		return 0, "", nil, err
	}
	switch r.text(0) {
	case "held":
		age := time.Duration(r.number(2)) * time.Millisecond
		return 0, "", nil, &runlog.HeldError{Run: w.run, Owner: r.text(1), Age: age}
	case "released":
		return 0, "", nil, runlog.ErrReleased
	}
	tail, err = r.list(3).batches()
	return r.number(1), r.text(2), tail, err
}

// fold makes the snapshot that the new epoch starts with.
func (w *writer) fold(ctx context.Context, seed *runlog.Snapshot, last int64, packed string, tail []batch) (s runlog.Snapshot, _ view.Summary, err error) {
	var base runlog.Snapshot
	switch {
	case runlog.SeedWins(seed, last):
		base, tail = *seed, nil
	case packed != "":
		if base, err = w.store.snapshots.unpack(packed); err != nil {
			return s, view.Summary{}, err
		}
	}
	v, at, err := runlog.Fold(base, entriesOf(tail))
	for err == nil && at.Seq < last {
		// The log is longer than what one call reads. It cannot grow: it is fenced.
		if at, err = w.foldMore(ctx, v, at, last); err != nil {
			break
		}
	}
	if err != nil {
		return s, view.Summary{}, err
	}
	s = runlog.Snapshot{Position: runlog.Position{Epoch: w.epoch, Seq: max(at.Seq, last)}, View: base.View}
	if at != base.Position || len(base.View) == 0 {
		if s.View, err = v.Encode(); err != nil {
			return s, view.Summary{}, err
		}
	}
	return s, v.Summary(), nil
}

func (w *writer) foldMore(ctx context.Context, v *view.View, at runlog.Position, last int64) (runlog.Position, error) {
	r, err := w.call(ctx, w.store.scripts.read, at.Seq, runlog.MaxSeq, tailBytes)
	if err != nil {
		return at, err
	}
	more, err := r.list(6).batches()
	if err != nil {
		return at, err
	}
	before := at
	for e := range entriesOf(more) {
		if e.Seq <= at.Seq {
			continue
		}
		if e.Seq != at.Seq+1 {
			return at, fmt.Errorf("fold: %s follows %s: a gap", e.Position, at)
		}
		ev, err := view.DecodeEvent(e.Data)
		if err != nil {
			return at, fmt.Errorf("entry %s: %w", e.Position, err)
		}
		v.Apply(&ev)
		at = e.Position
	}
	if at == before {
		return at, fmt.Errorf("fold: the log ends at %s, it should reach %d", at, last)
	}
	return at, nil
}

func entriesOf(batches []batch) func(func(runlog.Entry) bool) {
	return func(yield func(runlog.Entry) bool) {
		for _, b := range batches {
			for _, e := range b.entries {
				if !yield(e) {
					return
				}
			}
		}
	}
}

func (w *writer) install(ctx context.Context, s runlog.Snapshot, summary view.Summary) error {
	text, err := w.indexText(summary)
	if err != nil {
		return err
	}
	l := w.store.cfg.Limits
	_, err = w.call(ctx, w.store.scripts.claimInstall, s.Seq, w.store.snapshots.pack(s), text,
		l.RunEvents, l.RunBytes, rememberedEpochs, l.ListedRuns)
	return err
}

// giveUp frees the run after a claim that failed behind its fence, if it can:
// else the hold runs out by itself.
func (w *writer) giveUp(ctx context.Context) {
	if err := w.release(context.WithoutCancel(ctx)); err != nil {
		w.store.log.Debug().Err(err).Str("run", w.run).Msg("a failed claim was not given up")
	}
}

// indexLine is what of a run's line in the index the store does not look into.
type indexLine struct {
	Owner   string       `json:"owner,omitzero"`
	Summary view.Summary `json:"summary"`
}

func (w *writer) indexText(s view.Summary) ([]byte, error) {
	return json.Marshal(indexLine{w.owner, s}, json.Deterministic(true))
}
