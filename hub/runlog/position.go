package runlog

import (
	"fmt"

	"github.com/ringside-hub/ringside/hub/view"
)

// CheckAppend returns an error that wraps ErrTooLarge, or says what is wrong, if
// no store may take this batch.
func CheckAppend(first int64, events [][]byte) error {
	switch {
	case first < 1:
		return fmt.Errorf("append: first seq %d: must be at least 1", first)
	case len(events) > MaxBatchEvents:
		return fmt.Errorf("append of %d events: %w: at most %d", len(events), ErrTooLarge, MaxBatchEvents)
	case first > MaxSeq-int64(len(events)):
		return fmt.Errorf("append at seq %d: %w: at most %d", first, ErrTooLarge, int64(MaxSeq))
	}
	total := 0
	for i, e := range events {
		switch {
		case len(e) == 0:
			return fmt.Errorf("append: event %d is empty", first+int64(i))
		case len(e) > view.MaxEventBytes:
			return fmt.Errorf("append: event %d of %d bytes: %w: at most %d", first+int64(i), len(e), ErrTooLarge, view.MaxEventBytes)
		}
		total += len(e)
	}
	if total > MaxBatchBytes {
		return fmt.Errorf("append of %d bytes: %w: at most %d", total, ErrTooLarge, MaxBatchBytes)
	}
	return nil
}

// Place says what an append of n events from seq first on means to a log whose
// newest seq is last: how many of them to skip because they are there already,
// and the answer. Only with AppendOK is anything to be added.
func Place(last, first int64, n int) (skip int, ack Ack) {
	end := first + int64(n) - 1
	switch {
	case first > last+1:
		return 0, Ack{AppendGap, last}
	case end <= last && n > 0:
		return n, Ack{AppendDup, last}
	case n == 0:
		return 0, Ack{AppendOK, last}
	}
	return int(last + 1 - first), Ack{AppendOK, end}
}

// Span is what a log knows of one epoch: the position its first snapshot stood
// at, and the newest seq it reached.
type Span struct {
	Epoch      string
	Base, Last int64
}

// Locate finds from in a log: the entries after it are those with a greater
// seq than the result. oldest is the seq of the oldest entry that is kept (the
// newest seq + 1 if none is). The zero Position is before the oldest. It returns
// ErrUnknownPosition where an answer would hide a hole.
func Locate(spans []Span, oldest int64, from Position) (after int64, err error) {
	if from == (Position{}) {
		return oldest - 1, nil
	}
	for _, s := range spans {
		if s.Epoch == from.Epoch && from.Epoch != "" && s.Base <= from.Seq && from.Seq <= s.Last && from.Seq >= oldest-1 {
			return from.Seq, nil
		}
	}
	return 0, fmt.Errorf("%w: %s", ErrUnknownPosition, from)
}

// SeedWins says whether a claim's seed is used in place of what the store has.
func SeedWins(seed *Snapshot, last int64) bool {
	return seed != nil && seed.Seq >= last
}

// CheckSeed refuses a seed that no store may install.
func CheckSeed(seed *Snapshot) error {
	switch {
	case seed == nil:
		return nil
	case seed.Seq < 0 || seed.Seq > MaxSeq:
		return fmt.Errorf("claim: seed at seq %d: out of range", seed.Seq)
	case len(seed.View) > MaxViewBytes:
		return fmt.Errorf("claim: seed of %d bytes: %w: at most %d", len(seed.View), ErrTooLarge, MaxViewBytes)
	}
	return nil
}
