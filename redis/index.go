package redis

import (
	"container/list"
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/ringside-hub/ringside/hub/runlog"
)

const (
	// tellEvery is the least time between two changes of one run in the index.
	tellEvery = time.Second
	// maxGone bounds the removals that an index follower may be behind before it
	// gets the full list again.
	maxGone = 1024
)

// indexFeed is the list of all runs as far as this process has heard, in the
// order of their last change. Its followers are cursors into it. It exists from
// the first Index call on.
type indexFeed struct {
	// static after construction
	store    *Store
	channels [][]string // by link

	// mu guards the rest.
	mu      sync.Mutex
	version int64
	runs    map[string]*indexed
	order   *list.List // of *indexed, oldest change first
	gone    []goneRun  // oldest first
	// forgotten is the version of the newest removal that is in gone no more.
	forgotten int64
	// due are the runs whose change is held back.
	due     map[string]struct{}
	changed chan struct{}
	// down are the channels whose link is down, breaks how often one went down.
	down   map[string]struct{}
	breaks int64
}

type indexed struct {
	line    runlog.RunSummary // HeardMs is -1 or 0
	heard   time.Time
	stamp   int64 // the store's time of the line: an older one does not replace it
	version int64
	told    time.Time
	element *list.Element
}

type goneRun struct {
	run     string
	version int64
}

func newIndexFeed(s *Store) *indexFeed {
	return &indexFeed{
		store: s, channels: make([][]string, len(s.links)), runs: map[string]*indexed{}, order: list.New(),
		due: map[string]struct{}{}, changed: make(chan struct{}), down: map[string]struct{}{},
	}
}

func (s *Store) currentIndex() *indexFeed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.index
}

// startIndex subscribes to the changes of all partitions, once.
func (s *Store) startIndex() *indexFeed {
	s.mu.Lock()
	x := s.index
	if x == nil {
		x = newIndexFeed(s)
		for p := range partitions {
			at := p % len(s.links)
			x.channels[at] = append(x.channels[at], s.names.indexKeys(p).indexChannel)
		}
		s.index = x
	}
	s.mu.Unlock()
	for i, l := range s.links {
		for _, name := range x.channels[i] {
			l.carry(&channel{
				name: name, handle: x.handle, linked: func(up bool) { x.setLinked(name, up) },
				idle: func(time.Time) bool { return false },
			})
		}
	}
	return x
}

// setLinked notes that a channel's link went down or is up again.
func (x *indexFeed) setLinked(name string, up bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	before := len(x.down)
	if up {
		delete(x.down, name)
	} else {
		x.down[name] = struct{}{}
	}
	switch {
	case before == 0 && len(x.down) > 0:
		x.breaks++
		x.wakeLocked()
	case before > 0 && len(x.down) == 0:
		x.wakeLocked()
	}
}

// parseLine reads "hb held term epoch seq text".
func parseLine(run, s string) (x indexed, err error) {
	f := strings.SplitN(s, " ", 6)
	if len(f) != 6 {
		return x, errFrames
	}
	if x.stamp, err = strconv.ParseInt(f[0], 10, 64); err != nil {
		return x, err
	}
	x.line = runlog.RunSummary{Run: run, HeardMs: -1}
	if f[1] == "1" {
		x.line.HeardMs = 0
	}
	x.line.Epoch = f[3]
	if x.line.Seq, err = strconv.ParseInt(f[4], 10, 64); err != nil {
		return x, err
	}
	var text indexLine
	if err := json.Unmarshal([]byte(f[5]), &text); err != nil {
		return x, err
	}
	x.line.Owner, x.line.Summary = text.Owner, text.Summary
	return x, nil
}

// handle takes a message from an index channel: "run ID LINE" or "gone ID".
func (x *indexFeed) handle(payload string) {
	kind, rest, _ := strings.Cut(payload, " ")
	run, line, _ := strings.Cut(rest, " ")
	if runlog.CheckRunID(run) != nil {
		x.store.stats.bad.Add(1)
		return
	}
	now := time.Now()
	switch kind {
	case "run":
		i, err := parseLine(run, line)
		if err != nil {
			x.bad(run, err)
			return
		}
		i.heard = now
		x.mu.Lock()
		defer x.mu.Unlock()
		x.putLocked(i, now)
	case "gone":
		x.mu.Lock()
		defer x.mu.Unlock()
		x.removeLocked(run)
	}
}

