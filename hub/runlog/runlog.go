package runlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/ringside-hub/ringside/hub/view"
)

// Position names one event of a run. Epoch and Seq always travel together:
// seq alone means nothing, and an empty epoch is a position nobody has.
type Position struct {
	// Epoch is one incarnation of the run's writer, compared only for equality.
	Epoch string `json:"epoch"`
	// Seq counts 1, 2, 3 … without gaps, and goes on across epochs.
	Seq int64 `json:"seq"`
}

func (p Position) String() string { return fmt.Sprintf("%s/%d", p.Epoch, p.Seq) }

// MaxSeq is the largest seq: what a JavaScript number holds exactly.
const MaxSeq = 1<<53 - 1

// Entry is one event of a log. Data is its JSON as its worker encoded it; it is
// shared by everybody who reads the log and must not be changed.
type Entry struct {
	Position
	Data []byte
}

// Snapshot is the fold of all events up to and including Position. View is the
// view as JSON (view.View.Encode). Shared: not to be changed.
type Snapshot struct {
	Position
	View []byte
}

// Store keeps the logs of many runs. All methods are safe for concurrent use.
// The contract is checked by runlogtest on every implementation.
type Store interface {
	// Claim makes the caller the run's one writer: it fences the writer before
	// it, then installs a new epoch whose first seq is max(stored, seed)+1,
	// with the newest known snapshot under the new epoch, and announces the
	// reset to followers. Until that step followers keep the old epoch. The
	// returned Snapshot is what was installed (its view is the empty view for a
	// new run). It returns *HeldError if another writer was heard less than
	// HoldFor ago and o.Takeover is not set, and ErrFull if there is no room for
	// the run or its snapshot.
	Claim(ctx context.Context, run string, o ClaimOptions) (Writer, Snapshot, error)

	// Follow starts to follow a run: the first Update is a Reset with a snapshot,
	// then what came after it, without hole or double, and soon a Beat. It
	// returns ErrNoRun if the store does not know the run.
	Follow(ctx context.Context, run string) (Follower, error)

	// Read returns history: at most limit entries after from, in order, across
	// epochs. The zero Position means "from the oldest kept". Entries older than
	// what the log keeps are gone: the first entry's seq tells. A jump in seq can
	// only be where the epoch changes: a store had lost those events. It returns
	// ErrNoRun, or ErrUnknownPosition if from names an epoch and seq that the log
	// never had or no longer knows. No entries and no error: from is the newest.
	Read(ctx context.Context, run string, from Position, limit int) ([]Entry, error)

	// Index follows the summaries of all runs; the first update is full.
	Index(ctx context.Context) (IndexFollower, error)

	// Blob opens a whole output. ErrNoBlob if there is none, or no longer.
	Blob(ctx context.Context, run, name string) (io.ReadSeekCloser, error)

	// Close lets go of everything; followers and writers of the store end with
	// ErrClosed.
	Close() error
}

// ClaimOptions say who claims and how.
type ClaimOptions struct {
	// Owner names the claimer to people ("host/pid").
	Owner string
	// Takeover takes the run from a writer that is still heard.
	Takeover bool
	// Seed is the claimer's own view, used where it is at least as far as what
	// the store has (as after a store that lost everything, or when a worker
	// comes back that a reaper had given up). Its seq counts, its epoch does not.
	Seed *Snapshot
	// Silent, where it is set, makes the claim a reaper's: it succeeds only if
	// somebody holds the run who has not been heard for so long, by the store's
	// clock and at the instant of the claim. It takes the place of HoldFor and
	// Takeover. The refusals are HeldError, ErrReleased and ErrNoRun; a refused
	// claim changes nothing. Only a store itself knows it, the remote writer of
	// hub/wire does not.
	Silent time.Duration
}

// ReaperPrefix begins the Owner of a reaper: one who claims a run whose worker
// is silent, says so in the log and closes. A worker that finds its run held
// by a reaper waits for it instead of giving up.
const ReaperPrefix = "reaper/"

// HoldFor is how long after its last sign of life a writer holds its run
// against a claim without Takeover.
const HoldFor = 8 * time.Second

// AppendStatus is the answer to an append.
type AppendStatus string

// The answers. Gap means that the store lacks events before the batch (it lost
// some): the writer appends again from Last+1. Dup means that the store had
// the whole batch already.
const (
	AppendOK  AppendStatus = "ok"
	AppendDup AppendStatus = "dup"
	AppendGap AppendStatus = "gap"
)

// Ack answers one append. Last is the last seq that the store has.
type Ack struct {
	Status AppendStatus `json:"status"`
	Last   int64        `json:"last"`
}

// Limits of one append, checked by every store (ErrTooLarge).
const (
	MaxBatchEvents = 1024
	MaxBatchBytes  = 4 << 20
	MaxViewBytes   = 16 << 20
	MaxBlobBytes   = 64 << 20
)

