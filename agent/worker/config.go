package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/agent/projector"
	"github.com/ringside-hub/ringside/hub/runlog"
)

// Store is what a worker needs of a runlog.Store; the remote writer of hub/wire
// is one too.
type Store interface {
	// Claim is runlog.Store's. An error that has a method Final() bool which
	// says true is a refusal that no later attempt can change (no hub at that
	// address): it ends a worker that has not had its run yet.
	Claim(ctx context.Context, run string, o runlog.ClaimOptions) (runlog.Writer, runlog.Snapshot, error)
	// Read tells, after the run was lost, who has written to it.
	Read(ctx context.Context, run string, from runlog.Position, limit int) ([]runlog.Entry, error)
}

// Config says what a worker publishes, where, and within which bounds. Run and
// Store are needed; every other zero field takes its default.
type Config struct {
	Run   string
	Store Store
	// Owner names this worker to people ("host/pid"). A short random suffix is
	// added: a claim whose answer was lost must be known as one's own.
	Owner string
	// Takeover takes the run, once at the start, from a worker that still lives.
	Takeover bool

	// Projector says how events are projected. Its Run (title, model, folder,
	// labels) and Source are told at the start; its Next is not used: keys go on
	// from the run's snapshot.
	Projector projector.Config

	// Flush is how long events may wait for others to share a batch (16 ms). The
	// first event after a pause does not wait.
	Flush time.Duration
	// A checkpoint is made after CheckpointEvents events (500) or
	// CheckpointEvery (5 s), where there is anything new.
	CheckpointEvents int
	CheckpointEvery  time.Duration
	// Heartbeat is the time between signs of life (2 s). A changed summary goes
	// out after half of that.
	Heartbeat time.Duration
	// CallTimeout bounds every call to the store (10 s).
	CallTimeout time.Duration

	// BufferEvents (10 000) and BufferBytes (16 MiB) bound what waits while the
	// store is away; starts and ends may use the same again.
	BufferEvents int
	BufferBytes  int
	// MaxWait is how long, in all, Publish waits for room between two answers of
	// the store before events are lost (2 s); negative: for ever, which suits a
	// source that can wait, as a file.
	MaxWait time.Duration

	// RingEvents (10 000) and RingBytes (16 MiB) bound the events kept to give
	// them again to a store that lost them.
	RingEvents int
	RingBytes  int
	// TrimViewBytes is the size of the encoded view above which the oldest turns
	// are trimmed from it (4 MiB).
	TrimViewBytes int
	// BlobBytes bounds the whole outputs that wait to be stored (64 MiB).
	BlobBytes int

	Logger zerolog.Logger
}

// withDefaults fills in the defaults, or says what is missing.
func (c Config) withDefaults() (Config, error) {
	if err := runlog.CheckRunID(c.Run); err != nil {
		return c, fmt.Errorf("worker: run %.80q: %w", c.Run, err)
	}
	if c.Store == nil {
		return c, errors.New("worker: no store")
	}
	if c.Owner == "" {
		c.Owner = "worker"
	}
	c.Projector.Next = projector.Counters{}
	if c.Projector.Redactor == nil {
		c.Projector.Redactor = projector.NewRedactor(projector.RedactConfig{})
	}
	for _, d := range []struct {
		to  *time.Duration
		def time.Duration
	}{
		{&c.Flush, 16 * time.Millisecond}, {&c.CheckpointEvery, 5 * time.Second},
		{&c.Heartbeat, 2 * time.Second}, {&c.CallTimeout, 10 * time.Second},
	} {
		if *d.to <= 0 {
			*d.to = d.def
		}
	}
	if c.MaxWait == 0 {
		c.MaxWait = 2 * time.Second
	}
	for _, n := range []struct {
		to  *int
		def int
	}{
		{&c.CheckpointEvents, 500}, {&c.BufferEvents, 10_000}, {&c.BufferBytes, 16 << 20},
		{&c.RingEvents, 10_000}, {&c.RingBytes, 16 << 20}, {&c.TrimViewBytes, 4 << 20}, {&c.BlobBytes, 64 << 20},
	} {
		if *n.to <= 0 {
			*n.to = n.def
		}
	}
	return c, nil
}

// Stats are a worker's figures. At any time
// Events = Acked + Merged + Lost + Buffered.
type Stats struct {
	// Events counts projected events, the worker's own among them.
	Events int64
	// Acked counts those that the store has, Merged those that were joined with
	// another or left out because another replaced them, Lost those that did not
	// fit, Buffered those that wait or are under way.
	Acked, Merged, Lost, Buffered int64
	// Outputs counts whole outputs that the store has, OutputsLost the others.
	Outputs, OutputsLost int64
	// Reconnects counts the times that the store came back, Claims the epochs.
	Reconnects, Claims int64
	// AwaySince is when the store was last heard, if it is away; else zero.
	AwaySince time.Time
	// LastError is what the store failed with when it was last away, and at
	// what ("claim: …"). It stays when the store is back.
	LastError error
	// At is the newest position that the store has acknowledged.
	At runlog.Position
}

// LostError says that the log lacks events, or the store whole outputs.
type LostError struct {
	Run             string
	Events, Outputs int64
	// Err says why: what the store failed with, and why Close did not go on
	// trying; nil if that is not known.
	Err error
}

func (e *LostError) Error() string {
	var what []string
	for _, n := range []struct {
		count int64
		name  string
	}{{e.Events, "event"}, {e.Outputs, "whole output"}} {
		switch {
		case n.count == 1:
			what = append(what, "1 "+n.name)
		case n.count > 1:
			what = append(what, fmt.Sprintf("%d %ss", n.count, n.name))
		}
	}
	s := fmt.Sprintf("run %s: %s were lost", e.Run, strings.Join(what, " and "))
	if e.Events+e.Outputs == 1 {
		s = fmt.Sprintf("run %s: %s was lost", e.Run, what[0])
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *LostError) Unwrap() error { return e.Err }
