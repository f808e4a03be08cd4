package runlogtest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// KeepEvents is the most events of one run that the store under test may keep
// behind a checkpoint. The suite writes several times as many.
const KeepEvents = 1000

// patience bounds every wait of the suite: it only turns a hang into a failure.
const patience = 60 * time.Second

// Run runs the contract suite. open returns a new, empty store that keeps at
// most KeepEvents events per run; it registers the clean-up itself.
func Run(t *testing.T, open func(t testing.TB) runlog.Store) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, *env)
	}{
		{"JoinAtEverySeq", joinAtEverySeq},
		{"JoinWhileAppending", joinWhileAppending},
		{"NewRunIsEmpty", newRunIsEmpty},
		{"UnknownRun", unknownRun},
		{"BadRunID", badRunID},
		{"BatchesStayWhole", batchesStayWhole},
		{"WaitingFollowerWakes", waitingFollowerWakes},
		{"Beats", beats},
		{"CancelledNext", cancelledNext},
		{"Held", held},
		{"Released", released},
		{"Takeover", takeover},
		{"SilentClaim", silentClaim},
		{"ReapersRace", reapersRace},
		{"ReaperFinishesAnother", reaperFinishesAnother},
		{"ClaimContinuesSeq", claimContinuesSeq},
		{"SeedFurther", seedFurther},
		{"SeedTie", seedTie},
		{"SeedBehind", seedBehind},
		{"SeedIntoEmptyStore", seedIntoEmptyStore},
		{"FencedWritesNothing", fencedWritesNothing},
		{"ContendingWriters", contendingWriters},
		{"AppendDup", appendDup},
		{"AppendGap", appendGap},
		{"AppendOverlap", appendOverlap},
		{"AppendTooLarge", appendTooLarge},
		{"CheckpointRules", checkpointRules},
		{"CheckpointTrimJoin", checkpointTrimJoin},
		{"NoCheckpoint", noCheckpoint},
		{"SlowFollower", slowFollower},
		{"ReadAcrossEpochs", readAcrossEpochs},
		{"ReadUnknownPosition", readUnknownPosition},
		{"Index", index},
		{"Blobs", blobs},
		{"BlobTooLarge", blobTooLarge},
		{"CloseEndsEverything", closeEndsEverything},
		{"CloseFollower", closeFollower},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			c.run(t, &env{ctx: ctx, store: open(t)})
		})
	}
}

// env is what one case works with.
type env struct {
	ctx   context.Context
	store runlog.Store
}

// author claims run as a new author.
func (e *env) author(t *testing.T, run string, o runlog.ClaimOptions) *Author {
	t.Helper()
	a := NewAuthor(run, uint64(len(t.Name())))
	if o.Owner == "" {
		o.Owner = "author"
	}
	must(t, a.Claim(e.ctx, e.store, o))
	return a
}

// follow starts to follow and leaves the clean-up to the test.
func (e *env) follow(t *testing.T, run string) runlog.Follower {
	t.Helper()
	f, err := e.store.Follow(e.ctx, run)
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// Pump feeds v from f until done says so after an update.
func Pump(ctx context.Context, f runlog.Follower, v *Verifier, done func() bool) error {
	for !done() {
		u, err := f.Next(ctx)
		if err != nil {
			return fmt.Errorf("at %s: %w", v.At(), err)
		}
		if err := v.Update(u); err != nil {
			return err
		}
	}
	return nil
}

// JoinTo follows run from now on until the view holds the notice of Author.End.
func JoinTo(ctx context.Context, s runlog.Store, run string, v *Verifier) error {
	f, err := s.Follow(ctx, run)
	if err != nil {
		return err
	}
	defer f.Close()
	return Pump(ctx, f, v, func() bool { return Ended(v.View()) })
}

// pumpTo feeds v from f until it is where the author is, and compares.
func (e *env) pumpTo(t *testing.T, f runlog.Follower, v *Verifier, a *Author) {
	t.Helper()
	must(t, Pump(e.ctx, f, v, func() bool { return v.At() == a.At }))
	sameView(t, v.View(), a.View)
}

// joined is a new follower's view at the author's position.
func (e *env) joined(t *testing.T, a *Author) *Verifier {
	t.Helper()
	v := NewVerifier(a.Ledger)
	f := e.follow(t, a.Run)
	e.pumpTo(t, f, v, a)
	return v
}

func sameView(t *testing.T, got, want *view.View) {
	t.Helper()
	if got.Hash() == want.Hash() {
		return
	}
	g, _ := got.Encode()
	w, _ := want.Encode()
	t.Fatalf("views differ:\n%s\nwant\n%s", g, w)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantError(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

func isNeedCheckpoint(err error) bool { return errors.Is(err, runlog.ErrNeedCheckpoint) }
