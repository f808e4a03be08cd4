package wire

import (
	"math/rand/v2"
	"time"
)

// Backoff spreads repeated attempts: the n-th waits a random time up to
// Min·2ⁿ, at most Max ("full jitter": many clients that lost one hub do not
// come back together). Not safe for concurrent use.
type Backoff struct {
	// Min and Max bound the waits' upper ends. Absent: 250 ms and 15 s.
	Min, Max time.Duration
	// Rand gives numbers from 0 to 1. Absent: math/rand/v2's.
	Rand func() float64

	attempt int
}

// Next returns how long to wait before the next attempt. least is what the
// other side asked for; the random part comes on top.
func (b *Backoff) Next(least time.Duration) time.Duration {
	lo, hi := orDefault(b.Min, 250*time.Millisecond), orDefault(b.Max, 15*time.Second)
	top := hi
	if b.attempt < 30 && lo<<b.attempt < hi {
		top = lo << b.attempt
		b.attempt++
	}
	random := b.Rand
	if random == nil {
		random = rand.Float64
	}
	return least + time.Duration(random()*float64(top))
}

// Reset starts over after a success.
func (b *Backoff) Reset() { b.attempt = 0 }
