package hub_test

import (
	"testing"

	"github.com/ringside-hub/ringside/hub"
	"github.com/ringside-hub/ringside/hub/runlog"
)

// A hub that has never followed a run, and whose store gives it a snapshot of
// the whole run, still lets a client go on from where it was: many times over,
// since it depends on what comes first, the run or who watches it.
func TestResumeOnAColdHub(t *testing.T) {
	store := newStore(t)
	for seed := range uint64(20) {
		s := start(t, hub.Config{Store: store})
		run := "r" + string(rune('a'+seed))
		a := s.author(t, run, seed)
		for range 10 {
			must(t, a.Append(t.Context(), 4))
		}
		must(t, a.Checkpoint(t.Context()))
		from := runlog.Position{Epoch: a.At.Epoch, Seq: 5}
		p := s.connect(t, "Ada")
		p.ledger = a.Ledger
		p.expect(run, &from).view = foldTo(t, s.Store, run, from)
		got := p.watch(t, run, &from)
		p.until(t, func() bool { return got.at == a.At && got.status.Run != "" })
		if len(got.snapshots) > 0 {
			t.Fatalf("snapshots %v, want to go on from %s", got.snapshots, from)
		}
	}
}
