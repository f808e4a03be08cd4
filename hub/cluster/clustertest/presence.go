// Package clustertest checks the contracts of package cluster on any
// implementation.
package clustertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/hub/cluster"
)

// patience bounds waiting for a state that has to come.
const patience = 10 * time.Second

// TestPresence checks a Presence. open returns an empty one; it is called once
// per case.
func TestPresence(t *testing.T, open func(t *testing.T) cluster.Presence) {
	for name, check := range map[string]func(*testing.T, cluster.Presence){
		"first state comes at once": firstState,
		"changes":                   changes,
		"bounded":                   bounded,
		"runs are apart":            apart,
		"strangers are ignored":     strangers,
		"close ends Next":           closing,
	} {
		t.Run(name, func(t *testing.T) { check(t, open(t)) })
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func follow(t *testing.T, p cluster.Presence, run string, people int) cluster.PresenceFollower {
	t.Helper()
	f, err := p.Follow(t.Context(), run, people)
	must(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// until reads states until one is as wanted: states in between may be left out.
func until(t *testing.T, f cluster.PresenceFollower, want cluster.State) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var last cluster.State
	for {
		s, err := f.Next(ctx)
		if err != nil {
			t.Fatalf("%v; the last state was %+v, want %+v", err, last, want)
		}
		if last = s; s.Watching == want.Watching && slices.Equal(s.People, want.People) {
			return
		}
	}
}

func firstState(t *testing.T, p cluster.Presence) {
	until(t, follow(t, p, "r1", 10), cluster.State{})
	must(t, p.Join(t.Context(), "r1", cluster.Person{Observer: "a", Name: "Ada"}))
	until(t, follow(t, p, "r1", 10), cluster.State{Watching: 1, People: []cluster.Person{{Observer: "a", Name: "Ada"}}})
}

func changes(t *testing.T, p cluster.Presence) {
	f, ctx := follow(t, p, "r1", 10), t.Context()
	ada, bob := cluster.Person{Observer: "a", Name: "Ada"}, cluster.Person{Observer: "b", Name: "Bob"}
	must(t, p.Join(ctx, "r1", ada))
	must(t, p.Join(ctx, "r1", bob))
	until(t, f, cluster.State{Watching: 2, People: []cluster.Person{ada, bob}})
	must(t, p.Look(ctx, "r1", "a", "c1"))
	ada.Target = "c1"
	until(t, f, cluster.State{Watching: 2, People: []cluster.Person{ada, bob}})
	bob.Name = "Robert"
	must(t, p.Join(ctx, "r1", bob))
	until(t, f, cluster.State{Watching: 2, People: []cluster.Person{ada, bob}})
	must(t, p.Leave(ctx, "r1", "a"))
	must(t, p.Leave(ctx, "r1", "a"))
	until(t, f, cluster.State{Watching: 1, People: []cluster.Person{bob}})
}

func bounded(t *testing.T, p cluster.Presence) {
	f := follow(t, p, "r1", 3)
	var first []cluster.Person
	for i := range 20 {
		person := cluster.Person{Observer: fmt.Sprintf("o%02d", i)}
		must(t, p.Join(t.Context(), "r1", person))
		if i < 3 {
			first = append(first, person)
		}
	}
	until(t, f, cluster.State{Watching: 20, People: first})
}

func apart(t *testing.T, p cluster.Presence) {
	f := follow(t, p, "r1", 3)
	must(t, p.Join(t.Context(), "r2", cluster.Person{Observer: "b"}))
	must(t, p.Join(t.Context(), "r1", cluster.Person{Observer: "a"}))
	until(t, f, cluster.State{Watching: 1, People: []cluster.Person{{Observer: "a"}}})
}

func strangers(t *testing.T, p cluster.Presence) {
	must(t, p.Look(t.Context(), "r1", "nobody", "c1"))
	must(t, p.Leave(t.Context(), "r1", "nobody"))
	until(t, follow(t, p, "r1", 3), cluster.State{})
}

func closing(t *testing.T, p cluster.Presence) {
	f := follow(t, p, "r1", 3)
	until(t, f, cluster.State{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("Next with a cancelled context: %v", err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := f.Next(context.WithoutCancel(t.Context()))
		ended <- err
	}()
	must(t, f.Close())
	must(t, f.Close())
	if err := <-ended; !errors.Is(err, cluster.ErrClosed) {
		t.Fatalf("Next of a closed follower: %v", err)
	}
}
