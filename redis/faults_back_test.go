package redis

import (
	"testing"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// saved is what a run's keys held at one time.
type saved map[string]string

func (s *stage) save() saved {
	out := saved{}
	for _, key := range s.hubs[0].names.run("run").keys[:3] {
		out[key] = s.server.Do("DUMP", key)
	}
	return out
}

// restore makes the store forget, as a replica that lagged behind does when it
// takes over.
func (s *stage) restore(old saved) {
	for key, data := range old {
		s.server.Do("RESTORE", key, 0, data, "REPLACE")
	}
}

// TestStoreWentBack: the store loses the newest events of an epoch. Nobody who
// had them sees them again, and the log gets them back.
func TestStoreWentBack(t *testing.T) {
	s := newStage(t, false)
	for range 5 {
		old := s.save()
		must(t, s.writer.append(s.ctx, 30))
		s.run(t, 2*quick.Check)
		s.restore(old)
		s.run(t, 2*quick.Check)
		must(t, s.writer.append(s.ctx, 2))
	}
	s.end(t)
	s.noReset(t)
	if s.writer.gaps != 5 {
		t.Errorf("%d gaps", s.writer.gaps)
	}
}

// TestStoreWentBackAnEpoch: the store loses a claim; followers go where the log is.
func TestStoreWentBackAnEpoch(t *testing.T) {
	s := newStage(t, true)
	before := s.writer.at.Epoch
	old := s.save()
	must(t, s.writer.claim(s.ctx))
	must(t, s.writer.append(s.ctx, 30))
	s.run(t, 2*quick.Check)
	s.restore(old)
	f, err := s.hubs[0].Follow(s.ctx, "run") // one that joins now sees the old epoch
	must(t, err)
	u, err := f.Next(s.ctx)
	must(t, err)
	if u.Reset == nil || u.Reset.Snapshot.Epoch != before {
		t.Errorf("joined with %+v", u)
	}
	must(t, f.Close())
	s.run(t, 4*quick.Check)
	must(t, s.writer.claim(s.ctx))
	s.end(t)
	for _, f := range s.followers {
		if f.Resets[runlog.ReasonEpoch] < 2 {
			t.Errorf("resets %v", f.Resets)
		}
	}
}
