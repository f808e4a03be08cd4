package hub_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/ringside-hub/ringside/hub"
	"github.com/ringside-hub/ringside/hub/wire"
)

// What is wrong in a handshake is refused before the upgrade.
func TestHandshakeTable(t *testing.T) {
	s := start(t, hub.Config{AllowedOrigins: []string{"https://app.example.com"}})
	host := strings.TrimPrefix(s.URL, "http://")
	_, port, _ := net.SplitHostPort(host)
	good := handshake(host)
	with := func(lines ...string) []string { return replaced(good, lines...) }
	for _, c := range []struct {
		name    string
		headers []string
		want    int
	}{
		{"a program", good, 101},
		{"our own page", with("Origin: http://" + host), 101},
		{"an allowed page", with("Origin: https://app.example.com"), 101},
		{"several subprotocols", with("Sec-WebSocket-Protocol: other, ringside.v1"), 101},
		{"gzip wanted", with("Accept-Encoding: gzip, deflate, br"), 101},
		{"another name for this machine", with("Host: localhost:"+port, "Origin: http://localhost:"+port), 101},
		{"foreign origin", with("Origin: http://evil.test"), 403},
		{"null origin", with("Origin: null"), 403},
		{"suffix trick", with("Origin: http://app.example.com.evil.test"), 403},
		{"userinfo trick", with("Origin: http://" + host + "@evil.test"), 403},
		{"scheme of another", with("Origin: https://" + host), 403},
		{"port of another", with("Origin: http://127.0.0.1:1"), 403},
		{"two origins", append(with("Origin: http://"+host), "Origin: http://evil.test"), 400},
		{"rebound name", with("Host: evil.test:" + port), 421},
		{"no subprotocol", with("Sec-WebSocket-Protocol:"), 400},
		{"another subprotocol", with("Sec-WebSocket-Protocol: other"), 400},
		{"no key", with("Sec-WebSocket-Key:"), 400},
		{"two keys", append(with(), "Sec-WebSocket-Key: BAAAAAAAAAAAAAAAAAAAAA=="), 400},
		{"old version", with("Sec-WebSocket-Version: 8"), 400},
		{"h2c", with("Upgrade: h2c"), 426},
		{"a body", with("Content-Length: 5"), 400},
		{"no host", with("Host:"), 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := s.shake(t, c.headers)
			if res.StatusCode != c.want {
				t.Fatalf("answered %s, want %d", res.Status, c.want)
			}
			if c.want == 101 || c.name == "no host" { // that is net/http's own
				return
			}
			data, err := io.ReadAll(res.Body)
			must(t, err)
			var e wire.ErrorBody
			if err := json.Unmarshal(data, &e); err != nil || e.Code == "" || e.Message == "" || res.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: %s", res.Header.Get("Content-Type"), data)
			}
		})
	}
}

// handshake is the header of a good one.
func handshake(host string) []string {
	return []string{
		"Host: " + host, "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Protocol: ringside.v1",
	}
}

// replaced replaces the header lines of the same names, or adds some; "Name:"
// alone removes.
func replaced(header []string, lines ...string) []string {
	out := slices.Clone(header)
	for _, l := range lines {
		name, value, _ := strings.Cut(l, ":")
		out = slices.DeleteFunc(out, func(o string) bool { return strings.HasPrefix(o, name+":") })
		if value != "" {
			out = append(out, l)
		}
	}
	return out
}

