package hub

import (
	"context"
	"errors"
	"io"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"github.com/ringside-hub/ringside/hub/cluster"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

// followWait bounds how long a client waits for a run that the store is slow to
// give.
const followWait = 10 * time.Second

// serve is the observer's life. It returns when everything of it is gone.
func (o *observer) serve() {
	written := make(chan struct{})
	go func() {
		defer close(written)
		o.write()
	}()
	o.leave(o.read())
	<-written
	_ = o.ws.CloseNow()
	o.dropAll()
}

// read takes messages until the connection ends or the client breaks a rule.
func (o *observer) read() *farewell {
	hello := time.AfterFunc(o.hub.cfg.Timing.Hello, func() {
		o.leave(goodbye(wire.CloseNoHello, ""))
	})
	defer hello.Stop()
	for {
		data, bye := o.readMessage()
		if bye != nil {
			return bye
		}
		if !o.rate.Allow() {
			return goodbyeFor(wire.CloseLimit, "too many messages", 5*time.Second)
		}
		m, err := wire.Decode(data)
		if err != nil {
			if bye := o.refuse(err); bye != nil {
				return bye
			}
			continue
		}
		if h, ok := m.(wire.Hello); ok {
			hello.Stop()
			if bye := o.hello(h); bye != nil {
				return bye
			}
			continue
		}
		if !o.greeted.Load() {
			return goodbye(wire.CloseBadMessage, "the first message has to be hello")
		}
		o.handle(m)
	}
}

// readMessage reads one text message. Once its first byte is there, the rest
// has to follow soon.
func (o *observer) readMessage() ([]byte, *farewell) {
	kind, r, err := o.ws.Reader(o.hub.life)
	if err != nil {
		return nil, readEnd(err)
	}
	if kind != websocket.MessageText {
		return nil, goodbye(wire.CloseUnsupported, "")
	}
	late := time.AfterFunc(o.hub.cfg.Timing.Message, func() {
		o.leave(goodbye(wire.CloseBadMessage, "message did not end in time"))
	})
	defer late.Stop()
	o.buf, err = readAll(o.buf[:0], r)
	if err != nil {
		return nil, readEnd(err)
	}
	if !utf8.Valid(o.buf) {
		return nil, goodbye(wire.CloseNotUTF8, "")
	}
	data := o.buf
	if cap(o.buf) > 2*readBuffer {
		o.buf = nil // large messages are rare: their memory is not kept
	}
	return data, nil
}

// readAll appends all of r to dst. r is bounded by the connection's read limit.
func readAll(dst []byte, r io.Reader) ([]byte, error) {
	for {
		if len(dst) == cap(dst) {
			dst = append(dst, 0)[:len(dst)]
		}
		n, err := r.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		if errors.Is(err, io.EOF) {
			return dst, nil
		}
		if err != nil {
			return dst, err
		}
	}
}

// readEnd tells why reading ended. Where the client closed, the connection
// broke, or coder/websocket has answered a protocol error with its close frame,
// nothing is left to say.
func readEnd(err error) *farewell {
	if errors.Is(err, errFlood) {
		f := goodbyeFor(wire.CloseLimit, "too much input", 5*time.Second)
		f.flooded = true
		return f
	}
	if errors.Is(err, websocket.ErrMessageTooBig) {
		return &farewell{code: wire.CloseTooBig, reason: "message too big", silent: true}
	}
	if c := websocket.CloseStatus(err); c != -1 {
		return &farewell{code: wire.CloseCode(c), reason: "closed by the client", silent: true}
	}
	return &farewell{code: wire.CloseGoingAway, reason: "connection lost", silent: true}
}

// refuse answers a message that could not be decoded. Text that is not JSON
// ends the connection, and so does anything wrong before hello.
func (o *observer) refuse(err error) *farewell {
	bad, ok := errors.AsType[*wire.MessageError](err)
	if !ok {
		return goodbye(wire.CloseInternal, "")
	}
	o.hub.stats.Refused.Add(1)
	if bad.Close != 0 {
		return goodbye(bad.Close, bad.Error())
	}
	if !o.greeted.Load() {
		return goodbye(wire.CloseBadMessage, bad.Error())
	}
	o.send(bad.Reply())
	return nil
}

func (o *observer) hello(h wire.Hello) *farewell {
	if o.greeted.Load() {
		o.send(wire.Error{Re: wire.TypeHello, Code: string(wire.CodeBadMessage), Message: "hello was said already"})
		return nil
	}
	o.name = cluster.CleanName(h.Name)
	if o.name == "" {
		o.name = o.hub.anonymous()
	}
	l, t := o.hub.cfg.Limits, o.hub.cfg.Timing
	o.send(wire.Welcome{
		Observer: o.id, Role: "viewer", Node: o.hub.cfg.Node, HeartbeatMs: t.Heartbeat.Milliseconds(),
		Limits: wire.Limits{MessageBytes: int64(l.MessageBytes), Watches: int64(l.Watches)},
	})
	o.greeted.Store(true)
	return nil
}

func (o *observer) handle(m wire.ClientMessage) {
	switch m := m.(type) {
	case wire.Watch:
		o.watch(m)
	case wire.Unwatch:
		o.unwatch(m.Run)
	case wire.Check:
		if w := o.need(wire.TypeCheck, m.Run); w != nil {
			w.run.askCheck()
		}
	case wire.Look:
		if w := o.need(wire.TypeLook, m.Run); w != nil {
			o.hub.look(w.run.id, o.id, m.Target)
		}
	case wire.WatchRuns:
		o.watchRuns()
	case wire.UnwatchRuns:
		if w := o.watchingRuns(); w != nil {
			o.swap(w, nil, nil)
			return
		}
		o.fail(wire.TypeUnwatchRuns, "", wire.CodeNotWatching, "the list of runs is not watched")
	}
}

// need returns the watch that a message is about, or answers that there is none.
func (o *observer) need(re, run string) *watch {
	w := o.watching(run)
	if w == nil {
		o.fail(re, run, wire.CodeNotWatching, "run "+run+" is not watched by this connection")
	}
	return w
}

func (o *observer) fail(re, run string, code wire.Code, message string) {
	o.hub.stats.Refused.Add(1)
	o.send(wire.Error{Re: re, Run: run, Code: string(code), Message: message})
}

// watch starts to watch a run, or starts again: then without a position it is
// the client asking for a snapshot.
func (o *observer) watch(m wire.Watch) {
	old := o.watching(m.Run)
	if old == nil && o.watchCount() >= o.hub.cfg.Limits.Watches {
		o.fail(wire.TypeWatch, m.Run, wire.CodeLimit, "too many runs watched by this connection")
		return
	}
	ctx, cancel := context.WithTimeout(o.ctx, followWait)
	defer cancel()
	r, err := o.hub.acquire(ctx, m.Run)
	if err != nil {
		o.hub.stats.Refused.Add(1)
		if errors.Is(err, context.DeadlineExceeded) {
			err = runlog.ErrUnavailable
		}
		o.send(errorMessage(wire.TypeWatch, m.Run, err))
		return
	}
	w := &watch{obs: o, feed: &r.feed, run: r}
	switch {
	case m.From != nil:
		r.resume(ctx, w, *m.From)
	case old != nil:
		w.need = runlog.ReasonAsked
	default:
		w.need = runlog.ReasonJoin
	}
	again := old != nil && o.swap(old, w, nil)
	if !again { // new, or the old one was lost meanwhile
		o.swap(nil, w, nil)
		o.attend(r.id)
	}
	if again {
		o.hub.release(old.run)
	}
	if err := r.failure(); err != nil { // the run ended before it knew of w
		if o.lose(w, err) {
			o.attend(r.id)
		}
	}
}

func (o *observer) watchCount() (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, w := range o.watches {
		if w.run != nil {
			n++
		}
	}
	return n
}

func (o *observer) unwatch(run string) {
	w := o.need(wire.TypeUnwatch, run)
	if w == nil {
		return
	}
	if o.swap(w, nil, nil) {
		o.attend(run)
		o.hub.release(w.run)
	}
}

func (o *observer) watchRuns() {
	old := o.watchingRuns()
	w := &watch{obs: o, feed: &o.hub.index.feed, need: runlog.ReasonJoin}
	o.swap(old, w, nil)
}
