package pijson

import (
	"bytes"
	"fmt"
	"io"
	"maps"

	"github.com/ringside-hub/ringside/agent"
)

// DefaultMaxLineBytes is the longest line that is decoded unless Options says
// otherwise.
const DefaultMaxLineBytes = 64 << 20

// maxSkippedTypes bounds how many skipped types are counted by name; the rest
// are counted under OtherTypes.
const maxSkippedTypes = 64

// OtherTypes is the name under which skipped types are counted once too many
// different ones have come.
const OtherTypes = "(other)"

// Options configures a Reader. The zero value works.
type Options struct {
	// MaxLineBytes is the longest line that is decoded, without its ending;
	// DefaultMaxLineBytes if 0 or negative.
	MaxLineBytes int
}

// Record is what one line gave.
type Record struct {
	// Line is the line's number, counted from 1 and including empty lines.
	Line int64
	// At is the line's own time, Unix milliseconds; 0 if it has none. That of
	// an assistant message, at its start and its end, is when it began.
	At int64
	// DurationMs is how long what this line ends took, in milliseconds: a
	// tool's execution, or an assistant message; 0 if not known.
	DurationMs int64
	// Events are in order; there may be none.
	Events []agent.Event
	// Skipped is the line's type if it has no agent event.
	Skipped string
	// Quarantined says why the line was left out; nil if it was not.
	Quarantined *LineError
}

// Stats counts what a Reader has done.
type Stats struct {
	// Lines counts records: the lines that were not empty.
	Lines       int64
	Events      int64
	Quarantined int64
	Skipped     int64
	// SkippedTypes counts skipped lines by type, a bounded number of them.
	SkippedTypes map[string]int64
}

// Reader decodes a stream. See the package documentation for its promises.
type Reader struct {
	lines *lineReader
	dec   decoder
	line  int64
	err   error
	stats Stats
}

// NewReader returns a Reader of r. It reads ahead by at most 64 KiB.
func NewReader(r io.Reader, o Options) *Reader {
	if o.MaxLineBytes <= 0 {
		o.MaxLineBytes = DefaultMaxLineBytes
	}
	return &Reader{
		lines: newLineReader(r, o.MaxLineBytes),
		stats: Stats{SkippedTypes: map[string]int64{}},
	}
}

// Next returns the record of the next line that is not empty. It blocks as long
// as the underlying reader does. The only errors are those of that reader,
// io.EOF at the end; from then on every call returns the same one.
func (r *Reader) Next() (Record, error) {
	for r.err == nil {
		ln, err := r.lines.next()
		r.err = err
		if err != nil && ln.size == 0 {
			break
		}
		r.line++
		if !ln.tooLong && len(bytes.Trim(ln.data, " \t\r")) == 0 {
			continue
		}
		rec := r.decode(ln)
		r.dec.release()
		r.lines.release()
		r.count(&rec)
		return rec, nil
	}
	return Record{}, r.err
}

// Stats returns the counters so far.
func (r *Reader) Stats() Stats {
	s := r.stats
	s.SkippedTypes = maps.Clone(s.SkippedTypes)
	return s
}

func (r *Reader) decode(ln line) Record {
	rec := Record{Line: r.line}
	fault := &LineError{Line: r.line, Record: isRecord(ln)}
	switch {
	case ln.tooLong && ln.ended && isAgentEnd(ln):
		// agent_end repeats every message of its run and so is the one line
		// that outgrows any limit in ordinary use. What it says beside the
		// copies stands at its two ends.
		rec.Events = []agent.Event{agent.AgentEnd{
			WillRetry: bytes.HasSuffix(ln.tail, []byte(`,"willRetry":true}`)),
		}}
	case ln.tooLong:
		fault.Reason = fmt.Sprintf("the line has %d bytes, more than %d", ln.size, r.lines.max)
		rec.Quarantined = fault
	default:
		typ, err := r.dec.line(&rec, repair(ln.data, &r.dec.halves))
		if err == nil {
			break
		}
		fault.Type = typ
		rec = Record{Line: r.line, Quarantined: fault.fail(err)}
		if !ln.ended && typ == "" {
			fault.Reason += "; the stream ended inside this line"
		}
	}
	return rec
}

func isRecord(ln line) bool {
	begin := ln.data
	if ln.tooLong {
		begin = ln.head
	}
	return bytes.HasPrefix(bytes.TrimLeft(begin, " \t"), []byte("{"))
}

func isAgentEnd(ln line) bool {
	return bytes.HasPrefix(ln.head, []byte(`{"type":"agent_end",`)) && bytes.HasSuffix(ln.tail, []byte("}"))
}

func (r *Reader) count(rec *Record) {
	s := &r.stats
	s.Lines++
	s.Events += int64(len(rec.Events))
	if rec.Quarantined != nil {
		s.Quarantined++
	}
	if rec.Skipped == "" {
		return
	}
	s.Skipped++
	name := rec.Skipped
	if _, known := s.SkippedTypes[name]; !known && len(s.SkippedTypes) >= maxSkippedTypes {
		name = OtherTypes
	}
	s.SkippedTypes[name]++
}
