package hub_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/runlog/runlogtest"
	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/hub/wire"
)

// peer is an observer for tests: it follows the protocol by itself, checks that
// nothing is missing or doubled, and folds what it gets.
type peer struct {
	ws      *websocket.Conn
	welcome wire.Welcome
	runs    map[string]*seen
	// ledger is shared by the observers of one run, where set.
	ledger *runlogtest.Ledger
}

// seen is what a peer has of one run.
type seen struct {
	at        runlog.Position
	view      *view.View
	snapshots []runlog.Reason
	checks    int
	events    int
	status    wire.Status
	delivery  []string
	behind    int64 // as last told with a snapshot
	presence  wire.Presence
}

// connect dials, and says hello.
func (s *server) connect(t testing.TB, name string) *peer {
	t.Helper()
	p, err := s.tryConnect(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.ws.CloseNow() })
	return p
}

func (s *server) tryConnect(ctx context.Context, name string) (*peer, error) {
	ws, err := s.upgrade(ctx)
	if err != nil {
		return nil, err
	}
	p := &peer{ws: ws, runs: map[string]*seen{}}
	if err := p.say(ctx, wire.Hello{Name: name, Client: "test"}); err != nil {
		return nil, err
	}
	m, err := p.next(ctx)
	if err != nil {
		return nil, err
	}
	w, ok := m.(wire.Welcome)
	if !ok {
		return nil, fmt.Errorf("%T in place of welcome", m)
	}
	p.welcome = w
	return p, nil
}

func (s *server) upgrade(ctx context.Context) (*websocket.Conn, error) {
	ws, _, err := websocket.Dial(ctx, strings.Replace(s.URL, "http", "ws", 1)+"/ws", &websocket.DialOptions{
		HTTPClient: s.http, Subprotocols: []string{wire.Subprotocol},
	})
	if err == nil {
		ws.SetReadLimit(-1)
	}
	return ws, err
}

func (p *peer) say(ctx context.Context, m wire.ClientMessage) error {
	data, err := wire.MarshalClient(m)
	if err != nil {
		return err
	}
	return p.ws.Write(ctx, websocket.MessageText, data)
}

func (p *peer) watch(t testing.TB, run string, from *runlog.Position) *seen {
	t.Helper()
	s := p.expect(run, from)
	must(t, p.say(t.Context(), wire.Watch{Run: run, From: from}))
	return s
}

// expect makes the peer keep what it gets of a run, from a position that it has.
func (p *peer) expect(run string, from *runlog.Position) *seen {
	s := p.runs[run]
	if s == nil {
		s = &seen{view: view.New()}
		if from != nil {
			s.at = *from
		}
		p.runs[run] = s
	}
	return s
}

// next reads one message and takes it in. What breaks the protocol is an error.
func (p *peer) next(ctx context.Context) (wire.HubMessage, error) {
	kind, data, err := p.ws.Read(ctx)
	if err != nil {
		return nil, err
	}
	if kind != websocket.MessageText {
		return nil, errors.New("a binary message")
	}
	m, err := wire.DecodeHub(data)
	if err != nil {
		return nil, fmt.Errorf("%w in %.300s", err, data)
	}
	return m, p.take(m)
}

func (p *peer) take(m wire.HubMessage) error {
	switch m := m.(type) {
	case wire.Snapshot:
		return p.takeSnapshot(m)
	case wire.Events:
		return p.takeEvents(m)
	case wire.CheckAt:
		s, err := p.of(m.Run)
		if err != nil {
			return err
		}
		s.checks++
		if m.Position == s.at && m.Hash != s.view.Hash() {
			return fmt.Errorf("check at %s: %s, but the view has %s", m.Position, m.Hash, s.view.Hash())
		}
		if m.Position != s.at {
			return fmt.Errorf("check for %s arrives at %s", m.Position, s.at)
		}
	case wire.Status:
		s, err := p.of(m.Run)
		if err != nil {
			return err
		}
		if m.Delivery != nil {
			s.delivery = append(s.delivery, m.Delivery.Step)
			s.behind = max(s.behind, m.Delivery.Behind)
			return nil
		}
		s.status = m
	case wire.Presence:
		s, err := p.of(m.Run)
		if err != nil {
			return err
		}
		s.presence = m
	}
	return nil
}

func (p *peer) of(run string) (*seen, error) {
	s := p.runs[run]
	if s == nil {
		return nil, fmt.Errorf("a message of run %s, which is not watched", run)
	}
	return s, nil
}

func (p *peer) takeSnapshot(m wire.Snapshot) error {
	s, err := p.of(m.Run)
	if err != nil {
		return err
	}
	s.snapshots = append(s.snapshots, m.Reason)
	s.at = m.Position
	s.view, err = view.Decode(m.View)
	if err == nil && p.ledger != nil {
		err = p.ledger.View(s.at, s.view.Hash())
	}
	return err
}

func (p *peer) takeEvents(m wire.Events) error {
	s, err := p.of(m.Run)
	if err != nil {
		return err
	}
	if m.Epoch != s.at.Epoch || m.Seq != s.at.Seq+1 {
		return fmt.Errorf("events from %s where %s is the last", m.Position, s.at)
	}
	for i, data := range m.Events {
		e, err := view.DecodeEvent(data)
		if err != nil {
			return err
		}
		s.view.Apply(&e)
		s.at.Seq = m.Seq + int64(i)
		s.events++
		if p.ledger != nil {
			if err := p.ledger.Entry(runlog.Entry{Position: s.at, Data: data}); err != nil {
				return err
			}
		}
	}
	return nil
}

// until reads on until done says so.
func (p *peer) until(t testing.TB, done func() bool) {
	t.Helper()
	must(t, p.readUntil(t.Context(), done))
}

func (p *peer) readUntil(ctx context.Context, done func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for !done() {
		if _, err := p.next(ctx); err != nil {
			return err
		}
	}
	return nil
}

// await reads on until a message of type M comes, and returns it.
func await[M wire.HubMessage](t testing.TB, p *peer) M {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		m, err := p.next(ctx)
		must(t, err)
		if want, ok := m.(M); ok {
			return want
		}
	}
}

// same reads on until the peer is where the author is, and compares.
func (p *peer) same(t testing.TB, a *runlogtest.Author) {
	t.Helper()
	s := p.runs[a.Run]
	p.until(t, func() bool { return s.at == a.At })
	if got, want := s.view.Hash(), a.View.Hash(); got != want {
		t.Fatalf("view at %s hashes %s, the author's %s", a.At, got, want)
	}
}
