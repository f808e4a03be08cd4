package hub

import (
	"context"
	"errors"
	"net"
	"os"
	"time"

	"github.com/coder/websocket"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

const (
	// perWrite is about how many bytes of one run go into one write.
	perWrite = 64 << 10
	// lastWords bounds the writing that goes on when an observer leaves, and
	// lastAnswer the wait for the client's close frame.
	lastWords  = 500 * time.Millisecond
	lastAnswer = time.Second
)

// write sends until the observer leaves, then says goodbye. What lies between
// cursors and heads goes out with one write of slices that all observers share.
func (o *observer) write() {
	stop := context.AfterFunc(o.ctx, func() { o.conn.finish(lastWords) })
	defer stop()
	beat := time.NewTicker(o.hub.cfg.Timing.Heartbeat)
	defer beat.Stop()
	o.nextPing = time.Now().Add(o.hub.cfg.Timing.Ping)
	for o.ctx.Err() == nil {
		var err error
		select {
		case <-o.poke:
			err = o.pumpAll()
		case now := <-beat.C:
			if err = o.beat(now); err == nil {
				err = o.pumpAll() // one who was slow may be current by now
			}
		case <-o.ctx.Done():
		}
		if err != nil {
			o.leave(o.writeEnd(err))
		}
	}
	o.sayGoodbye()
}

func (o *observer) writeEnd(err error) *farewell {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		o.hub.stats.Stalled.Add(1)
		if tcp, ok := o.conn.Conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // what it did not read is not worth the kernel's memory
		}
		return &farewell{code: wire.CloseTooSlow, reason: "nothing was read for too long", silent: true}
	}
	if f, ok := errors.AsType[*farewell](err); ok {
		return f
	}
	return &farewell{code: wire.CloseGoingAway, reason: "connection lost", silent: true}
}

