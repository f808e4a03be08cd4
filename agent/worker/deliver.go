package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// flush gives the oldest events that wait their seqs and delivers them.
func (l *link) flush() error {
	l.lastFlush = time.Now()
	events, more := l.w.take(batchEvents, batchBytes)
	l.more = more
	l.number(events)
	return l.deliver()
}

// number gives events their seqs and encodes them, once. An event that would
// not be understood by those who follow is dropped here: in the log it would
// break the run for good.
func (l *link) number(events []view.Event) {
	for i := range events {
		data, err := events[i].Encode()
		if err == nil {
			// What others fold is what the bytes say.
			events[i], err = view.DecodeEvent(data)
		}
		if err != nil {
			l.log.Error().Err(err).Msg("event lost: it cannot be encoded")
			l.w.lost(1, err)
			continue
		}
		l.ring.push(data)
		l.inflight = append(l.inflight, events[i])
		l.head++
	}
}

// deliver makes the store have everything up to head.
func (l *link) deliver() error {
	next, most, epoch := l.acked+1, batchEvents, l.epoch
	// A new epoch ends it: what was under way waits in the buffer again.
	for next <= l.head && l.epoch == epoch {
		data := l.ring.from(next, most, batchBytes)
		ack, err := l.append(next, data)
		switch {
		case err == nil && ack.Status == runlog.AppendGap && ack.Last+1 < next:
			if !l.ring.has(ack.Last + 1) {
				err := fmt.Errorf("the store is at %d, events are kept from %d on", ack.Last, l.ring.first)
				return l.reclaim(err)
			}
			l.log.Warn().Int64("storeLast", ack.Last).Int64("acked", l.acked).Msg("the store lost events: giving them again")
			next = ack.Last + 1
		case err == nil && ack.Last >= next:
			l.ack(min(ack.Last, l.head))
			next = min(ack.Last, l.head) + 1
			most = batchEvents
		case errors.Is(err, runlog.ErrFenced), errors.Is(err, runlog.ErrNoRun):
			return l.reclaim(err)
		case errors.Is(err, runlog.ErrTooLarge) && len(data) > 1:
			most = len(data) / 2
		case errors.Is(err, runlog.ErrTooLarge) && next > l.acked:
			l.giveUpEvent(next, err)
		default:
			if err := l.recover(ack, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// append makes one call.
func (l *link) append(first int64, data [][]byte) (ack runlog.Ack, err error) {
	err = l.call(func(ctx context.Context) (err error) {
		ack, err = l.writer.Append(ctx, first, data)
		return err
	})
	if err == nil {
		l.lastAppend = time.Now()
		l.back()
	}
	return ack, err
}

// recover deals with an append that got no useful answer, and waits.
func (l *link) recover(ack runlog.Ack, err error) error {
	switch {
	case final(err):
		return err
	case err == nil:
		err = fmt.Errorf("%w: an answer that makes no sense: %+v", runlog.ErrUnavailable, ack)
	case errors.Is(err, runlog.ErrNeedCheckpoint):
		if l.acked > l.check.seq {
			return l.checkpoint()
		}
	}
	return l.away("append", err)
}

// ack folds what the store surely has.
func (l *link) ack(last int64) {
	n := int(min(last, l.head) - l.acked)
	if n <= 0 {
		return
	}
	for i := range l.inflight[:n] {
		l.view.Apply(&l.inflight[i])
		l.check.grew(len(l.ring.from(l.acked+1+int64(i), 1, 0)[0]))
	}
	clear(l.inflight[:n])
	l.inflight = l.inflight[n:]
	l.acked += int64(n)
	l.ring.trim(l.acked)
	l.w.acked(runlog.Position{Epoch: l.epoch, Seq: l.acked}, n, len(l.inflight))
}

// giveUpEvent puts a notice in place of an event that the store refuses as too
// large: nothing was written under its seq, and what follows must go on.
func (l *link) giveUpEvent(seq int64, err error) {
	i := seq - l.acked - 1
	was := l.inflight[i]
	text := fmt.Sprintf("an event (%s) was too large for the run log", was.Type)
	e := view.Event{Type: view.NoticeEvent, T: was.T, Kind: "lost", Text: &text}
	data, encErr := e.Encode()
	if encErr != nil {
		data = []byte(`{"type":"notice","t":0,"kind":"lost"}`)
	}
	l.log.Error().Err(err).Str("type", string(was.Type)).Msg("event lost: too large for the store")
	l.ring.replace(seq, data)
	l.inflight[i] = e
	l.w.swapped(err)
}
