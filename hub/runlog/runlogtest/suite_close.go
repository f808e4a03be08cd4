package runlogtest

import (
	"sync"
	"testing"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// closeEndsEverything: whoever waits is let go, and nothing works afterwards.
func closeEndsEverything(t *testing.T, e *env) {
	a := e.author(t, "closing", runlog.ClaimOptions{})
	must(t, a.Append(e.ctx, 3))
	f, v := e.follow(t, a.Run), NewVerifier(a.Ledger)
	e.pumpTo(t, f, v, a)
	x, err := e.store.Index(e.ctx)
	must(t, err)
	defer x.Close()
	_, err = x.Next(e.ctx)
	must(t, err)

	ended := make(chan error, 2)
	go func() { ended <- Pump(e.ctx, f, v, func() bool { return false }) }()
	go func() {
		for {
			if _, err := x.Next(e.ctx); err != nil {
				ended <- err
				return
			}
		}
	}()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := e.store.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for range 2 {
		wantError(t, <-ended, runlog.ErrClosed)
	}
	_, err = f.Next(e.ctx)
	wantError(t, err, runlog.ErrClosed)
	_, err = a.Writer.Append(e.ctx, 4, a.next(t, 1))
	wantError(t, err, runlog.ErrClosed)
	wantError(t, a.Writer.Heartbeat(e.ctx, view.Summary{}), runlog.ErrClosed)
	_, _, err = e.store.Claim(e.ctx, "x", runlog.ClaimOptions{})
	wantError(t, err, runlog.ErrClosed)
	_, err = e.store.Follow(e.ctx, a.Run)
	wantError(t, err, runlog.ErrClosed)
	_, err = e.store.Read(e.ctx, a.Run, runlog.Position{}, 1)
	wantError(t, err, runlog.ErrClosed)
	_, err = e.store.Index(e.ctx)
	wantError(t, err, runlog.ErrClosed)
}

// closeFollower: Close from elsewhere ends Next, any number of times.
func closeFollower(t *testing.T, e *env) {
	a := e.author(t, "closing", runlog.ClaimOptions{})
	f, v := e.follow(t, a.Run), NewVerifier(a.Ledger)
	e.pumpTo(t, f, v, a)
	ended := make(chan error, 1)
	go func() { ended <- Pump(e.ctx, f, v, func() bool { return false }) }()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	wantError(t, <-ended, runlog.ErrClosed)
	_, err := f.Next(e.ctx)
	wantError(t, err, runlog.ErrClosed)
	// The others go on.
	must(t, a.Append(e.ctx, 3))
	e.joined(t, a)
}
