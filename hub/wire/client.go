package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// ClientConfig says who connects.
type ClientConfig struct {
	// Name is what others see; Program is this program and its version. At most
	// 80 characters each, none of them control characters.
	Name, Program string
	// Token is sent as a Bearer token; Ticket is a one-time ticket. Absent: none.
	Token, Ticket string
	// HTTPClient makes the handshake. Absent: one of its own.
	HTTPClient *http.Client
	// Logger takes what happens to the connection. Its zero value writes nothing.
	Logger zerolog.Logger
	// Timeout bounds the handshake with its welcome, and every write. Absent: 10 s.
	Timeout time.Duration
	// Raw is shown the bytes of every message, the welcome too, before it is
	// decoded, by whoever calls Next. It must neither keep nor change them.
	Raw func(data []byte)
}

// Client is one WebSocket connection to a hub. Next and NextRaw are called by
// one goroutine at a time; everything else may run beside them.
type Client struct {
	// static after construction
	conn    *websocket.Conn
	log     zerolog.Logger
	timeout time.Duration
	raw     func([]byte)  // may be nil
	silence time.Duration // without any byte for so long, the link is dead
	welcome Welcome

	closing atomic.Bool
	close   func() error // idempotent

	// owned by Next
	buf bytes.Buffer
	bye *Bye
}

const (
	// An unlikely heartbeat is not believed: silence is 2.5 heartbeats within
	// these bounds.
	minSilence = time.Second
	maxSilence = 5 * time.Minute
	// keptBuffer is the most memory that is kept from message to message.
	keptBuffer = 256 << 10
)

// ErrClientClosed is what Next returns after Close.
var ErrClientClosed = errors.New("client closed")

// errSilent ends a read of a dead link.
var errSilent = errors.New("nothing was heard for too long")

// CloseError says how a connection ended.
type CloseError struct {
	// Code is the hub's, or CloseLost where the connection broke.
	Code   CloseCode
	Reason string
	// RetryAfter is when the hub wants to see the client again; 0: not said.
	RetryAfter time.Duration
	// Err is the cause where the connection broke.
	Err error
}

func (e *CloseError) Error() string {
	s := "connection ended: " + e.Code.String()
	if e.Reason != "" {
		s += ": " + e.Reason
	}
	if e.Err != nil {
		s += ": " + clip(e.Err.Error(), maxErrorText)
	}
	return s
}

func (e *CloseError) Unwrap() error { return e.Err }

// Reconnect says whether to connect again without being told to.
func (e *CloseError) Reconnect() bool { return e.Code.Reconnect() }

// Dial connects to a hub: http, https, ws or wss, with or without /ws at the
// end. It returns when the hub has said welcome. A refused handshake gives
// *APIError (runlog.ErrDenied around it for 401 and 403, runlog.ErrUnavailable
// for "not now"), a hub that closes instead *CloseError, and a hub that is away
// runlog.ErrUnavailable.
func Dial(ctx context.Context, address string, c ClientConfig) (*Client, error) {
	u, err := wsURL(address)
	if err != nil {
		return nil, err
	}
	timeout := orDefault(c.Timeout, defaultTimeout)
	inner, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	conn, err := handshake(inner, u, c)
	if err != nil {
		return nil, dialError(ctx, timeout, err)
	}
	client := newClient(conn, c.Logger, timeout)
	client.raw = c.Raw
	if err := client.hello(inner, Hello{Ticket: c.Ticket, Name: c.Name, Client: c.Program}); err != nil {
		_ = conn.CloseNow()
		return nil, dialError(ctx, timeout, err)
	}
	return client, nil
}

// dialError leaves what the hub said as it is; all else is the hub being away.
func dialError(ctx context.Context, timeout time.Duration, err error) error {
	_, refused := errors.AsType[*APIError](err)
	_, closed := errors.AsType[*CloseError](err)
	if refused || closed {
		return err
	}
	return lost(ctx, timeout, err)
}

