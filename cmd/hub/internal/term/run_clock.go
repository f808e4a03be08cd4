package term

import (
	"time"

	"github.com/ringside-hub/ringside/hub/view"
)

// How far behind this machine a run may plausibly be; more means a recorded
// run, or a clock that is wrong.
const (
	plausible = 24 * time.Hour
	ahead     = 2 * time.Second
)

// runClock knows what time it is for a run. Its times are of its worker's clock,
// or of the day it was recorded, so they are compared with each other: the
// newest event was "now" when it arrived.
type runClock struct {
	offset    int64 // this machine's time minus the run's, in milliseconds
	stoppedAt int64 // 0: it runs
}

func (c *runClock) heard(t int64, now time.Time) {
	if t > 0 {
		c.offset = now.UnixMilli() - t
	}
}

// joined: the newest time of a snapshot is a bound, not an arrival.
func (c *runClock) joined(v *view.View, now time.Time) {
	newest := v.Summary().LastAt
	if v.Active != nil {
		newest = max(newest, v.Active.StartedAt)
	}
	if newest <= 0 {
		return
	}
	behind := now.UnixMilli() - newest
	c.offset = 0
	if behind < -ahead.Milliseconds() || behind > plausible.Milliseconds() {
		c.offset = behind
	}
}

// stop: what time it is for the run is not known any more.
func (c *runClock) stop(now time.Time) { c.stoppedAt = now.UnixMilli() }
func (c *runClock) run()               { c.stoppedAt = 0 }

func (c *runClock) at(now time.Time) int64 {
	ms := now.UnixMilli()
	if c.stoppedAt > 0 {
		ms = min(ms, c.stoppedAt)
	}
	return ms - c.offset
}