func (x *indexFeed) bad(run string, err error) {
	x.store.stats.bad.Add(1)
	x.store.log.Warn().Err(err).Str("run", run).Msg("bad line in the list of runs")
}

// putLocked takes a run's line; it is told now, or when the last was a second ago.
func (x *indexFeed) putLocked(i indexed, now time.Time) {
	was := x.runs[i.line.Run]
	if was == nil {
		was = &indexed{}
		x.runs[i.line.Run] = was
	} else if i.stamp < was.stamp {
		return
	}
	was.line, was.heard, was.stamp = i.line, i.heard, i.stamp
	if now.Sub(was.told) < tellEvery {
		x.due[i.line.Run] = struct{}{}
		return
	}
	x.tellLocked(was, now)
}

func (x *indexFeed) tellLocked(i *indexed, now time.Time) {
	x.version++
	i.version, i.told = x.version, now
	if i.element == nil {
		i.element = x.order.PushBack(i)
	}
	x.order.MoveToBack(i.element)
	delete(x.due, i.line.Run)
	x.wakeLocked()
}

func (x *indexFeed) wakeLocked() {
	close(x.changed)
	x.changed = make(chan struct{})
}

func (x *indexFeed) removeLocked(run string) {
	i := x.runs[run]
	if i == nil {
		return
	}
	delete(x.runs, run)
	delete(x.due, run)
	if i.element == nil {
		return // nobody was told of it
	}
	x.order.Remove(i.element)
	x.version++
	x.gone = append(x.gone, goneRun{run, x.version})
	if len(x.gone) > maxGone {
		x.forgotten = x.gone[0].version
		x.gone = x.gone[1:]
	}
	x.wakeLocked()
}

// flush tells the changes that were held back long enough.
func (x *indexFeed) flush(now time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for run := range x.due {
		if i := x.runs[run]; now.Sub(i.told) >= tellEvery {
			x.tellLocked(i, now)
		}
	}
}

// load reads the partitions of a link, and takes out what is there no more.
func (x *indexFeed) load(ctx context.Context, l *link) error {
	s := x.store
	began := time.Now()
	var lines []indexed
	for p := range partitions {
		if s.linkOf(p) != l {
			continue
		}
		some, err := x.loadPartition(ctx, p)
		if err != nil {
			return err
		}
		lines = append(lines, some...)
	}
	x.replace(l, lines, began)
	return nil
}

// loadPartition reads one partition, by the clock of the node it is on.
func (x *indexFeed) loadPartition(ctx context.Context, p int) ([]indexed, error) {
	began := time.Now()
	r, err := x.store.run(ctx, x.store.scripts.list, x.store.names.indexKeys(p), "", "")
	if err != nil {
		return nil, err
	}
	flat := r.list(2)
	lines := make([]indexed, 0, len(flat)/2)
	for i := 0; i+1 < len(flat); i += 2 {
		run, text := flat.text(i), flat.text(i+1)
		line, err := parseLine(run, text)
		if err != nil {
			x.bad(run, err)
			continue
		}
		age := time.Duration(r.number(1)-line.stamp) * time.Millisecond
		line.heard = began.Add(-max(age, 0))
		lines = append(lines, line)
	}
	return lines, nil
}

// replace takes the lines that a link's partitions held at the given time.
func (x *indexFeed) replace(l *link, lines []indexed, at time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	here := make(map[string]bool, len(lines))
	for _, i := range lines {
		here[i.line.Run] = true
		if was := x.runs[i.line.Run]; was == nil || was.stamp < i.stamp {
			x.putLocked(i, time.Now())
		}
	}
	for run, i := range x.runs {
		if !here[run] && x.store.linkOf(partitionOf(run)) == l && i.heard.Before(at) {
			x.removeLocked(run)
		}
	}
}

// keepIndex prunes the index where it is looked at, and reads it again: a store
// that was emptied in place tells nobody.
func (s *Store) keepIndex() {
	x := s.currentIndex()
	if x == nil {
		return
	}
	s.eachLink(func(l *link) {
		for p := range partitions {
			if s.linkOf(p) != l {
				continue
			}
			if _, err := s.run(s.ctx, s.scripts.prune, s.names.indexKeys(p), "", "", s.cfg.Limits.ListedRuns); err != nil {
				s.log.Debug().Err(err).Msg("the list of runs was not pruned")
				return
			}
		}
		if err := x.load(s.ctx, l); err != nil {
			s.log.Debug().Err(err).Msg("the list of runs was not read again")
		}
	})
}
