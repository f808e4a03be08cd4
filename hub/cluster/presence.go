package cluster

import (
	"context"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Person is one observer of a run as the others see it.
type Person struct {
	// Observer is the id of the connection, unique over all hubs.
	Observer string
	// Name is what this person goes by (CleanName).
	Name string
	// Target is what this person looks at: a card's key or "" (CleanTarget).
	Target string
}

// State is who watches a run at one moment.
type State struct {
	// Watching counts all observers.
	Watching int64
	// People are some of them, longest there first.
	People []Person
}

// Presence knows who watches what.
type Presence interface {
	// Join says that p watches the run; joining again replaces p.
	Join(ctx context.Context, run string, p Person) error
	// Look changes a joined person's target. One who has not joined is ignored.
	Look(ctx context.Context, run, observer, target string) error
	// Leave takes a person out. One who has not joined is ignored.
	Leave(ctx context.Context, run, observer string) error
	// Follow follows a run's state, naming at most people persons.
	Follow(ctx context.Context, run string, people int) (PresenceFollower, error)
}

// PresenceFollower is one reader of one run's presence.
type PresenceFollower interface {
	// Next blocks until the state differs from what was last given (the first
	// call returns at once), and returns the newest one. Errors: ctx's own, or
	// ErrClosed.
	Next(ctx context.Context) (State, error)
	// Close ends the follower, and a Next that waits. A second call does nothing.
	Close() error
}

// ErrClosed is returned by a follower that was closed.
var ErrClosed = errors.New("presence follower closed")

// Bounds of what people say about themselves, in characters and bytes.
const (
	MaxName   = 40
	MaxTarget = 64
)

// CleanName makes a name fit to be shown to others: one line, no control,
// format (bidirectional overrides, zero-width) or unassigned characters, single
// spaces, at most MaxName characters. The result may be empty.
func CleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r) || r == utf8.RuneError:
			return -1
		}
		return r
	}, name)
	name = strings.Join(strings.Fields(name), " ")
	if utf8.RuneCountInString(name) > MaxName {
		name = strings.TrimSpace(string([]rune(name)[:MaxName]))
	}
	return name
}

// CleanTarget returns target if it can be a card's key, else "".
func CleanTarget(target string) string {
	if len(target) > MaxTarget || !utf8.ValidString(target) {
		return ""
	}
	for _, r := range target {
		if !unicode.IsGraphic(r) {
			return ""
		}
	}
	return target
}
