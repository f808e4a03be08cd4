package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ringside-hub/ringside/cmd/hub/internal/term"
	"github.com/ringside-hub/ringside/hub/wire"
)

// drawPace is the least time between two states that a screen is shown.
const drawPace = 40 * time.Millisecond

// page is one of the screens: a run, or the list of runs.
type page interface {
	Handle(m term.Msg, now time.Time)
	View(now time.Time) string
	Title() string
	Quit() bool
}

// screens shows the run, or a list to choose one from, until the person quits.
func (c *watchCmd) screens(ctx context.Context, e env, client wire.ClientConfig) error {
	if c.ID != "" {
		_, err := c.screen(ctx, e, client, c.ID, false)
		return err
	}
	last := ""
	for ctx.Err() == nil {
		picker := listPage{term.NewPicker(term.Config{Run: last, Hub: c.Hub, Theme: c.theme(e), Location: time.Local})}
		if err := c.show(ctx, e, picker, func(ctx context.Context, f *feed) { f.list(ctx, c.Hub, client) }); err != nil {
			return err
		}
		last = picker.Picked()
		if last == "" {
			return c.left()
		}
		back, err := c.screen(ctx, e, client, last, true)
		if err != nil || !back {
			return err
		}
	}
	return c.left()
}

// screen shows one run. It returns whether the person wants back to the list.
func (c *watchCmd) screen(ctx context.Context, e env, client wire.ClientConfig, run string, fromList bool) (back bool, err error) {
	o, err := c.observer(run, client)
	if err != nil {
		return false, err
	}
	s := term.New(term.Config{Run: run, Hub: c.Hub, Theme: c.theme(e), Location: time.Local, Back: fromList})
	ended, over := error(nil), false
	err = c.show(ctx, e, s, func(ctx context.Context, f *feed) {
		ended = f.observe(ctx, o, c.over)
		over = f.isOver()
	})
	if !over && !s.Back() {
		ended = c.left()
	}
	return s.Back(), cmp.Or(err, ended)
}

// theme is the colours, of a dark ground until the terminal has told its own.
func (c *watchCmd) theme(e env) term.Theme {
	if c.plain(e) {
		return term.Theme{}
	}
	return term.NewTheme(true)
}

func (c *watchCmd) plain(e env) bool { return c.NoColor || lookup(e.environ, "NO_COLOR") != "" }

// show runs a page on the terminal, fed by a goroutine that it waits for. It
// returns when the page is quit, ctx ends or the feed has returned quit.
func (c *watchCmd) show(ctx context.Context, e env, p page, run func(context.Context, *feed)) error {
	f := newFeed()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan struct{})
	defer close(done)
	m := program{page: p, feed: f, done: done, colour: !c.plain(e)}
	t := tea.NewProgram(m, tea.WithInput(e.stdin), tea.WithOutput(e.stdout), tea.WithEnvironment(e.environ), tea.WithoutSignalHandler())
	var feeding sync.WaitGroup
	feeding.Go(func() { run(ctx, f) })
	defer feeding.Wait()
	defer cancel()
	stop := context.AfterFunc(ctx, t.Quit)
	defer stop()
	if _, err := t.Run(); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("terminal: %w", err)
	}
	return nil
}

// program joins a page to bubbletea: what happens goes in, text comes out. All
// state is the page's.
type program struct {
	page   page
	feed   *feed
	done   chan struct{} // closed when the program has ended
	colour bool
}

// tick is a second: what shows times is drawn anew.
const tick = time.Second

// arrived says that the feed has something.
type arrived struct{}

func (m program) Init() tea.Cmd {
	cmds := []tea.Cmd{m.await, ticks()}
	if m.colour {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

// await blocks until the feed has something. What comes within one pace is shown
// together.
func (m program) await() tea.Msg {
	select {
	case <-m.feed.ready:
		return arrived{}
	case <-m.done:
		return nil
	}
}

type paced struct{}

func ticks() tea.Cmd { return tea.Tick(tick, func(t time.Time) tea.Msg { return t }) }

func (m program) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.page.Handle(term.Resize{W: msg.Width, H: msg.Height}, time.Now())
	case tea.BackgroundColorMsg:
		if m.colour {
			m.page.Handle(term.Repaint{Theme: term.NewTheme(msg.IsDark())}, time.Now())
		}
	case tea.KeyPressMsg:
		switch key := msg.String(); key {
		case "ctrl+z":
			return m, tea.Suspend
		case "alt+esc": // how two that come at once are read
			m.page.Handle(term.Key("esc"), time.Now())
			m.page.Handle(term.Key("esc"), time.Now())
		default:
			m.page.Handle(term.Key(key), time.Now())
		}
	case time.Time:
		return m, ticks()
	case arrived:
		for _, each := range m.feed.take() {
			m.page.Handle(each, time.Now())
		}
		if m.feed.isOver() {
			return m, tea.Quit
		}
		return m, tea.Tick(drawPace, func(time.Time) tea.Msg { return paced{} })
	case paced:
		return m, m.await
	}
	if m.page.Quit() {
		return m, tea.Quit
	}
	return m, nil
}

func (m program) View() tea.View {
	v := tea.NewView(m.page.View(time.Now()))
	v.AltScreen = true
	v.WindowTitle = m.page.Title()
	return v
}

// listPage is the list of runs as a page.
type listPage struct{ *term.Picker }

func (p listPage) Handle(m term.Msg, _ time.Time) { p.Picker.Handle(m) }
func (p listPage) Title() string                  { return "Runs - Ringside" }
func (p listPage) Quit() bool                     { return p.Picker.Quit() || p.Picked() != "" }
