package redis

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// newTestFeed is a feed without a store behind it, at (1, "a", 10).
func newTestFeed() *feed {
	f := newFeed(&Store{cfg: Config{}.withDefaults(), log: zerolog.Nop(), names: names{"rs"}}, "run")
	f.followers[&follower{feed: f}] = struct{}{} // one that has read nothing yet
	f.handle("R 1 a 10")
	return f
}

// live is a published batch of n events.
func live(term int, epoch string, first, n int) string {
	events := make([][]byte, n)
	for i := range events {
		events[i] = []byte("{}")
	}
	return fmt.Sprintf("E %d %s %d %d\n%s", term, epoch, first, n, appendFrames(nil, events))
}

// shape is the head and the buffered range of a feed.
func shape(f *feed) string {
	s := fmt.Sprintf("%d %s %d", f.head.term, f.head.epoch, f.head.seq)
	if len(f.ring) > 0 {
		s += fmt.Sprintf(" [%d-%d]", f.ring[0].first(), f.ring[len(f.ring)-1].last())
	}
	return s
}

func TestFeedMessages(t *testing.T) {
	for _, c := range []struct {
		name     string
		messages []string
		want     string
	}{
		{"in order", []string{live(1, "a", 11, 2), live(1, "a", 13, 1)}, "1 a 13 [11-13]"},
		{"twice", []string{live(1, "a", 11, 2), live(1, "a", 11, 2)}, "1 a 12 [11-12]"},
		{"overlap", []string{live(1, "a", 11, 2), live(1, "a", 12, 3)}, "1 a 14 [11-14]"},
		{"a gap", []string{live(1, "a", 11, 2), live(1, "a", 14, 1)}, "1 a 14 [14-14]"},
		{"too large to publish", []string{live(1, "a", 11, 2), "N 1 a 20", live(1, "a", 21, 1)}, "1 a 21 [21-21]"},
		{"a beat tells of lost events", []string{live(1, "a", 11, 2), "B 1 a 15 0 me"}, "1 a 15"},
		{"a beat that tells nothing new", []string{live(1, "a", 11, 2), "B 1 a 12 0 me"}, "1 a 12 [11-12]"},
		{"a new epoch", []string{live(1, "a", 11, 2), "R 2 b 12", live(2, "b", 13, 1)}, "2 b 13 [13-13]"},
		{"a new epoch whose start was lost", []string{live(1, "a", 11, 2), live(2, "b", 14, 1)}, "2 b 14 [14-14]"},
		{"late ones of an old epoch", []string{"R 2 b 12", live(1, "a", 11, 9), "B 1 a 30 1 me"}, "2 b 12"},
		{"garbage", []string{live(1, "a", 11, 2), "E 1 a 13 9\nx", ""}, "1 a 12 [11-12]"},
	} {
		f := newTestFeed()
		for _, m := range c.messages {
			f.handle(m)
		}
		if got := shape(f); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func stored(term int64, epoch string, seq int64) status {
	return status{head: head{term, epoch, seq}, held: true, hb: 1}
}

// TestFeedChecks: what checks find, with and without certainty.
func TestFeedChecks(t *testing.T) {
	type check struct {
		st    status
		known bool
		sure  bool
	}
	for _, c := range []struct {
		name   string
		checks []check
		want   string
	}{
		{"nothing new", []check{{stored(1, "a", 10), true, true}}, "1 a 10"},
		{"the newest may be on its way", []check{{stored(1, "a", 12), true, false}}, "1 a 10"},
		{"the newest was lost", []check{{stored(1, "a", 12), true, false}, {stored(1, "a", 12), true, false}}, "1 a 12"},
		{"after a new connection", []check{{stored(1, "a", 12), true, true}}, "1 a 12"},
		{"a newer epoch", []check{{stored(2, "b", 12), true, false}}, "2 b 12"},
		{"the store lost the newest events", []check{{stored(1, "a", 5), true, true}, {stored(1, "a", 5), true, false}}, "1 a 10"},
		{"an older epoch, perhaps late", []check{{stored(0, "z", 5), true, false}}, "1 a 10"},
		{"the store lost the epoch", []check{{stored(0, "z", 5), true, false}, {stored(0, "z", 5), true, false}}, "0 z 5"},
		{"an empty store", []check{{status{}, false, true}, {status{}, false, false}}, "1 a 10"},
	} {
		f := newTestFeed()
		for _, k := range c.checks {
			f.check(k.st, k.known, f.version, k.sure)
		}
		if got := shape(f); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestFeedCheckIsOlder: what was read before a live message came does not undo it.
func TestFeedCheckIsOlder(t *testing.T) {
	f := newTestFeed()
	version := f.version
	f.handle("R 2 b 12")
	f.handle("B 2 b 12 1 them")
	for range 3 {
		f.check(stored(1, "a", 10), true, version, true)
	}
	f.learn(stored(1, "a", 10), version)
	if got := shape(f); got != "2 b 12" || !f.released || f.owner != "them" {
		t.Errorf("%s, released %v by %s", got, f.released, f.owner)
	}
}

func TestFeedBeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newTestFeed()
		st := stored(1, "a", 10)
		f.check(st, true, f.version, false)
		beat := f.beat
		time.Sleep(5 * time.Second)
		f.check(st, true, f.version, false)
		if f.beat != beat || time.Since(f.heard) != 5*time.Second {
			t.Errorf("a silent writer was heard %s ago", time.Since(f.heard))
		}
		st.hb = 2 // its message was lost
		f.check(st, true, f.version, false)
		if f.beat != beat+1 || time.Since(f.heard) != 0 {
			t.Error("a lost sign of life was not found")
		}
		st.held = false
		f.check(st, true, f.version, false)
		if f.beat != beat+2 || !f.released {
			t.Error("a lost release was not found")
		}
	})
}

// TestFeedGone: a run that the store does not have any more ends, later; not
// while the store is away, and not if it comes back.
func TestFeedGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newTestFeed()
		missing := func() { f.check(status{}, false, f.version, false) }
		removed := f.store.cfg.Timeouts.Removed
		missing()
		time.Sleep(removed - time.Second)
		missing()
		f.check(stored(3, "c", 2), true, f.version, false)
		time.Sleep(2 * time.Second)
		missing()
		if f.gone {
			t.Error("gone though it came back")
		}
		f.setLinked(false)
		time.Sleep(removed)
		f.setLinked(true)
		missing()
		if f.gone {
			t.Error("gone though the store was away")
		}
		time.Sleep(removed)
		missing()
		if !f.gone {
			t.Error("not gone")
		}
	})
}