func newClient(conn *websocket.Conn, log zerolog.Logger, timeout time.Duration) *Client {
	conn.SetReadLimit(MaxHubMessage)
	// Until the welcome tells the pace, hello's own deadline is the shorter one.
	c := &Client{conn: conn, log: log, timeout: timeout, silence: 2 * timeout}
	c.close = sync.OnceValue(func() error {
		c.closing.Store(true)
		err := conn.Close(websocket.StatusNormalClosure, "")
		if websocket.CloseStatus(err) != -1 || errors.Is(err, io.EOF) {
			return nil // the hub closed in its own way
		}
		return err
	})
	return c
}

func wsURL(address string) (string, error) {
	for ws, plain := range map[string]string{"ws://": "http://", "wss://": "https://"} {
		if rest, ok := strings.CutPrefix(address, ws); ok {
			address = plain + rest
			break
		}
	}
	base, err := baseURL(address)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	if !strings.HasSuffix(u.Path, "/ws") {
		u.Path += "/ws"
	}
	return u.String(), nil
}

func handshake(ctx context.Context, u string, c ClientConfig) (*websocket.Conn, error) {
	httpClient := c.HTTPClient
	if httpClient == nil {
		t := newTransport()
		t.DisableKeepAlives = true // what is not upgraded is not kept
		httpClient = &http.Client{Transport: t}
	}
	httpClient = new(*httpClient)
	httpClient.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	header := http.Header{}
	if c.Token != "" {
		header.Set("Authorization", "Bearer "+c.Token)
	}
	conn, res, err := websocket.Dial(ctx, u, &websocket.DialOptions{
		HTTPClient: httpClient, HTTPHeader: header, Subprotocols: []string{Subprotocol},
	})
	switch {
	case err == nil && conn.Subprotocol() != Subprotocol:
		_ = conn.CloseNow()
		return nil, &APIError{Status: res.StatusCode, Message: "the server does not speak " + Subprotocol}
	case err == nil:
		return conn, nil
	case res != nil && res.StatusCode != http.StatusSwitchingProtocols:
		body, _ := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
		return nil, ErrorOf("", res.StatusCode, body)
	case res != nil:
		return nil, &APIError{Status: res.StatusCode, Message: clip(err.Error(), maxErrorText)}
	}
	return nil, err
}

// hello says hello and waits for the welcome.
func (c *Client) hello(ctx context.Context, h Hello) error {
	if err := c.Send(ctx, h); err != nil {
		return err
	}
	for {
		m, err := c.Next(ctx)
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case Welcome:
			c.welcome = m
			beat := time.Duration(min(max(m.HeartbeatMs, 0), maxSilence.Milliseconds())) * time.Millisecond
			c.silence = min(max(beat*5/2, minSilence), maxSilence)
			return nil
		case Error:
			return &APIError{Status: http.StatusBadRequest, Code: Code(clip(m.Code, 64)), Message: clip(m.Message, maxErrorText)}
		}
	}
}

// Welcome is what the hub said about this connection.
func (c *Client) Welcome() Welcome { return c.welcome }

