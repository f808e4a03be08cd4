package agent

import "sync"

// maxUndelivered bounds the updates of one call that wait for listeners; a tool
// that reports more waits itself.
const maxUndelivered = 256

// updates takes the updates of one execution and hands them to the listeners in
// order, without holding up the tool.
type updates struct {
	loop *loop      // static
	call ToolCall   // static
	more *sync.Cond // of mu: something below changed

	mu         sync.Mutex
	settled    bool // Execute has returned
	waiting    []Event
	delivering bool // a goroutine of the tracker takes from waiting
	err        error
}

func newUpdates(l *loop, c ToolCall) *updates {
	u := &updates{loop: l, call: c}
	u.more = sync.NewCond(&u.mu)
	return u
}

// report is what a tool knows as onUpdate.
func (u *updates) report(partial ToolResult) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for !u.settled && len(u.waiting) >= maxUndelivered {
		u.more.Wait()
	}
	if u.settled {
		return
	}
	ev := ToolExecutionUpdate{ToolCallID: u.call.ID, ToolName: u.call.Name, Args: u.call.Arguments, Partial: partial}
	if err := u.loop.sink.publish(ev); err != nil {
		u.err = err
		return
	}
	if !u.loop.sink.awaited() {
		return
	}
	u.waiting = append(u.waiting, ev)
	if !u.delivering {
		u.delivering = true
		u.loop.tracker.start(task{"listener of tool", u.call.Name, u.call.ID}, u.deliver)
	}
}

// deliver hands out what waits, until nothing does. One that fails does not
// keep the others from being delivered.
func (u *updates) deliver() {
	u.mu.Lock()
	defer u.mu.Unlock()
	err := errGone
	defer func() { u.delivered(err) }()
	for len(u.waiting) > 0 {
		ev := u.waiting[0]
		u.waiting = u.waiting[1:]
		u.more.Broadcast()
		if err := u.handOut(ev); err != nil && u.err == nil {
			u.err = err
		}
	}
	err = nil
}

func (u *updates) delivered(err error) {
	u.delivering = false
	if u.err == nil {
		u.err = err
	}
	u.more.Broadcast()
}

// handOut waits for the listeners of one update with mu unlocked.
func (u *updates) handOut(ev Event) error {
	u.mu.Unlock()
	defer u.mu.Lock()
	return u.loop.sink.deliver(ev)
}

// settle ends the time of updates. It returns when those made are delivered,
// with the first failure.
func (u *updates) settle() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.settled = true
	u.more.Broadcast()
	for u.delivering {
		u.more.Wait()
	}
	return u.err
}
