package hub

import (
	"fmt"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

// captureLocked implements feed.capture.
func (r *run) captureLocked() func() (*snapshot, error) {
	v, at := r.view.Clone(), r.pos
	return func() (*snapshot, error) {
		body, err := v.Encode()
		if err != nil {
			return nil, fmt.Errorf("snapshot of run %s: %w", r.id, err)
		}
		r.hub.stats.Snapshots.Add(1)
		s := &snapshot{at: at, body: append(body, '}'), heads: map[runlog.Reason][]byte{}}
		for _, reason := range []runlog.Reason{
			runlog.ReasonJoin, runlog.ReasonEpoch, runlog.ReasonSlow, runlog.ReasonUnknownPosition, runlog.ReasonAsked,
		} {
			// The view is the message's last member: head and body make it whole.
			whole := wire.AppendSnapshot(nil, r.id, at, reason, nil)
			s.setHead(reason, whole[:len(whole)-1])
		}
		return s, nil
	}
}

// setHead makes the head of a message that ends with s.body.
func (s *snapshot) setHead(reason runlog.Reason, text []byte) {
	s.heads[reason] = append(appendHeader(nil, opText, len(text)+len(s.body)), text...)
}

// read returns the run's view as JSON with its position and hash, all of one
// moment.
func (r *run) read() (at runlog.Position, viewJSON []byte, hash string, err error) {
	r.mu.Lock()
	at, hash = r.pos, r.hashLocked()
	s := r.shared
	v := r.view
	if s == nil || s.at != at {
		s, v = nil, v.Clone()
	}
	r.mu.Unlock()
	if s != nil {
		return at, s.body[:len(s.body)-1], hash, nil
	}
	viewJSON, err = v.Encode()
	return at, viewJSON, hash, err
}

func (r *run) hashLocked() string {
	if r.hashed.hash == "" || r.hashed.at != r.pos {
		r.hashed = hashAt{r.pos, r.view.Hash()}
	}
	return r.hashed.hash
}

// position is what the fold has reached.
func (r *run) position() runlog.Position {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.pos
}
