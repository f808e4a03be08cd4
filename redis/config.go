package redis

import (
	"fmt"
	"regexp"
	"time"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// Config says where the store is. Zero fields take the defaults.
type Config struct {
	// URL says where Redis is. It is never logged: it may hold a password.
	//
	//	redis://[user:password@]host:port[/db]                     one Redis
	//	unix:///path                                               one, by its socket
	//	redis+sentinel://[user:password@]host[:port],…/MASTER[/db]  the master that sentinels name
	//	redis+cluster://[user:password@]host[:port],…              a cluster; any of its nodes
	//
	// With rediss in place of redis it is TLS. Sentinels with a password of their own
	// get ?sentinel_username=…&sentinel_password=….
	URL string
	// Prefix begins every key and channel: "rs". Stores with different prefixes
	// share a Redis without seeing each other.
	Prefix   string
	Logger   zerolog.Logger
	Limits   Limits
	Timeouts Timeouts
}

// Limits bound what is kept. Stores on one Redis should agree on them: those of
// the writer hold for its run.
type Limits struct {
	// RunEvents and RunBytes bound one run's log: 20 000 events, 32 MiB. What the
	// newest checkpoint does not cover is never forgotten: a writer that makes
	// no checkpoints gets ErrNeedCheckpoint.
	RunEvents int
	RunBytes  int64
	// KeepFor is how long a run is kept after it was last written: 7 days.
	KeepFor time.Duration
	// BlobBytes and Blobs bound the whole outputs of one run: 128 MiB and 1000;
	// the oldest go first. BlobKeepFor is their age bound: KeepFor.
	BlobBytes   int64
	Blobs       int
	BlobKeepFor time.Duration
	// ListedRuns bounds the list of runs, in each of 64 partitions: 1024. Beyond
	// it the runs that expire first are not listed; they can be followed.
	ListedRuns int
	// BufferEvents and BufferBytes bound what this process buffers of one run for
	// followers that have not read it yet: 4096 events, 1 MiB. One that falls
	// further behind reads from the log.
	BufferEvents int
	BufferBytes  int
}

// Timeouts bound every wait for Redis.
type Timeouts struct {
	// Dial is for connecting (2 s), Call for one command (3 s).
	Dial time.Duration
	Call time.Duration
	// Link is how long a subscription may be silent, though pinged, or miss its
	// own probe, before it is made anew: 3 s.
	Link time.Duration
	// Check is how often the position of every followed run is compared with the
	// store: 2 s. A lost last message is found within two checks.
	Check time.Duration
	// Removed is how long a followed run may be missing in the store before its
	// followers end with ErrNoRun: 30 s. A worker whose store was emptied claims
	// its run again within that time.
	Removed time.Duration
}

func def[T int | int64 | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

func (c Config) withDefaults() Config {
	if c.Prefix == "" {
		c.Prefix = "rs"
	}
	l, t := &c.Limits, &c.Timeouts
	def(&l.RunEvents, 20_000)
	def(&l.RunBytes, 32<<20)
	def(&l.KeepFor, 7*24*time.Hour)
	def(&l.BlobBytes, 128<<20)
	def(&l.Blobs, 1000)
	def(&l.BlobKeepFor, l.KeepFor)
	def(&l.ListedRuns, 1024)
	def(&l.BufferEvents, 4096)
	def(&l.BufferBytes, 1<<20)
	def(&t.Dial, 2*time.Second)
	def(&t.Call, 3*time.Second)
	def(&t.Link, 3*time.Second)
	def(&t.Check, 2*time.Second)
	def(&t.Removed, 30*time.Second)
	return c
}

var prefixRule = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,32}$`)

// check refuses what cannot work.
func (c Config) check() error {
	if !prefixRule.MatchString(c.Prefix) {
		return fmt.Errorf("redis: prefix %.40q: 1 to 32 of A-Z a-z 0-9 _ . -", c.Prefix)
	}
	if c.Limits.BlobBytes < 0 || c.Limits.RunBytes < runlog.MaxBatchBytes {
		return fmt.Errorf("redis: a run's log of %d bytes: at least %d, one batch", c.Limits.RunBytes, runlog.MaxBatchBytes)
	}
	return nil
}