// pumpAll pumps until everything is current or the observer leaves.
func (o *observer) pumpAll() error {
	for o.ctx.Err() == nil {
		more, err := o.pump()
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// pump sends one write: the outbox, and of each watched feed what lies between
// the cursor and the head, bounded. It says whether there is more.
func (o *observer) pump() (more bool, err error) {
	o.mu.Lock()
	vec := o.vec[:0]
	if len(o.outbox) > 0 {
		vec = append(vec, o.outbox)
		o.outbox = nil
	}
	watches := o.watches
	o.mu.Unlock()
	for _, w := range watches {
		left, err := w.gather(&vec)
		if err != nil {
			return false, err
		}
		more = more || left
	}
	o.vec = vec
	if len(vec) == 0 {
		return more, nil
	}
	err = o.sendAll(vec)
	clear(o.vec) // no reference to what others share
	o.vec = o.vec[:0]
	return more, err
}

func (o *observer) sendAll(vec net.Buffers) error {
	start := time.Now()
	err := o.conn.send(vec)
	o.hub.stats.Writes.Add(1)
	if took := time.Since(start); took > time.Second && !o.pinged.IsZero() {
		o.pinged = o.pinged.Add(took) // the peer lives: its ping waits behind our data
	}
	return err
}

// gather appends to vec what the watch is to get next. It says whether there is
// more.
func (w *watch) gather(vec *net.Buffers) (more bool, err error) {
	if w.need == "" {
		if w.catchUp != nil {
			*vec = append(*vec, w.catchUp)
			w.catchUp = nil
		}
		sent := len(*vec)
		list, p := w.feed.take(w.cursor, perWrite, !w.greeted, *vec)
		if !p.lost {
			*vec = list
			w.obs.hub.stats.Frames.Add(p.cursor - w.cursor)
			w.advance(p, vec, len(list) > sent)
			return !p.head, w.tooSlow()
		}
		w.need = p.reason
	}
	return true, w.snapshot(vec)
}

// advance moves the cursor. An observer that was slow is current again once it
// has been at the head without a further snapshot for a while, and is told so.
func (w *watch) advance(p piece, vec *net.Buffers, some bool) {
	w.cursor, w.seq = p.cursor, p.seq
	switch {
	case p.head && !w.slowed:
		w.behind = time.Time{}
	case p.head && time.Since(w.lastSlow) >= w.obs.hub.cfg.Timing.Slow/4:
		w.slowed, w.behind = false, time.Time{}
		*vec = append(*vec, w.delivery("every", 0))
	case some && w.behind.IsZero():
		w.behind = time.Now()
	}
	w.greeted = w.greeted || p.head
}

// snapshot gives the shared snapshot and goes on behind it.
func (w *watch) snapshot(vec *net.Buffers) error {
	s, err := w.feed.snapshot()
	if err != nil {
		w.obs.hub.log.Error().Err(err).Msg("snapshot cannot be encoded")
		return goodbyeFor(wire.CloseInternal, "", 5*time.Second)
	}
	reason := w.need
	if reason == runlog.ReasonSlow && w.run != nil {
		w.slowed, w.lastSlow = true, time.Now()
		w.obs.hub.stats.Slowed.Add(1)
		*vec = append(*vec, w.delivery("snapshot", s.at.Seq-w.seq))
	}
	*vec = append(*vec, s.heads[reason], s.body)
	w.need, w.cursor, w.seq, w.greeted = "", s.frame, s.at.Seq, false
	if w.behind.IsZero() {
		w.behind = time.Now()
	}
	return nil
}

// tooSlow ends the ladder: one who has not been current for so long is sent
// away with the advice to come back.
func (w *watch) tooSlow() error {
	if w.behind.IsZero() || time.Since(w.behind) < w.obs.hub.cfg.Timing.Slow {
		return nil
	}
	return goodbyeFor(wire.CloseTooSlow, "", 5*time.Second)
}

// delivery is the private message about a step of the ladder. behind is in
// events.
func (w *watch) delivery(step string, behind int64) []byte {
	return appendFrame(nil, wire.AppendStatus(nil, wire.Status{
		Run: w.run.id, Delivery: &wire.DeliveryStatus{Step: step, Behind: max(behind, 0)},
	}))
}

// beat sends the visible heartbeat, and a ping now and then.
func (o *observer) beat(now time.Time) error {
	if !o.greeted.Load() {
		return nil // welcome comes first
	}
	t := &o.hub.cfg.Timing
	if !o.pinged.IsZero() {
		switch {
		case o.pong.Load() >= o.pinged.UnixNano():
			o.pinged = time.Time{}
		case now.Sub(o.pinged) >= t.Pong:
			o.hub.stats.Silent.Add(1)
			return &farewell{code: wire.CloseGoingAway, reason: "no answer to a ping", silent: true}
		}
	}
	out := appendFrame(nil, wire.AppendHeartbeat(nil, now.UnixMilli()))
	if o.pinged.IsZero() && !now.Before(o.nextPing) {
		o.pinged, o.nextPing = now, now.Add(t.Ping)
		out = append(appendHeader(out, opPing, 1), 'r')
	}
	return o.sendAll(net.Buffers{out})
}

// sayGoodbye sends bye and a close frame, where there is still somebody to hear
// it, and ends the connection.
func (o *observer) sayGoodbye() {
	f, ok := errors.AsType[*farewell](context.Cause(o.ctx))
	if !ok {
		f = goodbye(wire.CloseInternal, "")
	}
	o.hub.closed(o, f)
	if f.silent {
		_ = o.conn.Close()
		return
	}
	o.mu.Lock()
	out := o.outbox
	o.outbox = nil
	o.mu.Unlock()
	bye, err := wire.Marshal(wire.Bye{Code: int(f.code), Reason: f.reason, RetryAfterMs: f.retry.Milliseconds()})
	if err == nil {
		out = appendFrame(out, bye)
	}
	if f.flooded {
		out = appendClose(out, f)
	}
	if o.conn.send(net.Buffers{out}) == nil {
		o.awaitClose(f)
	}
	_ = o.conn.Conn.Close()
}

// awaitClose gives the client a moment to take our last words and to close.
// Closing with unread input would reset the connection, and take them away.
func (o *observer) awaitClose(f *farewell) {
	if f.flooded {
		o.conn.drain(lastAnswer)
		return
	}
	// Close waits for the client's close frame, which reading takes.
	cut := time.AfterFunc(lastAnswer, func() { _ = o.conn.Conn.Close() })
	defer cut.Stop()
	_ = o.ws.Close(websocket.StatusCode(f.code), clipReason(f.reason))
}

func appendClose(dst []byte, f *farewell) []byte {
	reason := clipReason(f.reason)
	dst = append(appendHeader(dst, opEnd, 2+len(reason)), byte(f.code>>8), byte(f.code))
	return append(dst, reason...)
}

// clipReason cuts a reason to what fits into a close frame, not inside a
// character.
func clipReason(s string) string {
	if len(s) <= wire.MaxCloseReason {
		return s
	}
	n := wire.MaxCloseReason
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
