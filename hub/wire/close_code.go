package wire

import "fmt"

// CloseCode is the status code of a WebSocket close frame, sent by a hub.
type CloseCode int

// The close codes: what RFC 6455 defines, and our own from 4400 on.
const (
	CloseNormal      CloseCode = 1000
	CloseGoingAway   CloseCode = 1001
	CloseProtocol    CloseCode = 1002
	CloseUnsupported CloseCode = 1003
	// CloseLost is never in a frame: a connection that ended without one.
	CloseLost       CloseCode = 1006
	CloseNotUTF8    CloseCode = 1007
	CloseTooBig     CloseCode = 1009
	CloseInternal   CloseCode = 1011
	CloseDraining   CloseCode = 1012
	CloseBadMessage CloseCode = 4400
	CloseToken      CloseCode = 4401
	CloseForbidden  CloseCode = 4403
	CloseNoHello    CloseCode = 4408
	CloseLimit      CloseCode = 4429
	CloseTooSlow    CloseCode = 4430
)

// Close describes a close code.
type Close struct {
	Code CloseCode `json:"code"`
	// Name is the code's name in lower case, for logs and metrics.
	Name string `json:"name"`
	// Reason is the text that goes with the code where there is nothing more
	// exact to say. It fits into a close frame.
	Reason string `json:"reason"`
	// Reconnect says whether a client connects again by itself: after
	// Bye.RetryAfterMs if that came, else with its own backoff.
	Reconnect bool `json:"reconnect"`
}

// MaxCloseReason is the most bytes that fit into a close frame's reason.
const MaxCloseReason = 123

// Closes returns all close codes in ascending order. A code that is not among
// them is unknown (Describe tells what to do with it).
func Closes() []Close {
	return []Close{
		{CloseNormal, "normal", "done", false},
		{CloseGoingAway, "going_away", "this hub is going away", true},
		{CloseProtocol, "protocol", "WebSocket protocol error", false},
		{CloseUnsupported, "unsupported", "only text messages", false},
		{CloseLost, "lost", "connection lost", true},
		{CloseNotUTF8, "not_utf8", "message is not valid UTF-8", false},
		{CloseTooBig, "too_big", "message too big", false},
		{CloseInternal, "internal", "internal error", true},
		{CloseDraining, "draining", "this hub is restarting", true},
		{CloseBadMessage, "bad_message", "bad message", false},
		{CloseToken, "token", "token expired or revoked", false},
		{CloseForbidden, "forbidden", "not allowed", false},
		{CloseNoHello, "no_hello", "no hello in time", false},
		{CloseLimit, "limit", "limit reached, try again later", true},
		{CloseTooSlow, "too_slow", "too slow for this run", true},
	}
}

// Describe returns what is known about a code. An unknown code is one to
// reconnect after: a client must not be locked out by a proxy's code.
func (c CloseCode) Describe() Close {
	for _, k := range Closes() {
		if k.Code == c {
			return k
		}
	}
	return Close{Code: c, Name: "unknown", Reason: "unknown close code", Reconnect: true}
}

// Reconnect says whether a client connects again by itself after c.
func (c CloseCode) Reconnect() bool { return c.Describe().Reconnect }

func (c CloseCode) String() string { return fmt.Sprintf("%d %s", int(c), c.Describe().Name) }