// shake sends a handshake with these header lines as they are.
func (s *server) shake(t *testing.T, header []string) *http.Response {
	t.Helper()
	conn, err := s.dial(t.Context())
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	must(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	_, err = fmt.Fprintf(conn, "GET /ws HTTP/1.1\r\n%s\r\n\r\n", strings.Join(header, "\r\n"))
	must(t, err)
	if strings.Contains(strings.Join(header, "\n"), "Content-Length") {
		_, err = io.WriteString(conn, "hello")
		must(t, err)
	}
	return readResponse(t, conn)
}

func readResponse(t *testing.T, c net.Conn) *http.Response {
	t.Helper()
	res, err := http.ReadResponse(newReader(c), nil)
	must(t, err)
	return res
}

// Messages that are not as the schema says are answered, or end the connection
// with a code; the hub goes on.
func TestBadMessages(t *testing.T) {
	s := start(t, hub.Config{Limits: hub.Limits{MessageRate: 1e6, InboundRate: 1e9, InboundBurst: 1 << 30}})
	a := s.author(t, "r1", 30)
	must(t, a.Append(t.Context(), 3))
	long := strings.Repeat("9", 10_000)
	for _, c := range []struct {
		name, text string
		code       wire.Code // of the error message
		close      int       // or of the close frame
	}{
		{"unknown type", `{"type":"snapshot","run":"r1","view":{}}`, wire.CodeUnknownType, 0},
		{"unknown member", `{"type":"watch","run":"r1","role":"operator"}`, wire.CodeBadMessage, 0},
		{"case variant", `{"type":"watch","run":"r1","RUN":"r2"}`, wire.CodeBadMessage, 0},
		{"missing member", `{"type":"watch"}`, wire.CodeBadMessage, 0},
		{"bad run id", `{"type":"watch","run":"a}{b"}`, wire.CodeBadRun, 0},
		{"run id with line break", `{"type":"watch","run":"a\r\nDEL x"}`, wire.CodeBadRun, 0},
		{"unknown run", `{"type":"watch","run":"nope"}`, wire.CodeUnknownRun, 0},
		{"negative seq", `{"type":"watch","run":"r1","from":{"epoch":"e","seq":-1}}`, wire.CodeBadMessage, 0},
		{"seq of 2^53", `{"type":"watch","run":"r1","from":{"epoch":"e","seq":9007199254740993}}`, wire.CodeBadMessage, 0},
		{"seq as text", `{"type":"watch","run":"r1","from":{"epoch":"e","seq":"12"}}`, wire.CodeBadMessage, 0},
		{"huge exponent", `{"type":"watch","run":"r1","from":{"epoch":"e","seq":1e5000000}}`, wire.CodeBadMessage, 0},
		{"many digits", `{"type":"watch","run":"r1","from":{"epoch":"e","seq":` + long + `}}`, wire.CodeBadMessage, 0},
		{"check without watch", `{"type":"check","run":"r1"}`, wire.CodeNotWatching, 0},
		{"look without watch", `{"type":"look","run":"r1","target":"c1"}`, wire.CodeNotWatching, 0},
		{"unwatch without watch", `{"type":"unwatch","run":"r1"}`, wire.CodeNotWatching, 0},
		{"unwatch_runs without watch", `{"type":"unwatch_runs"}`, wire.CodeNotWatching, 0},
		{"second hello", `{"type":"hello"}`, wire.CodeBadMessage, 0},
		{"null", `null`, "", 4400},
		{"not JSON", `ping`, "", 4400},
		{"two documents", `{"type":"watch_runs"} {"type":"watch_runs"}`, "", 4400},
		{"doubled key", `{"type":"watch","run":"r1","run":"r2"}`, "", 4400},
		{"lone surrogate", `{"type":"hello","name":"\ud800"}`, "", 4400},
		{"NUL", "{\"type\":\"he\x00llo\"}", "", 4400},
		{"deep", strings.Repeat("[", 5000), "", 4400},
		{"not UTF-8", "{\"type\":\"\xff\"}", "", 1007},
		{"too big", `{"type":"hello","name":"` + strings.Repeat("a", 17<<10) + `"}`, "", 1009},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := s.rawConnect(t)
			x.frame(t, 0x81, hello)
			x.frame(t, 0x81, c.text)
			if c.code == "" {
				if got := x.closeCode(t); got != c.close {
					t.Fatalf("closed with %d, want %d", got, c.close)
				}
				return
			}
			if e := x.awaitError(t); e.Code != string(c.code) || e.Message == "" {
				t.Fatalf("answered %+v, want %s", e, c.code)
			}
			// The connection is as good as before.
			x.frame(t, 0x81, `{"type":"watch","run":"r1"}`)
			x.await(t, wire.TypeSnapshot)
		})
	}
	p := s.connect(t, "")
	p.watch(t, "r1", nil)
	p.same(t, a)
}

