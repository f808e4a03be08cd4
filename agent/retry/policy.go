package retry

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ringside-hub/ringside/agent"
)

// Policy says how often and after which waits to try again. Fields that are 0
// have defaults.
type Policy struct {
	// Attempts is how many are made at most, with the first: 5 by default.
	Attempts int
	// Base is the longest first wait: 1 s by default.
	Base time.Duration
	// Max is the longest wait that is not asked for: 30 s by default.
	Max time.Duration
	// MaxAsked is the longest wait that a provider may ask for: 2 min by default.
	MaxAsked time.Duration
	// Silence is how long an attempt may stream nothing, from its beginning or
	// between two updates, until it counts as cut: 10 min by default. What the
	// listeners need for an update does not count.
	Silence time.Duration
	// Rand returns a number in [0, 1): math/rand/v2's by default. It may be
	// called concurrently.
	Rand func() float64
}

func (p Policy) withDefaults() (Policy, error) {
	if p.Attempts < 0 {
		return p, fmt.Errorf("retry: Policy.Attempts is %d: want 1 or more, or 0 for the default", p.Attempts)
	}
	if min(p.Base, p.Max, p.MaxAsked, p.Silence) < 0 {
		return p, errors.New("retry: a time of the Policy is negative")
	}
	set(&p.Attempts, 5)
	set(&p.Base, time.Second)
	set(&p.Max, 30*time.Second)
	set(&p.MaxAsked, 2*time.Minute)
	set(&p.Silence, 10*time.Minute)
	if p.Rand == nil {
		p.Rand = rand.Float64
	}
	return p, nil
}

func set[T int | time.Duration](field *T, to T) {
	if *field == 0 {
		*field = to
	}
}

// Next says whether to try again after an attempt (1 is the first) that failed
// like this, and how long to wait before. f may be nil.
func (p Policy) Next(attempt int, f *agent.Failure) (wait time.Duration, again bool) {
	p, err := p.withDefaults()
	if err != nil || f == nil || !f.Temporary || attempt >= p.Attempts || f.RetryAfter > p.MaxAsked {
		return 0, false
	}
	most := p.Base
	for range attempt - 1 {
		if most >= p.Max/2 {
			most = p.Max
			break
		}
		most *= 2
	}
	if f.RetryAfter > 0 {
		return f.RetryAfter + p.random(p.Base), true
	}
	return p.random(min(most, p.Max)), true
}

func (p Policy) random(most time.Duration) time.Duration {
	return time.Duration(p.Rand() * float64(most))
}

// Broken says that an answer failed temporarily in the middle, so that a host may
// want to drop it and let its agent continue.
func Broken(m agent.Message) bool {
	return m.StopReason == agent.StopError && m.Failure != nil && m.Failure.Temporary
}
