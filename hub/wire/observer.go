package wire

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// ObserverConfig says what to observe.
type ObserverConfig struct {
	// Address is the hub's, as for Dial.
	Address string
	// Run is the run to watch.
	Run string
	// Client says who connects.
	Client ClientConfig
	// Backoff spreads reconnections. Its zero value does.
	Backoff Backoff
	// Strict makes Next fail where the hub broke a promise (*SyncError), in place
	// of asking for a snapshot: for tests and measurements.
	Strict bool
}

// Observer folds one run as a page does, over as many connections as it takes:
// it resumes at its position, checks that nothing is missing or doubled, and
// compares hashes. It belongs to one goroutine.
type Observer struct {
	// static after construction
	cfg ObserverConfig
	log zerolog.Logger

	// owned by the goroutine that calls Next
	client   *Client
	backoff  Backoff
	retryAt  time.Time // when to connect again; zero: at once
	resync   Backoff
	brokenAt time.Time

	view *view.View
	at   runlog.Position
	// synced says that view is the fold up to at; until then all but a snapshot
	// is ignored.
	synced bool
	stats  ObserverStats
}

// ObserverStats counts what an observer saw.
type ObserverStats struct {
	Connects  int64 // connections that got as far as welcome
	Snapshots int64
	Events    int64 // folded, merged ones included
	Merged    int64 // merged messages
	Skipped   int64 // events that merged messages left out
	Checks    int64 // hashes that were equal
	Resyncs   int64 // promises that the hub broke
}

// Step is one thing that happened. Exactly one of Message and Down is set.
type Step struct {
	// Message is from the hub, and folded already. A Welcome is a new connection.
	Message HubMessage
	// Down says that there is no connection, and why; the next Next connects
	// again in Retry.
	Down  error
	Retry time.Duration
	// Broken says what was wrong with Message where a snapshot was asked for.
	Broken *SyncError
}

// SyncError says how a hub broke its promise about a run.
type SyncError struct {
	Run string
	// At is the observer's position.
	At      runlog.Position
	Message string
}

func (e *SyncError) Error() string { return fmt.Sprintf("run %s at %s: %s", e.Run, e.At, e.Message) }

// RefusedError says that the hub does not serve the run.
type RefusedError struct {
	Run     string
	Code    Code
	Message string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("run %s refused: %s: %s", e.Run, e.Code, e.Message)
}

// NewObserver checks the configuration; the first Next connects.
func NewObserver(c ObserverConfig) (*Observer, error) {
	if err := runlog.CheckRunID(c.Run); err != nil {
		return nil, err
	}
	if _, err := wsURL(c.Address); err != nil {
		return nil, err
	}
	return &Observer{
		cfg: c, backoff: c.Backoff, view: view.New(),
		resync: Backoff{Min: firstResync, Max: quiet, Rand: c.Backoff.Rand},
		log:    c.Client.Logger.With().Str("run", c.Run).Logger(),
	}, nil
}

// View is the fold up to Position. It changes with the next Next; Clone keeps
// it.
func (o *Observer) View() *view.View { return o.view }

// Position is where the view stands; its zero value before the first snapshot.
func (o *Observer) Position() runlog.Position { return o.at }

// Synced says whether View is a fold that the hub vouched for: there was a
// snapshot, and nothing was missing since.
func (o *Observer) Synced() bool { return o.synced }

// Stats counts what happened so far.
func (o *Observer) Stats() ObserverStats { return o.stats }

// Next blocks for the next thing that happens; it waits before reconnecting, and
// connects. Errors end the observation: *RefusedError (an unknown run, say),
// *CloseError with a code that says not to reconnect, *APIError and
// runlog.ErrDenied from the handshake, *SyncError if Strict.
// When ctx ends, the error is its cause; the connection is gone then, and a
// later Next resumes with a new one.
func (o *Observer) Next(ctx context.Context) (Step, error) {
	if o.client == nil {
		return o.connect(ctx)
	}
	m, err := o.client.Next(ctx)
	if bad, ok := errors.AsType[*MessageError](err); ok {
		return o.broken(ctx, Unknown{}, o.syncError("undecodable message: %s", bad))
	}
	if err != nil {
		return o.lost(ctx, err)
	}
	if e, ok := m.(Error); ok && e.Re == TypeWatch {
		return o.refused(e)
	}
	if bad := o.fold(m); bad != nil {
		return o.broken(ctx, m, bad)
	}
	return Step{Message: m}, nil
}

