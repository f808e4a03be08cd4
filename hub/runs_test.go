package hub_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringside-hub/ringside/hub"
	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/hub/wire"
)

// runsSeen folds `runs` messages.
type runsSeen struct {
	full  int
	runs  map[string]string // id → title
	stats []wire.Stats
}

func (r *runsSeen) take(m wire.HubMessage) {
	switch m := m.(type) {
	case wire.Runs:
		if m.Full {
			r.full++
			r.runs = map[string]string{}
		}
		for _, s := range m.Runs {
			r.runs[s.Run] = s.Title
		}
		for _, id := range m.Gone {
			delete(r.runs, id)
		}
	case wire.Stats:
		r.stats = append(r.stats, m)
	}
}

func TestWatchRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startPiped(t, hub.Config{Node: "node-1"})
		a := s.author(t, "a", 60)
		p := s.connect(t, "")
		must(t, p.say(t.Context(), wire.WatchRuns{}))
		got := &runsSeen{}
		until := func(what string, done func() bool) {
			t.Helper()
			for began := time.Now(); !done(); {
				m, err := p.next(t.Context())
				must(t, err)
				got.take(m)
				if time.Since(began) > time.Minute {
					t.Fatalf("%s: still %+v", what, got)
				}
			}
		}
		until("full list", func() bool { _, ok := got.runs["a"]; return ok && got.full == 1 })
		s.author(t, "b", 61)
		must(t, a.Writer.Heartbeat(t.Context(), view.Summary{Title: "First"}))
		until("changes", func() bool { _, ok := got.runs["b"]; return ok && got.runs["a"] == "First" })
		until("figures", func() bool { return len(got.stats) >= 2 })
		f := got.stats[len(got.stats)-1]
		if f.Node != "node-1" || f.Observers != 1 || f.UptimeMs <= 0 || f.MemoryBytes <= 0 {
			t.Errorf("figures %+v", f)
		}
		if d := f.T - got.stats[len(got.stats)-2].T; d != 1000 {
			t.Errorf("figures after %d ms", d)
		}
		if got.full != 1 {
			t.Errorf("%d full lists", got.full)
		}
		must(t, p.say(t.Context(), wire.UnwatchRuns{}))
		must(t, p.say(t.Context(), wire.UnwatchRuns{}))
		until("answer", func() bool {
			m, err := p.next(t.Context())
			must(t, err)
			e, ok := m.(wire.Error)
			return ok && e.Code == string(wire.CodeNotWatching)
		})
		_ = p.ws.CloseNow()
		must(t, s.stop())
	})
}

func TestPresence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startPiped(t, hub.Config{Limits: hub.Limits{People: 3}})
		s.author(t, "r1", 62)
		ada := s.connect(t, "  Ada <b>\u202e  Lovelace ")
		seen := ada.watch(t, "r1", nil)
		ada.until(t, func() bool { return seen.presence.Watching == 1 })
		if got := seen.presence.People[0]; got.Name != "Ada <b> Lovelace" || got.Observer != ada.welcome.Observer {
			t.Fatalf("%+v", got)
		}
		var others []*peer
		for range 4 {
			p := s.connect(t, "")
			p.watch(t, "r1", nil)
			others = append(others, p)
			go func() { // it has to be read: a pipe keeps nothing
				for {
					if _, err := p.next(t.Context()); err != nil {
						return
					}
				}
			}()
		}
		began, messages := time.Now(), 0
		ada.until(t, func() bool { messages++; return seen.presence.Watching == 5 })
		if took := time.Since(began); took > 2*time.Second || messages > 4 {
			t.Errorf("told after %s in %d messages", took, messages)
		}
		if n := len(seen.presence.People); n != 3 {
			t.Errorf("%d people named", n)
		}
		if name := seen.presence.People[1].Name; !strings.HasPrefix(name, "Viewer ") {
			t.Errorf("anonymous is %q", name)
		}
		must(t, ada.say(t.Context(), wire.Look{Run: "r1", Target: "c7"}))
		ada.until(t, func() bool { return seen.presence.People[0].Target == "c7" })
		for _, p := range others {
			_ = p.ws.CloseNow()
		}
		ada.until(t, func() bool { return seen.presence.Watching == 1 })
		_ = ada.ws.CloseNow()
		must(t, s.stop())
	})
}

// A run is followed once, however many watch it, and let go of half a minute
// after the last one left.
func TestFollowedOnceAndLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startPiped(t, hub.Config{Timing: hub.Timing{Heartbeat: time.Hour, Lost: -1}})
		a := s.author(t, "r1", 63)
		must(t, a.Append(t.Context(), 20))
		var peers []*peer
		for i := range 20 {
			p := s.connect(t, fmt.Sprint(i))
			p.watch(t, "r1", nil)
			p.same(t, a)
			peers = append(peers, p)
		}
		if n := s.Stats().Follows.Load(); n != 1 {
			t.Errorf("followed %d times", n)
		}
		if n := s.Stats().Snapshots.Load(); n != 1 {
			t.Errorf("%d snapshots encoded", n)
		}
		for _, p := range peers {
			_ = p.ws.CloseNow()
		}
		time.Sleep(20 * time.Second)
		back := s.connect(t, "")
		back.watch(t, "r1", nil)
		back.same(t, a)
		_ = back.ws.CloseNow()
		if n := s.Stats().Follows.Load(); n != 1 {
			t.Errorf("followed again before the time: %d", n)
		}
		time.Sleep(40 * time.Second)
		last := s.connect(t, "")
		last.watch(t, "r1", nil)
		last.same(t, a)
		_ = last.ws.CloseNow()
		if n := s.Stats().Follows.Load(); n != 2 {
			t.Errorf("not let go of: followed %d times", n)
		}
		must(t, s.stop())
	})
}
