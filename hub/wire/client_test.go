package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/ringside-hub/ringside/hub/runlog"
)

func TestClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, auth := make(chan ClientMessage, 5), make(chan string, 1)
		address, c := scripted(t, func(s *script) {
			auth <- s.request.Header.Get("Authorization")
			got <- s.welcome()
			for range 4 {
				got <- s.receive()
			}
			s.send(Presence{Run: "run", Watching: 1})
			s.raw([]byte(`{"type":"hologram","beams":3}`))
			s.raw([]byte(`{"type":"events"}`))
			s.send(Heartbeat{T: 5})
			s.gone()
		})
		c.Name, c.Program, c.Token = "Ada", "test/1", "s3cret"
		client, err := Dial(t.Context(), address, c)
		if err != nil {
			t.Fatal(err)
		}
		if h := (<-got).(Hello); client.Welcome().Observer != "o1" || h.Name != "Ada" || h.Client != "test/1" {
			t.Errorf("welcome %+v, hello %+v", client.Welcome(), h)
		}
		if a := <-auth; a != "Bearer s3cret" {
			t.Errorf("authorization %q", a)
		}
		if err := errors.Join(
			client.Watch(t.Context(), "run", &runlog.Position{Epoch: "e", Seq: 4}),
			client.Check(t.Context(), "run"),
			client.Unwatch(t.Context(), "run"),
			client.WatchRuns(t.Context()),
		); err != nil {
			t.Fatal(err)
		}
		if m, err := client.Next(t.Context()); err != nil || m.(Presence).Watching != 1 {
			t.Errorf("%v, %v", m, err)
		}
		if w := (<-got).(Watch); w.Run != "run" || *w.From != (runlog.Position{Epoch: "e", Seq: 4}) {
			t.Errorf("watch %+v", w)
		}
		if m, err := client.Next(t.Context()); err != nil || m != (Unknown{Type: "hologram"}) {
			t.Errorf("a type from the future: %v, %v", m, err)
		}
		_, err = client.Next(t.Context())
		if _, ok := errors.AsType[*MessageError](err); !ok {
			t.Errorf("a bad message: %v", err)
		}
		if m, err := client.Next(t.Context()); err != nil || m != (Heartbeat{TypeHeartbeat, 5}) {
			t.Errorf("after the bad one: %v, %v", m, err)
		}
		closedTwice(t, client)
	})
}

// closedTwice closes a client, which is harmless to repeat, and then tries it.
func closedTwice(t *testing.T, client *Client) {
	t.Helper()
	for range 2 {
		if err := client.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if _, err := client.Next(t.Context()); !errors.Is(err, ErrClientClosed) {
		t.Errorf("after close: %v", err)
	}
	if err := client.Check(t.Context(), "run"); !errors.Is(err, ErrClientClosed) {
		t.Errorf("after close: %v", err)
	}
}

// Close from elsewhere ends a Next that waits.
func TestClientCloseEndsNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		address, c := scripted(t, func(s *script) { s.welcome(); s.gone() })
		client, err := Dial(t.Context(), address, c)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() {
			_, err := client.Next(t.Context())
			ended <- err
		}()
		synctest.Wait()
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, ErrClientClosed) {
			t.Error(err)
		}
	})
}

// How connections end, and what a client makes of it.
func TestClientEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(*script)
		want CloseError
	}{
		{"close with a code", func(s *script) {
			_ = s.conn.Close(4401, "token expired or revoked")
		}, CloseError{Code: CloseToken, Reason: "token expired or revoked"}},
		{"bye first", func(s *script) {
			s.send(Bye{Code: 1012, Reason: "restarting", RetryAfterMs: 1500})
			_ = s.conn.Close(1012, "restarting")
		}, CloseError{Code: CloseDraining, Reason: "restarting", RetryAfter: 1500 * time.Millisecond}},
		{"bye, then cut", func(s *script) {
			s.send(Bye{Code: 4430, Reason: "too slow", RetryAfterMs: 99_999_999_999})
			_ = s.conn.CloseNow()
		}, CloseError{Code: CloseTooSlow, Reason: "too slow", RetryAfter: time.Hour}},
		{"cut", func(s *script) { _ = s.conn.CloseNow() }, CloseError{Code: CloseLost}},
		{"a reason that would write into a terminal", func(s *script) {
			_ = s.conn.Close(4403, "\x1b[2Ja\nb")
		}, CloseError{Code: CloseForbidden, Reason: "\uFFFD[2Ja\uFFFDb"}},
		{"a binary message", func(s *script) {
			_ = s.conn.Write(context.Background(), websocket.MessageBinary, []byte("x"))
			s.gone()
		}, CloseError{Code: CloseUnsupported, Reason: "the hub sent a binary message"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				address, config := scripted(t, func(s *script) { s.welcome(); c.play(s) })
				client, err := Dial(t.Context(), address, config)
				if err != nil {
					t.Fatal(err)
				}
				for err == nil {
					_, err = client.Next(t.Context())
				}
				got, ok := errors.AsType[*CloseError](err)
				if !ok || got.Code != c.want.Code || got.Reason != c.want.Reason || got.RetryAfter != c.want.RetryAfter {
					t.Errorf("got %#v", err)
				}
				_ = client.Close()
			})
		})
	}
}

