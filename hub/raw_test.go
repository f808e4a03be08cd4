package hub_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ringside-hub/ringside/hub/wire"
)

// raw is a connection past its handshake on which a test says what it likes.
type raw struct {
	net.Conn
	r *bufio.Reader
}

// rawConnect makes a handshake by hand. request may be empty for a good one.
func (s *server) rawConnect(t testing.TB) *raw {
	t.Helper()
	c, err := s.dial(t.Context())
	must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	host := strings.TrimPrefix(s.URL, "http://")
	_, err = fmt.Fprintf(c, "GET /ws HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: ringside.v1\r\n\r\n", host)
	must(t, err)
	x := &raw{c, bufio.NewReader(c)}
	res, err := http.ReadResponse(x.r, nil)
	must(t, err)
	if res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("handshake answered %s", res.Status)
	}
	return x
}

// frame sends one masked frame (the mask is zero, so the payload is as given).
func (x *raw) frame(t testing.TB, first byte, payload string) {
	t.Helper()
	_, err := x.Write(clientFrame(first, payload))
	must(t, err)
}

func clientFrame(first byte, payload string) []byte {
	b := []byte{first}
	switch n := len(payload); {
	case n < 126:
		b = append(b, 0x80|byte(n))
	case n <= 0xffff:
		b = append(b, 0x80|126, byte(n>>8), byte(n))
	default:
		b = append(b, 0x80|127, 0, 0, 0, 0, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	return append(append(b, 0, 0, 0, 0), payload...)
}

// read reads one frame of the hub.
func (x *raw) read() (opcode byte, payload []byte, err error) {
	head := make([]byte, 2)
	if _, err = io.ReadFull(x.r, head); err != nil {
		return 0, nil, err
	}
	if head[0]&0x70 != 0 || head[1]&0x80 != 0 || head[0]&0x80 == 0 {
		return 0, nil, fmt.Errorf("not a frame that a hub sends: % x", head)
	}
	n := int(head[1])
	if n > 125 {
		more := make([]byte, map[int]int{126: 2, 127: 8}[n])
		if _, err = io.ReadFull(x.r, more); err != nil {
			return 0, nil, err
		}
		n = 0
		for _, b := range more {
			n = n<<8 | int(b)
		}
	}
	payload = make([]byte, n)
	_, err = io.ReadFull(x.r, payload)
	return head[0] & 0xf, payload, err
}

// closeCode reads on to the close frame; 0 if the connection ends without one.
func (x *raw) closeCode(t testing.TB) int {
	t.Helper()
	must(t, x.SetReadDeadline(time.Now().Add(20*time.Second)))
	for {
		op, payload, err := x.read()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, io.ErrUnexpectedEOF) || isReset(err) {
			return 0
		}
		must(t, err)
		if op == 8 {
			return int(payload[0])<<8 | int(payload[1])
		}
	}
}

func isReset(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "reset by peer") || strings.Contains(err.Error(), "broken pipe"))
}

const hello = `{"type":"hello"}`

func newReader(r io.Reader) *bufio.Reader { return bufio.NewReader(r) }

func (x *raw) awaitError(t testing.TB) wire.Error {
	t.Helper()
	e, ok := x.await(t, wire.TypeError).(wire.Error)
	if !ok {
		t.Fatal("not an error")
	}
	return e
}

// await reads on to a message of the given type.
func (x *raw) await(t testing.TB, kind string) wire.HubMessage {
	t.Helper()
	must(t, x.SetReadDeadline(time.Now().Add(20*time.Second)))
	for {
		op, payload, err := x.read()
		must(t, err)
		if op != 1 {
			if op == 8 {
				t.Fatalf("closed: %q", payload)
			}
			continue
		}
		m, err := wire.DecodeHub(payload)
		must(t, err)
		if strings.HasPrefix(string(payload), `{"type":"`+kind+`"`) {
			return m
		}
	}
}
