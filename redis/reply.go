package redis

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// reply is a script's answer. Its methods give zero values for what is missing.
type reply []any

func (r reply) text(i int) string {
	if i >= len(r) {
		return ""
	}
	switch v := r[i].(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return ""
}

func (r reply) number(i int) int64 {
	if i >= len(r) {
		return 0
	}
	switch v := r[i].(type) {
	case int64:
		return v
	case string:
		n, _ := strconv.ParseInt(v, 10, 64)
		return n
	}
	return 0
}

func (r reply) list(i int) reply {
	if i >= len(r) {
		return nil
	}
	v, _ := r[i].([]any)
	return v
}

// batches decodes stream entries. It stops at the first that is damaged.
func (r reply) batches() ([]batch, error) {
	out := make([]batch, 0, len(r))
	for i := range r {
		entry := r.list(i)
		id, fields := entry.text(0), entry.list(1)
		first, _, _ := strings.Cut(id, "-")
		seq, err := strconv.ParseInt(first, 10, 64)
		if err != nil || len(fields) != 6 || fields.text(0) != "e" || fields.text(2) != "n" || fields.text(4) != "d" {
			return out, fmt.Errorf("%w: stream entry %.40q", errFrames, id)
		}
		events, err := splitFrames(fields.text(5), int(fields.number(3)))
		if err != nil {
			return out, fmt.Errorf("stream entry %s: %w", id, err)
		}
		out = append(out, newBatch(fields.text(1), seq, events))
	}
	return out, nil
}

// status is where a run is, and who holds it.
type status struct {
	head
	owner string
	held  bool
	// hb is the last sign of life by the store's clock (only to be compared), age
	// how long ago that was.
	hb  int64
	age time.Duration
	// oldest is the seq of the oldest kept event.
	oldest int64
}

func (r reply) status() status {
	return status{
		head:  head{epoch: r.text(0), term: r.number(1), seq: r.number(2)},
		owner: r.text(3), held: r.text(4) == "1", hb: r.number(5),
		age: time.Duration(r.number(6)) * time.Millisecond, oldest: r.number(7),
	}
}

func (s status) beat() *runlog.Beat {
	return &runlog.Beat{Age: s.age, Owner: s.owner, Released: !s.held}
}

// spans decodes the epochs that a log remembers: "epoch base last;" each.
func spans(past, epoch string, base, last int64) []runlog.Span {
	var out []runlog.Span
	for s := range strings.SplitSeq(past, ";") {
		var p runlog.Span
		if n, _ := fmt.Sscanf(s, "%s %d %d", &p.Epoch, &p.Base, &p.Last); n == 3 {
			out = append(out, p)
		}
	}
	return append(out, runlog.Span{Epoch: epoch, Base: base, Last: last})
}