// A link on which nothing comes is dead after 2.5 heartbeats; one on which a
// large message comes slowly is not.
func TestClientSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		address, c := scripted(t, func(s *script) {
			s.welcome()
			w, err := s.conn.Writer(context.Background(), websocket.MessageText)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(w, `{"type":"heartbeat",`)
			for range 20 {
				time.Sleep(beatMs * time.Millisecond)
				_, _ = io.WriteString(w, strings.Repeat(" ", 8192))
			}
			_, _ = io.WriteString(w, `"t":7}`)
			_ = w.Close()
			s.gone()
		})
		client, err := Dial(t.Context(), address, c)
		if err != nil {
			t.Fatal(err)
		}
		if m, err := client.Next(t.Context()); err != nil || m != (Heartbeat{TypeHeartbeat, 7}) {
			t.Fatalf("slow message: %v, %v", m, err)
		}
		start := time.Now()
		_, err = client.Next(t.Context())
		closed, ok := errors.AsType[*CloseError](err)
		if !ok || closed.Code != CloseLost || !errors.Is(err, errSilent) || time.Since(start) != 2500*time.Millisecond {
			t.Errorf("silence: %v after %s", err, time.Since(start))
		}
		_ = client.Close()
	})
}

func TestClientCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		address, c := scripted(t, func(s *script) { s.welcome(); s.gone() })
		client, err := Dial(t.Context(), address, c)
		if err != nil {
			t.Fatal(err)
		}
		reason := errors.New("the caller's reason")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Millisecond, func() { cancel(reason) })
		if _, err := client.Next(ctx); !errors.Is(err, reason) {
			t.Errorf("got %v", err)
		}
		_ = client.Close()
	})
}

func TestDialRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		hub   http.HandlerFunc
		check func(error) bool
	}{
		{"unauthorized", saying(401, `{"code":"unauthorized","message":"no token"}`), func(err error) bool {
			api, ok := errors.AsType[*APIError](err)
			return ok && api.Code == CodeUnauthorized && errors.Is(err, runlog.ErrDenied)
		}},
		{"full", saying(503, `{"code":"unavailable","message":"too many"}`), func(err error) bool {
			return errors.Is(err, runlog.ErrUnavailable)
		}},
		{"another server", saying(200, "<html>"), func(err error) bool {
			api, ok := errors.AsType[*APIError](err)
			return ok && api.Status == 200 && !errors.Is(err, runlog.ErrUnavailable)
		}},
		{"another subprotocol", func(w http.ResponseWriter, r *http.Request) {
			if conn, err := websocket.Accept(w, r, nil); err == nil {
				conn.CloseNow()
			}
		}, func(err error) bool {
			api, ok := errors.AsType[*APIError](err)
			return ok && strings.Contains(api.Message, Subprotocol)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { refusedDial(t, c.hub, c.check) })
		})
	}
}

func saying(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// A hub that upgrades may still not let one in.
func TestDialNotWelcome(t *testing.T) {
	for _, c := range []struct {
		name  string
		play  func(*script)
		check func(error) bool
	}{
		{"no welcome", func(s *script) { s.receive(); s.gone() }, func(err error) bool {
			return errors.Is(err, runlog.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded)
		}},
		{"closed instead of a welcome", func(s *script) {
			s.receive()
			s.send(Bye{Code: 4403, Reason: "not allowed"})
			_ = s.conn.Close(4403, "not allowed")
		}, func(err error) bool {
			closed, ok := errors.AsType[*CloseError](err)
			return ok && closed.Code == CloseForbidden
		}},
		{"error instead of a welcome", func(s *script) {
			s.receive()
			s.send(Error{Re: TypeHello, Code: "limit", Message: "x"})
			s.gone()
		}, func(err error) bool {
			api, ok := errors.AsType[*APIError](err)
			return ok && api.Code == CodeLimit
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { refusedDial(t, playing(t, c.play).ServeHTTP, c.check) })
		})
	}
}

func refusedDial(t *testing.T, hub http.HandlerFunc, check func(error) bool) {
	t.Helper()
	address, config := handler(t, hub)
	client, err := Dial(t.Context(), address, config)
	if err == nil {
		_ = client.Close()
	}
	if !check(err) {
		t.Errorf("got %v", err)
	}
}

func TestWSURL(t *testing.T) {
	for in, want := range map[string]string{
		"http://h:1":            "http://h:1/ws",
		"ws://h:1/":             "http://h:1/ws",
		"wss://h/ws":            "https://h/ws",
		"https://h/team/rings/": "https://h/team/rings/ws",
		"ftp://h":               "",
		"h:1":                   "",
		"ws://u:p@h":            "",
	} {
		got, err := wsURL(in)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", in, got, err)
		}
	}
}