// Writer is the one writer of a run in one epoch. Append and Checkpoint are
// called by one goroutine at a time; the others may run beside them. After
// ErrFenced every call returns ErrFenced and nothing is written; Close then
// frees only the writer itself. ErrNoRun says that the store does not know the
// run any more (it lost it, or let it go): claim again, with a Seed.
type Writer interface {
	// Epoch is this writer's epoch.
	Epoch() string
	// Append appends events, whose first has seq first. One call is atomic: all
	// or nothing, and followers see it as one batch. Appending what is already
	// there is harmless (AppendDup, or only the new tail is appended), so a call
	// whose answer was lost is simply repeated. ErrNeedCheckpoint asks for a
	// checkpoint first: the log is at its bound and nothing may be forgotten yet.
	// An append of no events writes nothing and asks whether the store has
	// everything before first (AppendOK or AppendGap): a position check.
	// Every event must be one that view.DecodeEvent accepts: stores do not look
	// inside. The store keeps the events; the caller must not change them later.
	Append(ctx context.Context, first int64, events [][]byte) (Ack, error)
	// Checkpoint stores the fold up to s.Seq, so that the log before it may be
	// forgotten and a joiner reads little. A checkpoint older than the stored
	// one, or further than the log, is ignored. ErrFull: there is no room for it,
	// and the one before stays.
	Checkpoint(ctx context.Context, s Snapshot) error
	// PutBlob stores a whole output under name (a card's key, see CheckBlobName).
	// A second put replaces the first. It reads r to its end, which may block.
	PutBlob(ctx context.Context, name string, r io.Reader) error
	// Heartbeat says that the writer lives, and what to show in the index.
	Heartbeat(ctx context.Context, s view.Summary) error
	// Close gives the run up; the log stays. A second call does nothing. A writer
	// may be dropped without it, which leaves nothing behind but its silence: the
	// run stays held by one who is not heard.
	Close(ctx context.Context) error
}

// Follower is one reader of one run. Next is called by one goroutine at a time;
// Close may be called from another, and makes Next return ErrClosed.
// After any error but ctx's own every later Next fails.
type Follower interface {
	// Next blocks for the next update. Errors: ctx's own (the follower stays
	// usable), ErrNoRun if the run was removed, ErrClosed, or a failure that ends
	// this follower.
	Next(ctx context.Context) (Update, error)
	Close() error
}

// Update is what a follower is told. Exactly one of Reset, Entries, Beat and
// Link is set.
type Update struct {
	// Reset replaces everything: start again from its snapshot.
	Reset *Reset
	// Entries is one appended batch (or a piece of one): contiguous, of one
	// epoch, the first right after what the follower last gave.
	Entries []Entry
	// Beat is a sign of life of the writer.
	Beat *Beat
	// Link says that the store was lost or is back. While it is lost nothing
	// arrives; afterwards either nothing is missing or a Reset comes.
	Link *Link
}

// Reason says why a snapshot replaces what was there.
type Reason string

// The reasons of a reset.
const (
	ReasonJoin            Reason = "join"
	ReasonEpoch           Reason = "epoch"
	ReasonSlow            Reason = "slow"
	ReasonUnknownPosition Reason = "unknown_position"
	ReasonAsked           Reason = "asked"
)

// Reset is an explicit break in the sequence.
type Reset struct {
	Snapshot Snapshot
	Reason   Reason
}

// Beat is the writer's last sign of life: when, as an age (no clocks are
// compared across machines).
type Beat struct {
	Age   time.Duration
	Owner string
	// Released says that the writer closed: nobody holds the run.
	Released bool
}

// Link is the state of the way to the store.
type Link struct{ Up bool }

// IndexFollower follows the summaries of all runs, as Follower does one run.
type IndexFollower interface {
	Next(ctx context.Context) (IndexUpdate, error)
	Close() error
}

// IndexUpdate tells which runs changed. Full replaces the whole list.
type IndexUpdate struct {
	Full bool
	Runs []RunSummary
	Gone []string
	// Link, alone in its update, says that the store was lost or is back, as an
	// Update's does: what was not heard while it was lost means nothing.
	Link *Link
}

// RunSummary is a run's line in the index.
type RunSummary struct {
	Run string `json:"run"`
	Position
	Owner string `json:"owner,omitzero"`
	view.Summary
	// HeardMs is how long ago the writer was heard, in milliseconds, when the
	// update was made; -1 if nobody holds the run.
	HeardMs int64 `json:"heardMs"`
}

// The errors of a store. Test with errors.Is.
var (
	ErrNoRun           = errors.New("no such run")
	ErrNoBlob          = errors.New("no such output")
	ErrFenced          = errors.New("fenced: another writer has claimed the run")
	ErrClosed          = errors.New("run log closed")
	ErrUnknownPosition = errors.New("unknown position")
	ErrTooLarge        = errors.New("too large")
	ErrNeedCheckpoint  = errors.New("log full: a checkpoint is needed first")
	ErrUnavailable     = errors.New("store unavailable")
	// ErrReleased refuses a claim with ClaimOptions.Silent.
	ErrReleased = errors.New("nobody holds the run")
	// ErrFull: the store is at its bound with nothing left that it may forget.
	ErrFull = errors.New("store full")
	// ErrDenied: the store refuses this caller (a bad or missing token, a run it
	// may not write); trying again does not help.
	ErrDenied      = errors.New("not allowed")
	ErrBadRunID    = errors.New("bad run id: 1 to 64 of A-Z a-z 0-9 _ -")
	ErrBadBlobName = errors.New("bad output name: 1 to 128 of A-Z a-z 0-9 _ . -")
)

// HeldError says who holds a run. It is returned by Claim.
type HeldError struct {
	Run   string
	Owner string
	// Age is how long ago the holder was heard.
	Age time.Duration
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("run %s is held by %s, heard %s ago", e.Run, e.Owner, e.Age.Round(100*time.Millisecond))
}

var (
	runID    = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	blobName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)
)

// CheckRunID returns ErrBadRunID if id is not a run id.
func CheckRunID(id string) error {
	if !runID.MatchString(id) {
		return ErrBadRunID
	}
	return nil
}

// CheckBlobName returns ErrBadBlobName if name cannot name an output.
func CheckBlobName(name string) error {
	if !blobName.MatchString(name) {
		return ErrBadBlobName
	}
	return nil
}
