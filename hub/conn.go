package hub

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// conn is the one way to an observer's socket. coder/websocket holds it as its
// connection and does handshake, reads and control frames over it; data frames
// are written to it ready-made, past coder. The contract between the two:
//
//   - Data goes out only through send, in whole frames. Only one goroutine, the
//     observer's writer, calls send.
//   - coder never writes data here (nobody calls its Write), so each Write that
//     arrives is one whole control frame of at most 127 bytes: coder flushes per
//     frame, and the buffer that hijacker hands to it holds a whole one.
//   - A control frame goes out at once if nobody is writing; otherwise it waits
//     in pending and goes out at the next frame boundary. Write never waits for a
//     data frame, so a slow peer's pings do not run into coder's own timeouts.
//     pending is bounded; what does not fit is dropped, as RFC 6455 allows for
//     pongs.
//   - After a close frame nothing else is sent.
//   - A frame that could not be written whole breaks the connection: nothing
//     more is written, and it ends without a close frame.
//
// The slot taken by write and data is held across I/O on purpose: it is what
// keeps frames apart. Whoever holds it is bounded by a deadline.
type conn struct {
	net.Conn
	// stall is how long a write may make no progress at all.
	stall time.Duration
	// inbound bounds what the peer sends, of any kind.
	inbound *rate.Limiter

	slot chan struct{} // holds a token while somebody writes
	out  net.Buffers   // what is being sent; owned by who holds the slot

	mu        sync.Mutex // guards what follows
	pending   []byte     // control frames, or what is left of one
	closeSent bool
	broken    bool
	deadline  time.Time // set once the observer is closing: nothing may take longer
}

const (
	maxPending = 1 << 10
	// controlWait is how long a control frame may wait for a full socket before
	// it is left to the next data write.
	controlWait = 100 * time.Millisecond
)

var (
	errFlood     = errors.New("too much input")
	errCloseSent = errors.New("close frame already sent")
)

func newConn(c net.Conn, stall time.Duration, inbound *rate.Limiter) *conn {
	return &conn{Conn: c, stall: stall, inbound: inbound, slot: make(chan struct{}, 1)}
}

// Read is coder's. It fails once the peer sends more than it may.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && !c.inbound.AllowN(time.Now(), n) {
		return 0, errFlood
	}
	return n, err
}

// Write is coder's: p is one whole control frame.
func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	if c.broken || c.closeSent {
		c.mu.Unlock()
		return 0, net.ErrClosed
	}
	isClose := len(p) > 0 && p[0]&opMask == opEnd
	if isClose || len(c.pending)+len(p) <= maxPending {
		c.pending = append(c.pending, p...)
	}
	c.closeSent = isClose
	c.mu.Unlock()
	wait := controlWait
	if isClose {
		wait = lastWords // nobody sends anything after it, so nobody else would send it
	}
	c.flush(wait)
	return len(p), nil
}

// Close sends what is pending, if nobody is in the middle of a frame, and
// closes the socket.
func (c *conn) Close() error {
	c.flush(controlWait)
	return c.Conn.Close()
}

// send writes whole frames and the control frames that wait. It blocks until
// all is handed to the kernel; it fails if no byte moved for the stall time.
func (c *conn) send(frames net.Buffers) error {
	c.slot <- struct{}{}
	err := c.sendPending(c.stall)
	if err == nil {
		c.out = frames
		err = c.push(&c.out, c.stall)
		c.out = nil
	}
	<-c.slot
	c.flush(controlWait)
	return err
}

func (c *conn) push(frames *net.Buffers, stall time.Duration) error {
	c.mu.Lock()
	switch {
	case c.broken:
		c.mu.Unlock()
		return net.ErrClosed
	case c.closeSent:
		c.mu.Unlock()
		return errCloseSent
	}
	c.mu.Unlock()
	for len(*frames) > 0 {
		c.limit(stall)
		n, err := c.writeSome(frames)
		if err == nil || n > 0 && errors.Is(err, os.ErrDeadlineExceeded) && !c.closing() {
			continue // the peer is slow, not dead
		}
		c.mu.Lock()
		c.broken = true
		c.mu.Unlock()
		return err
	}
	return nil
}

// writeSome writes frames, in the usual case of one piece without the cost of
// gathering, and takes off what was written.
func (c *conn) writeSome(frames *net.Buffers) (int64, error) {
	if len(*frames) > 1 {
		return frames.WriteTo(c.Conn)
	}
	n, err := c.Conn.Write((*frames)[0])
	if (*frames)[0] = (*frames)[0][n:]; len((*frames)[0]) == 0 {
		*frames = nil
	}
	return int64(n), err
}

// flush sends pending control frames unless somebody else is writing, who will
// do it then.
func (c *conn) flush(wait time.Duration) {
	for c.hasPending() {
		select {
		case c.slot <- struct{}{}:
		default:
			return
		}
		err := c.sendPending(wait)
		<-c.slot
		if err != nil {
			return
		}
	}
}

// sendPending is called with the slot held.
func (c *conn) sendPending(wait time.Duration) error {
	c.mu.Lock()
	out := c.pending
	c.pending = nil
	c.mu.Unlock()
	if len(out) == 0 {
		return nil
	}
	c.limit(wait)
	n, err := c.Conn.Write(out)
	if err != nil {
		c.mu.Lock()
		c.pending = append(out[n:len(out):len(out)], c.pending...)
		c.mu.Unlock()
	}
	return err
}

func (c *conn) hasPending() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending) > 0
}

func (c *conn) closing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.deadline.IsZero()
}

// limit sets the deadline of the next write.
func (c *conn) limit(wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := time.Now().Add(wait)
	if !c.deadline.IsZero() && c.deadline.Before(at) {
		at = c.deadline
	}
	_ = c.SetWriteDeadline(at) // fails only on a closed socket, as will the write
}

// finish gives all further writing, the one in progress included, only grace
// more time.
func (c *conn) finish(grace time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.deadline.IsZero() {
		c.deadline = time.Now().Add(grace)
		_ = c.SetWriteDeadline(c.deadline)
	}
}

// maxDrain bounds what is read for nothing from one who sends too much.
const maxDrain = 1 << 20

// drain ends our side and reads on, for nothing, until the peer ends too.
func (c *conn) drain(wait time.Duration) {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_ = c.SetReadDeadline(time.Now().Add(wait))
	_, _ = io.CopyN(io.Discard, c.Conn, maxDrain)
}
