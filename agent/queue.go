package agent

import "slices"

// messageQueue holds messages that wait to be delivered.
type messageQueue struct {
	mode     QueueMode
	messages []Message
}

// take removes and returns the next messages, as many as the mode says.
func (q *messageQueue) take() []Message {
	n := len(q.messages)
	if q.mode != AllAtOnce {
		n = min(n, 1)
	}
	taken := q.messages[:n:n]
	q.messages = q.messages[n:]
	return taken
}

// Steer queues messages for the running work: they are delivered after the
// current turn and its tools. When idle, they wait for the next prompt.
func (a *Agent) Steer(messages ...Message) { a.enqueue(&a.steering, messages) }

// FollowUp queues messages for when the run would otherwise stop.
func (a *Agent) FollowUp(messages ...Message) { a.enqueue(&a.followUps, messages) }

// ClearQueues forgets all queued messages.
func (a *Agent) ClearQueues() {
	a.changeQueues(func() bool {
		a.steering.messages, a.followUps.messages = nil, nil
		return true
	})
}

func (a *Agent) enqueue(q *messageQueue, messages []Message) {
	messages = slices.Clone(messages)
	for i := range messages {
		if messages[i].Timestamp == 0 {
			messages[i].Timestamp = a.opts.Clock().UnixMilli()
		}
	}
	a.changeQueues(func() bool {
		q.messages = append(slices.Clip(q.messages), messages...)
		return len(messages) > 0
	})
}

func (a *Agent) take(q *messageQueue) (taken []Message) {
	a.changeQueues(func() bool {
		taken = q.take()
		return len(taken) > 0
	})
	return taken
}

// changeQueues calls change under mu, and tells the observer if it says that
// something changed.
func (a *Agent) changeQueues(change func() bool) {
	a.order.Lock()
	defer a.order.Unlock()
	a.mu.Lock()
	changed := change() && a.opts.Observe != nil
	var ev QueueUpdate
	if changed {
		ev = QueueUpdate{Steering: texts(a.steering.messages), FollowUp: texts(a.followUps.messages)}
	}
	a.mu.Unlock()
	if changed {
		a.observe(ev)
	}
}

func texts(messages []Message) []string {
	list := make([]string, len(messages))
	for i, m := range messages {
		list[i] = m.Text()
	}
	return list
}
