package redistest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// client makes a test's own commands, one at a time, over a connection that is
// made anew after an error. It is small on purpose: only package redis may know
// the real client.
type client struct {
	addr string
	conn net.Conn
	in   *bufio.Reader
}

// replyError is an error that Redis replied.
type replyError string

func (e replyError) Error() string { return string(e) }

// do makes a command; the reply is a string, an int64, nil or a []any.
func (c *client) do(args ...any) (any, error) {
	if c.conn == nil {
		conn, err := net.DialTimeout("tcp", c.addr, startWithin)
		if err != nil {
			return nil, err
		}
		c.conn, c.in = conn, bufio.NewReader(conn)
	}
	c.conn.SetDeadline(time.Now().Add(startWithin))
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		var s string
		if raw, ok := a.([]byte); ok {
			s = string(raw)
		} else {
			s = fmt.Sprint(a)
		}
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(s), s)
	}
	_, err := io.WriteString(c.conn, b.String())
	var v any
	if err == nil {
		v, err = c.read()
	}
	if _, replied := err.(replyError); err != nil && !replied {
		c.close()
	}
	return v, err
}

func (c *client) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

func (c *client) read() (any, error) {
	line, err := c.in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	line = strings.TrimSuffix(line, "\r\n")
	if line == "" {
		return nil, io.ErrUnexpectedEOF
	}
	switch kind, rest := line[0], line[1:]; kind {
	case '+':
		return rest, nil
	case '-':
		return nil, replyError(rest)
	case ':':
		return strconv.ParseInt(rest, 10, 64)
	case '$':
		n, err := strconv.Atoi(rest)
		if err != nil || n < 0 {
			return nil, err
		}
		data := make([]byte, n+2)
		_, err = io.ReadFull(c.in, data)
		return string(data[:n]), err
	case '*':
		n, err := strconv.Atoi(rest)
		if err != nil || n < 0 {
			return nil, err
		}
		list := make([]any, n)
		for i := range list {
			if list[i], err = c.read(); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	return nil, fmt.Errorf("redis replied %.40q", line)
}