// Send sends any message. When ctx or the configured timeout ends in the midst
// of it, the connection is gone.
func (c *Client) Send(ctx context.Context, m ClientMessage) error {
	data, err := MarshalClient(m)
	if err != nil {
		return err
	}
	inner, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	if err := c.conn.Write(inner, websocket.MessageText, data); err != nil {
		switch {
		case c.closing.Load():
			return ErrClientClosed
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		return &CloseError{Code: CloseLost, Err: err}
	}
	return nil
}

// Watch asks for a run from a position on, or with a snapshot if from is nil.
// Watching a run again starts it again.
func (c *Client) Watch(ctx context.Context, run string, from *runlog.Position) error {
	return c.Send(ctx, Watch{Run: run, From: from})
}

// Unwatch ends a watch.
func (c *Client) Unwatch(ctx context.Context, run string) error {
	return c.Send(ctx, Unwatch{Run: run})
}

// Check asks for the hash of a run's view; it comes as CheckAt.
func (c *Client) Check(ctx context.Context, run string) error {
	return c.Send(ctx, Check{Run: run})
}

// WatchRuns asks for the list of runs and the hub's figures.
func (c *Client) WatchRuns(ctx context.Context) error { return c.Send(ctx, WatchRuns{}) }

// Next blocks for the next message. When ctx ends the connection is gone, and
// the error is ctx's cause. Other errors: *CloseError for a connection that
// ended, *MessageError for a message that is none of this protocol (the
// connection stays), ErrClientClosed.
func (c *Client) Next(ctx context.Context) (HubMessage, error) {
	data, err := c.NextRaw(ctx)
	if err != nil {
		return nil, err
	}
	if c.raw != nil {
		c.raw(data)
	}
	m, err := DecodeHub(data)
	if bye, ok := m.(Bye); ok {
		c.bye = &bye
	}
	return m, err
}

// NextRaw is Next without decoding: for who counts messages rather than reads
// them. The bytes are valid until the next call. A bye is not noticed.
func (c *Client) NextRaw(ctx context.Context) ([]byte, error) {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	dead := time.AfterFunc(c.silence, func() { cancel(errSilent) })
	defer dead.Stop()
	typ, r, err := c.conn.Reader(inner)
	if err != nil {
		return nil, c.ended(ctx, inner, err)
	}
	if typ != websocket.MessageText {
		_ = c.conn.Close(websocket.StatusUnsupportedData, "only text messages")
		return nil, &CloseError{Code: CloseUnsupported, Reason: "the hub sent a binary message"}
	}
	if c.buf.Cap() > keptBuffer {
		c.buf = bytes.Buffer{}
	}
	c.buf.Reset()
	// A large snapshot over a slow link takes longer than a heartbeat; as long
	// as bytes come, the link is alive.
	if _, err := c.buf.ReadFrom(&alive{r, dead, c.silence}); err != nil {
		return nil, c.ended(ctx, inner, err)
	}
	return c.buf.Bytes(), nil
}

// alive puts off the moment at which a link counts as dead.
type alive struct {
	r    io.Reader
	dead *time.Timer
	by   time.Duration
}

func (a *alive) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	if n > 0 {
		a.dead.Reset(a.by)
	}
	return n, err
}

// ended says why reading ended.
func (c *Client) ended(ctx, inner context.Context, err error) error {
	e := &CloseError{Code: CloseLost, Err: err}
	ce, isClose := errors.AsType[websocket.CloseError](err)
	switch {
	case c.closing.Load():
		return ErrClientClosed
	case isClose:
		e = &CloseError{Code: CloseCode(ce.Code), Reason: clip(ce.Reason, MaxCloseReason)}
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, websocket.ErrMessageTooBig):
		e = &CloseError{Code: CloseTooBig, Reason: fmt.Sprintf("the hub sent a message of more than %d bytes", MaxHubMessage)}
	case inner.Err() != nil:
		e.Err = context.Cause(inner)
	}
	if c.bye != nil {
		if e.Code == CloseLost {
			e.Code, e.Reason = CloseCode(c.bye.Code), clip(c.bye.Reason, MaxCloseReason)
		}
		e.RetryAfter = time.Duration(min(max(c.bye.RetryAfterMs, 0), time.Hour.Milliseconds())) * time.Millisecond
	}
	c.log.Debug().Int("code", int(e.Code)).Str("reason", e.Reason).AnErr("cause", e.Err).Msg("connection ended")
	return e
}

// Close says good-bye and ends the connection; Next returns ErrClientClosed. With
// a hub that has gone silent it takes up to 10 s. A second call does nothing.
func (c *Client) Close() error { return c.close() }
