package pijson

import (
	"time"

	"github.com/ringside-hub/ringside/agent"
)

// maxLookAhead bounds how many records a recorded stream is read ahead to find
// the next known time.
const maxLookAhead = 2048

// maxStarts bounds how many running tools are remembered.
const maxStarts = 4096

// Stamper gives every record of a stream a time, Unix milliseconds, that never
// goes back. Few of Pi's lines carry a time of their own.
type Stamper struct {
	next func() (Record, error)
	now  func() int64
	// recorded streams are interpolated between the lines that tell the time;
	// live ones take the time of their arrival.
	recorded bool

	last int64
	// skew is arrival minus own time at the last line that told one, so that a
	// stream which is relayed late, or by a machine whose clock is off, still
	// runs evenly.
	skew int64
	// starts holds when the running tools began.
	starts map[string]int64

	ready []Stamped
	err   error
}

// Stamped is a record with its time.
type Stamped struct {
	Record
	T int64
}

// NewLive stamps records as they come.
func NewLive(r *Reader) *Stamper { return newStamper(r.Next, false) }

// NewRecorded stamps the records of a recorded file: lines between two known
// times are spread evenly. It reads up to 2048 records ahead.
func NewRecorded(r *Reader) *Stamper { return newStamper(r.Next, true) }

func newStamper(next func() (Record, error), recorded bool) *Stamper {
	return &Stamper{
		next: next, recorded: recorded, starts: map[string]int64{},
		now: func() int64 { return time.Now().UnixMilli() },
	}
}

// Next returns the next record. Its errors are the Reader's.
func (s *Stamper) Next() (Stamped, error) {
	if !s.recorded {
		rec, err := s.next()
		if err != nil {
			return Stamped{}, err
		}
		return Stamped{rec, s.arrived(&rec)}, nil
	}
	if len(s.ready) == 0 {
		s.fill()
	}
	if len(s.ready) == 0 {
		return Stamped{}, s.err
	}
	first := s.ready[0]
	s.ready = s.ready[1:]
	return first, nil
}

func (s *Stamper) arrived(rec *Record) int64 {
	now := s.now()
	t, known := ownTime(rec)
	if known && t < now+maxAhead {
		s.skew = now - t
	} else {
		t = now - s.skew
	}
	s.last = max(s.last, t)
	return s.last
}

// fill reads up to the next line that tells a time and spreads the lines
// before it.
func (s *Stamper) fill() {
	s.ready = nil
	var until int64
	for known := false; !known && s.err == nil && len(s.ready) < maxLookAhead; {
		var rec Record
		if rec, s.err = s.next(); s.err != nil {
			break
		}
		s.ready = append(s.ready, Stamped{Record: rec})
		until, known = s.timeOf(&rec)
	}
	if s.last == 0 { // nothing is known of what came before the first time
		s.last = until
		if until == 0 {
			s.last = s.now()
		}
	}
	from, n := s.last, int64(len(s.ready))
	span := max(0, until-from)
	for i := range s.ready {
		s.ready[i].T = from + share(span, int64(i+1), n)
		s.last = s.ready[i].T
		s.began(&s.ready[i].Record, s.last)
	}
}

// timeOf is ownTime, and the end of a tool whose duration is known.
func (s *Stamper) timeOf(rec *Record) (int64, bool) {
	for _, e := range rec.Events {
		switch e := e.(type) {
		case agent.ToolExecutionStart:
			if len(s.starts) < maxStarts {
				s.starts[e.ToolCallID] = s.last
			}
		case agent.ToolExecutionEnd:
			start, ok := s.starts[e.ToolCallID]
			delete(s.starts, e.ToolCallID)
			if ok && start > 0 && e.DurationMs != nil && plausible(start+*e.DurationMs) {
				return start + *e.DurationMs, true
			}
		}
	}
	return ownTime(rec)
}

// began corrects the start of a tool once its time is known.
func (s *Stamper) began(rec *Record, t int64) {
	for _, e := range rec.Events {
		if e, ok := e.(agent.ToolExecutionStart); ok {
			if _, running := s.starts[e.ToolCallID]; running {
				s.starts[e.ToolCallID] = t
			}
		}
	}
}

// ownTime is the time that a line tells. An assistant message carries the time
// of its start, so its end is known only with its duration.
func ownTime(rec *Record) (int64, bool) {
	if !plausible(rec.At) {
		return 0, false
	}
	for _, e := range rec.Events {
		switch e := e.(type) {
		case agent.MessageUpdate:
			return 0, false
		case agent.MessageEnd:
			if e.Message.Role == agent.RoleAssistant {
				end := rec.At + rec.DurationMs
				return end, rec.DurationMs > 0 && plausible(end)
			}
		case agent.TurnEnd, agent.AgentEnd:
			return 0, false
		}
	}
	return rec.At, true
}

// share is i of n even parts of span, for any span.
func share(span, i, n int64) int64 { return span/n*i + span%n*i/n }

// maxTime is the year 2100: a later time is a mistake, as is one before 1970.
const maxTime = 4_102_444_800_000

// maxAhead is how far a live line may be ahead of the clock here.
const maxAhead = 24 * 60 * 60 * 1000

func plausible(t int64) bool { return 0 < t && t < maxTime }