func (o *Observer) connect(ctx context.Context) (Step, error) {
	if err := sleep(ctx, time.Until(o.retryAt)); err != nil {
		return Step{}, err
	}
	client, err := Dial(ctx, o.cfg.Address, o.cfg.Client)
	if err != nil {
		return o.lost(ctx, err)
	}
	o.client = client
	o.stats.Connects++
	if err := client.Watch(ctx, o.cfg.Run, o.from()); err != nil {
		return o.lost(ctx, err)
	}
	return Step{Message: client.Welcome()}, nil
}

// from is where to resume; nil asks for a snapshot.
func (o *Observer) from() *runlog.Position {
	if !o.synced {
		return nil
	}
	return new(o.at)
}

// lost ends a connection, and says whether there will be another.
func (o *Observer) lost(ctx context.Context, err error) (Step, error) {
	o.drop()
	if ctx.Err() != nil {
		return Step{}, err
	}
	var least time.Duration
	switch closed, ok := errors.AsType[*CloseError](err); {
	case ok && !closed.Reconnect():
		return Step{}, err
	case ok:
		least = closed.RetryAfter
	case !errors.Is(err, runlog.ErrUnavailable):
		return Step{}, err
	}
	return o.retry(err, least), nil
}

func (o *Observer) retry(why error, least time.Duration) Step {
	wait := o.backoff.Next(least)
	o.retryAt = time.Now().Add(wait)
	o.log.Debug().Err(why).Dur("retry", wait).Msg("connection lost")
	return Step{Down: why, Retry: wait}
}

// refused ends the observation where asking again would not help; a limit or a
// store that is down may pass.
func (o *Observer) refused(e Error) (Step, error) {
	err := &RefusedError{Run: o.cfg.Run, Code: Code(clip(e.Code, 64)), Message: clip(e.Message, maxErrorText)}
	o.drop()
	switch err.Code {
	case CodeLimit, CodeStoreDown, CodeUnavailable, CodeInternal:
		return o.retry(err, 0), nil
	}
	return Step{}, err
}

// A view that breaks again within quiet is replaced ever more rarely: each time
// costs the hub a snapshot.
const (
	firstResync = 2 * time.Second
	quiet       = time.Minute
)

// broken asks for a snapshot in place of what does not fit.
func (o *Observer) broken(ctx context.Context, m HubMessage, bad *SyncError) (Step, error) {
	o.stats.Resyncs++
	o.log.Warn().Str("at", bad.At.String()).Str("what", bad.Message).Msg("the hub broke a promise")
	o.synced = false
	again := !o.brokenAt.IsZero() && time.Since(o.brokenAt) < quiet
	o.brokenAt = time.Now()
	switch {
	case o.cfg.Strict:
		o.drop()
		return Step{}, bad
	case again:
		o.drop()
		wait := o.resync.Next(0)
		o.retryAt = o.brokenAt.Add(wait)
		return Step{Down: bad, Retry: wait}, nil
	}
	o.resync.Reset()
	if err := o.client.Watch(ctx, o.cfg.Run, nil); err != nil {
		return o.lost(ctx, err)
	}
	return Step{Message: m, Broken: bad}, nil
}

func (o *Observer) syncError(format string, args ...any) *SyncError {
	return &SyncError{Run: o.cfg.Run, At: o.at, Message: clip(fmt.Sprintf(format, args...), 2*maxErrorText)}
}

// Check asks the hub for its hash; the answer comes by Next, as a CheckAt that
// was compared. It does nothing while there is no connection.
func (o *Observer) Check(ctx context.Context) error {
	if o.client == nil {
		return nil
	}
	return o.client.Check(ctx, o.cfg.Run)
}

// Disconnect breaks the connection as a bad network would; Next resumes at once.
func (o *Observer) Disconnect() { o.drop(); o.retryAt = time.Time{} }

func (o *Observer) drop() {
	if o.client != nil {
		_ = o.client.conn.CloseNow()
		o.client = nil
	}
}

// Close ends the connection, if there is one. The view stays readable. A later
// Next would connect again.
func (o *Observer) Close() error {
	if o.client == nil {
		return nil
	}
	err := o.client.Close()
	o.client = nil
	return err
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
