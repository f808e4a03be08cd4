package main

import (
	"context"
	"time"
)

// maxGap bounds a pause between two events of a recorded session, in the
// session's own time: a night between two prompts is not played.
const maxGap = 20 * time.Second

// pacer spreads recorded events over time as they happened, faster or slower.
type pacer struct {
	speed float64
	on    bool
	// last is the time of the last event, Unix milliseconds; due is when it was
	// due here.
	last int64
	due  time.Time
}

func newPacer(speed float64, on bool) *pacer { return &pacer{speed: speed, on: on} }

// wait blocks until the event of time t is due. It returns false if ctx ended.
func (p *pacer) wait(ctx context.Context, t int64) bool {
	if !p.on {
		return true
	}
	now := time.Now()
	if p.last == 0 || p.due.Before(now.Add(-maxGap)) {
		p.due = now
	} else {
		gap := min(time.Duration(t-p.last)*time.Millisecond, maxGap)
		p.due = p.due.Add(time.Duration(float64(gap) / p.speed))
	}
	p.last = t
	d := time.Until(p.due)
	if d <= 0 {
		return ctx.Err() == nil
	}
	return pause(ctx, d)
}

// pause waits for d. It returns false if ctx ended.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
