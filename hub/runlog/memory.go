package runlog

import (
	"container/list"
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// MemoryConfig bounds a Memory store. Zero fields take the defaults.
type MemoryConfig struct {
	// RunEvents and RunBytes bound what is kept of one run's log: 20 000 events
	// and 32 MiB. What the newest checkpoint does not cover is never forgotten:
	// a writer that makes no checkpoints gets ErrNeedCheckpoint.
	RunEvents int
	RunBytes  int64
	// Runs and Bytes bound all runs together (logs and snapshots): 1000 runs and
	// 512 MiB. Finished runs make room, those heard longest ago first; a live run
	// is never dropped: a new one, or a snapshot that does not fit, gets ErrFull
	// instead.
	Runs  int
	Bytes int64
	// BlobBytes bounds all whole outputs together, 256 MiB; the oldest go first.
	BlobBytes int64
	// KeepFor is how long a finished run is kept after it was last heard: 7 days.
	KeepFor time.Duration
}

func (c MemoryConfig) withDefaults() MemoryConfig {
	def := func(to *int64, d int64) {
		if *to <= 0 {
			*to = d
		}
	}
	if c.RunEvents <= 0 {
		c.RunEvents = 20_000
	}
	if c.Runs <= 0 {
		c.Runs = 1000
	}
	if c.KeepFor <= 0 {
		c.KeepFor = 7 * 24 * time.Hour
	}
	def(&c.RunBytes, 32<<20)
	def(&c.Bytes, 512<<20)
	def(&c.BlobBytes, 256<<20)
	return c
}

// Memory is a Store that lives in this process: the embedded default. It
// starts no goroutine. Followers are cursors into a run's log, so one that does
// not read costs nothing and slows nobody; one that fell behind what is kept
// gets a Reset.
type Memory struct {
	// static after construction
	cfg MemoryConfig
	// done is closed by Close.
	done chan struct{}

	// mu guards everything below, and the fields of memRun. It is held for short,
	// bounded work only: never while folding, encoding or reading.
	mu     sync.Mutex
	closed bool
	runs   map[string]*memRun
	// bytes counts all logs and snapshots, blobBytes all blobs.
	bytes, blobBytes int64
	blobs            list.List // of *memBlob, oldest first
	index            memIndex
	expiry           *time.Timer
}

var _ Store = (*Memory)(nil)

// NewMemory returns an empty store.
func NewMemory(cfg MemoryConfig) *Memory {
	return &Memory{
		cfg:   cfg.withDefaults(),
		done:  make(chan struct{}),
		runs:  map[string]*memRun{},
		index: newMemIndex(),
	}
}

// Close ends all followers and writers with ErrClosed. It never fails.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	m.closed = true
	close(m.done)
	if m.expiry != nil {
		m.expiry.Stop()
	}
	m.runs, m.index = nil, newMemIndex()
	m.blobs.Init()
	return nil
}

// lookLocked finds a run for a reader.
func (m *Memory) lookLocked(run string) (*memRun, error) {
	if m.closed {
		return nil, ErrClosed
	}
	r := m.runs[run]
	if r == nil || r.epoch == "" { // its first claim is not done yet
		return nil, fmt.Errorf("%w: %s", ErrNoRun, run)
	}
	return r, nil
}

// Follow implements Store.
func (m *Memory) Follow(ctx context.Context, run string) (Follower, error) {
	if err := checkCall(ctx, run); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.lookLocked(run)
	if err != nil {
		return nil, err
	}
	return &memFollower{store: m, run: r, closed: make(chan struct{})}, nil
}

// Read implements Store.
func (m *Memory) Read(ctx context.Context, run string, from Position, limit int) ([]Entry, error) {
	if err := checkCall(ctx, run); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.lookLocked(run)
	if err != nil {
		return nil, err
	}
	after, err := Locate(r.allSpans(), r.oldest(), from)
	if err != nil {
		return nil, err
	}
	return r.entriesAfter(after, limit), nil
}

// Blob implements Store. The content it returns stays readable whatever happens
// to the store.
func (m *Memory) Blob(ctx context.Context, run, name string) (io.ReadSeekCloser, error) {
	if err := checkCall(ctx, run); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.lookLocked(run)
	if err != nil {
		return nil, err
	}
	b := r.blobs[name]
	if b == nil {
		return nil, fmt.Errorf("%w: %.40q of run %s", ErrNoBlob, name, run)
	}
	return b.open(), nil
}

func checkCall(ctx context.Context, run string) error {
	if err := CheckRunID(run); err != nil {
		return fmt.Errorf("%w: %.80q", err, run)
	}
	return ctx.Err()
}
