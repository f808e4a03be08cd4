package hub

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"

	"github.com/ringside-hub/ringside/hub/wire"
)

// handshake turns a request into an observer. Everything that coder/websocket
// would let pass is refused before the upgrade. The HTTP handler returns at
// once; the observer goes on by itself, so that a connection does not keep the
// server's buffers.
func (h *Hub) handshake(c echo.Context) error {
	r := c.Request()
	if err := h.mayUpgrade(r); err != nil {
		h.stats.Rejected.Add(1)
		return err
	}
	if !h.reserve() {
		return &wire.APIError{Status: http.StatusServiceUnavailable, Code: wire.CodeUnavailable, Message: "too many connections to this hub"}
	}
	ctx, end := context.WithCancelCause(context.Background())
	l := h.cfg.Limits
	o := &observer{
		hub: h, id: rand.Text()[:12], peer: r.RemoteAddr, ctx: ctx, end: end,
		poke: make(chan struct{}, 1),
		rate: rate.NewLimiter(rate.Limit(l.MessageRate), l.MessageBurst),
	}
	if err := h.upgrade(o, c); err != nil {
		h.stats.Rejected.Add(1)
		h.unreserve()
		end(nil)
		h.log.Debug().Err(err).Str("peer", r.RemoteAddr).Msg("handshake failed")
		return err // nobody sees it where it comes after the upgrade
	}
	h.stats.Opened.Add(1)
	h.enter(o)
	h.wg.Go(func() {
		defer h.exit(o)
		o.serve()
	})
	return nil
}

// maxPings is how many pings a second from one client are answered.
const maxPings = 5

func (h *Hub) upgrade(o *observer, c echo.Context) error {
	l := h.cfg.Limits
	hj := &hijacker{ResponseWriter: c.Response(), wrap: func(inner net.Conn) *conn {
		if tcp, ok := inner.(*net.TCPConn); ok {
			// A stalled client would otherwise take megabytes before anybody noticed.
			_ = tcp.SetWriteBuffer(l.SendBuffer)
		}
		return newConn(inner, h.cfg.Timing.Stall, rate.NewLimiter(rate.Limit(l.InboundRate), l.InboundBurst))
	}}
	pings := rate.NewLimiter(maxPings, 5*maxPings)
	ws, err := websocket.Accept(hj, c.Request(), &websocket.AcceptOptions{
		Subprotocols:       []string{wire.Subprotocol},
		InsecureSkipVerify: true, // the origin has been checked, more strictly
		CompressionMode:    websocket.CompressionDisabled,
		OnPingReceived:     func(context.Context, []byte) bool { return pings.Allow() },
		OnPongReceived:     func(context.Context, []byte) { o.pong.Store(time.Now().UnixNano()) },
	})
	if err != nil {
		return refusal(hj.refused, err)
	}
	ws.SetReadLimit(int64(l.MessageBytes))
	o.ws, o.conn = ws, hj.conn
	return nil
}

// refusal is what coder/websocket finds wrong, as every other error of the hub.
func refusal(status int, err error) error {
	switch {
	case status == 0:
		return badHandshake("not a WebSocket handshake")
	case status >= http.StatusInternalServerError:
		return fmt.Errorf("handshake: %w", err)
	}
	message := strings.TrimPrefix(err.Error(), "failed to accept WebSocket connection: ")
	return &wire.APIError{Status: status, Code: wire.CodeBadMessage, Message: message}
}

// mayUpgrade checks what coder/websocket does not: one origin, and the right
// one; our subprotocol; no body, whose bytes would become frames.
func (h *Hub) mayUpgrade(r *http.Request) error {
	switch h.policy.origin(r) {
	case originDoubled:
		return badHandshake("more than one Origin header")
	case originForeign:
		h.log.Warn().Str("peer", r.RemoteAddr).Str("origin", strings.ToValidUTF8(r.Header.Get("Origin"), "\uFFFD")).Msg("foreign origin refused")
		return errForeignOrigin
	}
	if r.ContentLength != 0 || len(r.TransferEncoding) > 0 {
		return badHandshake("a handshake has no body")
	}
	if r.ProtoAtLeast(1, 1) && isUpgrade(r) && !offers(r, wire.Subprotocol) {
		return badHandshake("subprotocol " + wire.Subprotocol + " is needed")
	}
	return nil
}

func isUpgrade(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

func offers(r *http.Request, protocol string) bool {
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for name := range strings.SplitSeq(line, ",") {
			if strings.TrimSpace(name) == protocol {
				return true
			}
		}
	}
	return false
}

func badHandshake(message string) error {
	return &wire.APIError{Status: http.StatusBadRequest, Code: wire.CodeBadMessage, Message: message}
}

var errForeignOrigin = &wire.APIError{
	Status: http.StatusForbidden, Code: wire.CodeForbidden, Message: "pages of another origin may not use this hub",
}

var _ http.Hijacker = (*hijacker)(nil)
