package hub

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
)

// Buffers for coder/websocket. Clients send small messages; hubs write only
// control frames through coder, of which the largest has to fit (see conn).
const (
	readBuffer  = 512
	writeBuffer = 256
)

// hijacker is the http.ResponseWriter for a WebSocket handshake: what Hijack
// gives is wrapped, so that coder/websocket and the observer share one conn. A
// refusal, which coder/websocket writes as text, is kept instead of sent.
type hijacker struct {
	http.ResponseWriter
	wrap func(net.Conn) *conn
	// conn is set by Hijack.
	conn *conn
	// refused is the status of a refusal.
	refused int
}

func (h *hijacker) WriteHeader(status int) {
	if status != http.StatusSwitchingProtocols {
		h.refused = status
		return
	}
	h.ResponseWriter.WriteHeader(status)
}

// Write is called for the text of a refusal only. Its author's error says the same.
func (h *hijacker) Write(p []byte) (int, error) { return len(p), nil }

// Hijack implements http.Hijacker.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	inner, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	early, err := rw.Reader.Peek(rw.Reader.Buffered())
	if err != nil {
		return nil, nil, errors.Join(err, inner.Close())
	}
	h.conn = h.wrap(inner)
	// What the client sent behind its handshake is in net/http's buffer, which
	// is too large to keep for the life of a connection.
	in := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(bytes.Clone(early)), h.conn), max(readBuffer, len(early)))
	if _, err := in.Peek(len(early)); err != nil {
		return nil, nil, errors.Join(err, inner.Close())
	}
	return h.conn, bufio.NewReadWriter(in, bufio.NewWriterSize(h.conn, writeBuffer)), nil
}