// Frames that no honest client sends end the connection, and nothing else.
func TestHostileFrames(t *testing.T) {
	s := start(t, hub.Config{
		Timing: hub.Timing{Message: 300 * time.Millisecond}, Limits: hub.Limits{MessageRate: 20, MessageBurst: 60},
	})
	a := s.author(t, "r1", 31)
	p := s.connect(t, "Bob")
	p.watch(t, "r1", nil)
	flood := func(frame []byte, n int) string { return strings.Repeat(string(frame), n) }
	for _, c := range []struct {
		name, bytes string
		want        []int // any of these; 0: no close frame
	}{
		{"binary", string(clientFrame(0x82, "{}")), []int{1003}},
		{"unmasked", "\x81\x02hi", []int{1002, 0}},
		{"reserved bit", string(clientFrame(0xc1, "hi")), []int{1002}},
		{"unknown opcode", string(clientFrame(0x83, "hi")), []int{1002}},
		{"continuation first", string(clientFrame(0x80, "hi")), []int{1002}},
		{"text inside text", string(clientFrame(0x01, "h")) + string(clientFrame(0x81, "i")), []int{1002}},
		{"long ping", string(clientFrame(0x89, strings.Repeat("p", 126))), []int{1002}},
		{"fragmented ping", string(clientFrame(0x09, "p")), []int{1002}},
		{"close of one byte", string(clientFrame(0x88, "x")), []int{1002}},
		{"close code 999", string(clientFrame(0x88, "\x03\xe7")), []int{1002}},
		{"endless length, then silence", "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00", []int{4400, 1009}},
		{"impossible length", "\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00", []int{1002, 0}},
		{"message that does not end", string(clientFrame(0x01, "{")), []int{4400}},
		{"fragment flood", string(clientFrame(0x01, "{")) + flood(clientFrame(0x00, ""), 40_000), []int{4429, 4400}},
		{"ping flood", flood(clientFrame(0x89, "p"), 40_000), []int{4429, 4400}},
		{"pong flood", flood(clientFrame(0x8a, "p"), 40_000), []int{4429, 4400}},
		{"message flood", flood(clientFrame(0x81, `{"type":"watch_runs"}`), 500), []int{4429}},
		{"close at once", string(clientFrame(0x88, "\x03\xe8")), []int{1000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := s.rawConnect(t)
			x.frame(t, 0x81, hello)
			x.await(t, wire.TypeWelcome)
			go func() { _, _ = io.WriteString(x, c.bytes) }() // ends with the connection
			got := x.closeCode(t)
			if slices.Contains(c.want, got) {
				return
			}
			t.Fatalf("closed with %d, want %v", got, c.want)
		})
	}
	must(t, a.Append(t.Context(), 3))
	p.same(t, a)
}

// Control frames go out between frames of data, never inside one, also while a
// large one is half written.
func TestPongWaitsForFrameBoundary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startPiped(t, hub.Config{})
		a := s.author(t, "r1", 32)
		must(t, a.AppendEvents(t.Context(), big(200<<10)))
		x := s.rawConnect(t)
		x.frame(t, 0x81, hello)
		x.frame(t, 0x81, `{"type":"watch","run":"r1"}`)
		var first [4000]byte
		_, err := io.ReadFull(x.r, first[:]) // a part of the snapshot is out
		must(t, err)
		x.frame(t, 0x89, "one")
		x.frame(t, 0x89, "two")
		synctest.Wait()
		must(t, a.AppendEvents(t.Context(), big(100<<10)))
		x.r = newReader(io.MultiReader(strings.NewReader(string(first[:])), x.r))
		var pongs []string
		for texts := 0; texts < 5 || len(pongs) < 2; {
			op, payload, err := x.read()
			must(t, err)
			switch op {
			case 1:
				texts++
				if _, err := wire.DecodeHub(payload); err != nil {
					t.Fatal(err)
				}
			case 0xa:
				pongs = append(pongs, string(payload))
			}
			if m, err := wire.DecodeHub(payload); op == 1 && err == nil {
				if e, ok := m.(wire.Events); ok && e.Seq == a.At.Seq {
					break
				}
			}
		}
		if fmt.Sprint(pongs) != "[one two]" {
			t.Fatalf("pongs %v", pongs)
		}
		_ = x.Close()
		must(t, s.stop())
	})
}
