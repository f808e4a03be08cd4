package hub

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/time/rate"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

// observer is one WebSocket connection. It has no queue of events: per watched
// run it has a cursor into the run's log of frames, and beside those one small
// outbox of private answers.
//
// Two goroutines: read (owned by serve) takes what the client says, write sends.
type observer struct {
	// static after construction
	hub  *Hub
	id   string
	peer string // remote address, for the log
	ws   *websocket.Conn
	conn *conn
	ctx  context.Context // ends when the observer is to go; its cause is a *farewell
	end  context.CancelCauseFunc
	poke chan struct{} // tells the writer that there is something to do
	pong atomic.Int64  // when the last pong came, Unix nanoseconds
	// greeted is set by the reader once hello was said.
	greeted atomic.Bool

	// name is set by the reader before the first watch, and then stays.
	name string

	// owned by the reader
	rate *rate.Limiter // of messages
	buf  []byte

	// owned by the writer
	vec      net.Buffers
	pinged   time.Time // when the ping was sent that was not answered yet
	nextPing time.Time

	mu      sync.Mutex // guards what follows
	watches []*watch   // replaced, never changed in place
	outbox  []byte     // framed private messages
}

// watch is an observer's place in one feed.
type watch struct {
	// static after construction
	obs  *observer
	feed *feed
	run  *run // nil for the list of runs

	// owned by the writer once the watch is among obs.watches
	cursor int64
	seq    int64         // the run's seq at cursor
	need   runlog.Reason // why a snapshot is needed first, or ""
	// catchUp is what was left of a batch that the client had seen in part.
	catchUp []byte
	greeted bool // it has been told the state beside the log
	// The ladder: slowed from a snapshot for slowness on, until it keeps up again;
	// behind is since when it has not been current.
	slowed   bool
	lastSlow time.Time
	behind   time.Time
}

// farewell is why an observer goes.
type farewell struct {
	code   wire.CloseCode
	reason string
	retry  time.Duration
	// silent is set where the connection has ended already, or coder/websocket
	// has sent the close frame: there is nobody to say goodbye to.
	silent bool
	// flooded is set where the client sent so much that its frames are not read
	// any more.
	flooded bool
}

func (f *farewell) Error() string { return fmt.Sprintf("%s: %s", f.code, f.reason) }

func goodbye(code wire.CloseCode, reason string) *farewell {
	if reason == "" {
		reason = code.Describe().Reason
	}
	return &farewell{code: code, reason: reason}
}

// goodbyeFor also says when to come back: some time around d, so that not all
// come at once.
func goodbyeFor(code wire.CloseCode, reason string, d time.Duration) *farewell {
	f := goodbye(code, reason)
	f.retry = d/2 + rand.N(d)
	return f
}

// wake has the writer look for something to send. It never blocks.
func (o *observer) wake() {
	select {
	case o.poke <- struct{}{}:
	default:
	}
}

// leave makes the observer go; the first reason counts. It does not wait.
func (o *observer) leave(f *farewell) { o.end(f) }

// send puts a private message into the outbox.
func (o *observer) send(m wire.HubMessage) {
	data, err := wire.Marshal(m)
	if err != nil {
		o.hub.log.Error().Err(err).Msg("message cannot be encoded")
		return
	}
	o.mu.Lock()
	full := !o.queueLocked(data)
	o.mu.Unlock()
	if full {
		o.overflow()
		return
	}
	o.wake()
}

// queueLocked frames a message into the outbox; false if that is full.
func (o *observer) queueLocked(data []byte) bool {
	if len(o.outbox)+len(data) > o.hub.cfg.Limits.OutboxBytes {
		return false
	}
	o.outbox = appendFrame(o.outbox, data)
	return true
}

func (o *observer) overflow() {
	o.leave(goodbyeFor(wire.CloseTooSlow, "answers are not being read", 2*time.Second))
}

// watching returns the watch of a run, or nil.
func (o *observer) watching(run string) *watch {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, w := range o.watches {
		if w.run != nil && w.run.id == run {
			return w
		}
	}
	return nil
}

func (o *observer) watchingRuns() *watch {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, w := range o.watches {
		if w.run == nil {
			return w
		}
	}
	return nil
}

// swap puts w in the place of old; either may be nil. It is false if old is not
// there (any more).
func (o *observer) swap(old, w *watch, answer []byte) bool {
	if w != nil {
		w.feed.join(w)
	}
	o.mu.Lock()
	list := slices.Clone(o.watches)
	if i := slices.Index(list, old); i >= 0 {
		list = slices.Delete(list, i, i+1)
	} else if old != nil {
		o.mu.Unlock()
		if w != nil {
			w.feed.leave(w)
		}
		return false
	}
	if w != nil {
		list = append(list, w)
	}
	o.watches = list
	full := len(answer) > 0 && !o.queueLocked(answer)
	o.mu.Unlock()
	if old != nil {
		old.feed.leave(old)
	}
	if full {
		o.overflow()
	}
	o.wake()
	return true
}

// lose ends a watch whose run is gone, and says so. It is false if the watch has
// ended already; else the caller calls attend.
func (o *observer) lose(w *watch, err error) bool {
	answer, encodeErr := wire.Marshal(errorMessage(wire.TypeWatch, w.run.id, err))
	if encodeErr != nil {
		answer = nil
	}
	lost := o.swap(w, nil, answer)
	if lost {
		o.hub.release(w.run)
	}
	return lost
}

// dropAll ends all watches; called once, when the observer has gone.
func (o *observer) dropAll() {
	o.mu.Lock()
	list := o.watches
	o.watches = nil
	o.mu.Unlock()
	for _, w := range list {
		w.feed.leave(w)
		if w.run != nil {
			o.attend(w.run.id)
			o.hub.release(w.run)
		}
	}
}
