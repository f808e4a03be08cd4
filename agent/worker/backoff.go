package worker

import (
	"math/rand/v2"
	"time"
)

// backoff spaces out attempts: exponential, with full jitter.
type backoff struct{ attempt int }

const (
	backoffBase = 100 * time.Millisecond
	backoffMax  = 5 * time.Second
)

// next returns how long to wait before the next attempt.
func (b *backoff) next() time.Duration {
	ceiling := min(backoffBase<<min(b.attempt, 10), backoffMax)
	b.attempt++
	return backoffBase/10 + rand.N(ceiling)
}

func (b *backoff) reset() { b.attempt = 0 }
