package redis

import (
	"context"
	"errors"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// readBytes bounds one Read, beside its limit.
const readBytes = 32 << 20

// Read implements runlog.Store. It returns less than limit where the entries are
// large: go on from the last one.
func (s *Store) Read(ctx context.Context, run string, from runlog.Position, limit int) ([]runlog.Entry, error) {
	if err := s.checkCall(ctx, run); err != nil {
		return nil, err
	}
	var out []runlog.Entry
	size := 0
	for size < readBytes {
		some, err := s.readSome(ctx, run, from, limit-len(out))
		if len(out) > 0 && errors.Is(err, runlog.ErrUnknownPosition) {
			break // forgotten meanwhile: what was read is right
		}
		if err != nil {
			return nil, err
		}
		for _, e := range some {
			size += len(e.Data)
		}
		out = append(out, some...)
		if len(some) == 0 || len(out) >= limit {
			break
		}
		from = out[len(out)-1].Position
	}
	return out, nil
}

func (s *Store) readSome(ctx context.Context, run string, from runlog.Position, limit int) ([]runlog.Entry, error) {
	var seq any = from.Seq
	if from == (runlog.Position{}) {
		seq = ""
	}
	r, err := s.run(ctx, s.scripts.read, s.names.run(run), "", run, seq, max(limit, 0), tailBytes)
	if err != nil {
		return nil, err
	}
	after, err := runlog.Locate(spans(r.text(4), r.text(1), r.number(2), r.number(3)), r.number(5), from)
	if err != nil {
		return nil, err
	}
	batches, err := r.list(6).batches()
	if err != nil {
		return nil, err
	}
	var out []runlog.Entry
	for e := range entriesOf(batches) {
		if e.Seq > after && len(out) < limit {
			out = append(out, e)
		}
	}
	return out, nil
}
