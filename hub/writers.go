package hub

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// closeWait bounds how long giving up a run may take.
const closeWait = 2 * time.Second

// writers are the runs that are written over HTTP: each claim makes a session,
// found by run and epoch.
type writers struct {
	hub *Hub

	mu       sync.Mutex // guards what follows, and the sessions' own fields
	sessions map[sessionKey]*session
	claims   int // in progress
	closed   bool
}

type sessionKey struct{ run, epoch string }

// session is one remote writer.
type session struct {
	// static after construction
	key    sessionKey
	owner  string
	writer runlog.Writer
	// turn is held during Append and Checkpoint, which belong to one caller.
	turn chan struct{}

	// guarded by writers.mu
	calls int       // in progress
	last  time.Time // when the last one ended
}

var errManyWriters = errors.New("too many remote writers")

func (s *writers) init(h *Hub) {
	s.hub, s.sessions = h, map[sessionKey]*session{}
}

// claim claims a run for a remote writer.
func (s *writers) claim(ctx context.Context, run string, o runlog.ClaimOptions) (runlog.Snapshot, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return runlog.Snapshot{}, runlog.ErrClosed
	}
	if len(s.sessions)+s.claims >= s.hub.cfg.Limits.Writers {
		s.mu.Unlock()
		return runlog.Snapshot{}, errManyWriters
	}
	s.claims++
	s.mu.Unlock()
	w, snap, err := s.hub.cfg.Store.Claim(ctx, run, o)

	s.mu.Lock()
	s.claims--
	if err != nil {
		s.mu.Unlock()
		return runlog.Snapshot{}, err
	}
	closed := s.closed
	if !closed {
		key := sessionKey{run, w.Epoch()}
		s.sessions[key] = &session{key: key, owner: o.Owner, writer: w, turn: make(chan struct{}, 1), last: time.Now()}
	}
	s.mu.Unlock()
	if closed {
		s.hub.giveUp(w, run)
		return runlog.Snapshot{}, runlog.ErrClosed
	}
	return snap, nil
}

// call calls do with the session of run and epoch. Where alone is set, it waits
// its turn.
func (s *writers) call(ctx context.Context, key sessionKey, alone bool, do func(runlog.Writer) error) error {
	s.mu.Lock()
	w := s.sessions[key]
	if w == nil {
		s.mu.Unlock()
		return s.missing(ctx, key)
	}
	w.calls++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		w.calls--
		w.last = time.Now()
		s.mu.Unlock()
	}()
	if alone {
		select {
		case w.turn <- struct{}{}:
			defer func() { <-w.turn }()
		case <-ctx.Done():
			return runlog.ErrUnavailable
		}
	}
	err := do(w.writer)
	if errors.Is(err, runlog.ErrFenced) || errors.Is(err, runlog.ErrNoRun) {
		s.drop(key)
		s.hub.giveUp(w.writer, key.run)
	}
	return err
}

// missing tells a writer without session what to do. Where its epoch is still
// the run's, or the run is not known any more, nobody has taken its place (this
// hub has restarted, or it was silent for too long): ErrNoRun, claim again.
func (s *writers) missing(ctx context.Context, key sessionKey) error {
	r, err := s.hub.acquire(ctx, key.run)
	if err != nil {
		return err
	}
	defer s.hub.release(r)
	if r.position().Epoch == key.epoch {
		return runlog.ErrNoRun
	}
	return runlog.ErrFenced
}

func (s *writers) drop(key sessionKey) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.sessions[key]
	delete(s.sessions, key)
	return w
}

// release ends a session at its writer's wish. One that is not there has ended.
func (s *writers) release(ctx context.Context, key sessionKey) error {
	w := s.drop(key)
	if w == nil {
		return nil
	}
	select { // after an append that is still in progress
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-ctx.Done():
	}
	return w.writer.Close(ctx)
}

// expire forgets the sessions of writers that have been silent for too long.
// It does not close them: that would say that nobody holds the run, while all
// that is known is that nothing is heard. The run stays stale until somebody
// claims it, which a silent writer does not hinder (runlog.HoldFor).
func (s *writers) expire(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, w := range s.sessions {
		if w.silent(now, s.hub.cfg.Timing.Writer) {
			delete(s.sessions, key)
			s.hub.log.Info().Str("run", key.run).Str("owner", w.owner).Msg("remote writer silent, session dropped")
		}
	}
}

// silent says whether nothing was heard for d. Called with writers.mu held.
func (w *session) silent(now time.Time, d time.Duration) bool {
	return w.calls == 0 && now.Sub(w.last) >= d
}

// close gives up the runs of all writers that are heard, so that they can be
// claimed at another hub at once. For a silent one nobody can say that (expire).
func (s *writers) close() {
	s.mu.Lock()
	s.closed = true
	now := time.Now()
	var heard []*session
	for _, w := range s.sessions {
		if !w.silent(now, runlog.HoldFor) {
			heard = append(heard, w)
		}
	}
	s.sessions = map[sessionKey]*session{}
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, w := range heard {
		wg.Go(func() { s.hub.giveUp(w.writer, w.key.run) })
	}
	wg.Wait()
}

func (h *Hub) giveUp(w runlog.Writer, run string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(h.life), closeWait)
	defer cancel()
	if err := w.Close(ctx); err != nil && !errors.Is(err, runlog.ErrFenced) && !errors.Is(err, runlog.ErrClosed) {
		h.log.Warn().Err(err).Str("run", run).Msg("run could not be given up")
	}
}
