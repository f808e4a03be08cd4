package runlog

import (
	"container/list"
	"iter"
	"slices"
	"sort"
	"time"

	"github.com/ringside-hub/ringside/hub/view"
)

const (
	// entryOverhead is what an entry costs beside its data.
	entryOverhead = 64
	// maxSpans bounds the epochs that a run remembers: a worker that is
	// restarted over and over without an event must not make it grow.
	maxSpans = 256
)

// memBatch is one append as followers see it.
type memBatch struct {
	entries []Entry // never empty, never changed
	bytes   int64
}

func (b memBatch) first() int64 { return b.entries[0].Seq }
func (b memBatch) last() int64  { return b.entries[len(b.entries)-1].Seq }

// memRun is one run. All fields are guarded by Memory.mu.
type memRun struct {
	id string

	// term counts claims: a writer of an older one is fenced.
	term int64
	// held is false after a release; owner and heard stay for people.
	held  bool
	owner string
	heard time.Time
	// beat counts signs of life that followers are to be told.
	beat int64

	// epoch is the installed one ("" until the first claim is done), gen counts
	// installed epochs, base is where this one began.
	epoch string
	gen   int64
	base  int64
	past  []Span

	batches  []memBatch
	events   int
	bytes    int64 // of the batches and the snapshot
	last     int64
	snapshot Snapshot

	summary view.Summary
	element *list.Element // in the index
	blobs   map[string]*memBlob

	// changed is closed and replaced when there is something new to tell; nil
	// while nobody waits.
	changed chan struct{}
	removed bool
}

// wait returns a channel that the next wake closes.
func (r *memRun) wait() <-chan struct{} {
	if r.changed == nil {
		r.changed = make(chan struct{})
	}
	return r.changed
}

func (r *memRun) wake() {
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// heldSince says how long ago the holder was heard, if there is one.
func (r *memRun) heldSince(now time.Time) (age time.Duration, held bool) {
	return now.Sub(r.heard), r.held
}

// oldest is the seq of the oldest kept entry.
func (r *memRun) oldest() int64 {
	if len(r.batches) == 0 {
		return r.last + 1
	}
	return r.batches[0].first()
}

func (r *memRun) allSpans() []Span {
	if r.epoch == "" {
		return r.past
	}
	return append(slices.Clip(r.past), Span{r.epoch, r.base, r.last})
}

// after returns the index of the first batch that holds something after seq.
func (r *memRun) after(seq int64) int {
	return sort.Search(len(r.batches), func(i int) bool { return r.batches[i].last() > seq })
}

// batchAfter returns the batch, or the rest of it, that follows seq; nil if
// seq is the newest.
func (r *memRun) batchAfter(seq int64) []Entry {
	i := r.after(seq)
	if i == len(r.batches) {
		return nil
	}
	b := r.batches[i]
	if b.first() > seq {
		return b.entries
	}
	return b.entries[seq+1-b.first():]
}

// entriesAfter copies at most limit entries that follow seq.
func (r *memRun) entriesAfter(seq int64, limit int) []Entry {
	var out []Entry
	for len(out) < limit {
		b := r.batchAfter(seq)
		if b == nil {
			break
		}
		out = append(out, b[:min(len(b), limit-len(out))]...)
		seq = out[len(out)-1].Seq
	}
	return out
}

// tail yields the entries after seq that are there now; it may be read when the
// lock is given up.
func (r *memRun) tail(seq int64) iter.Seq[Entry] {
	batches := slices.Clone(r.batches[r.after(seq):])
	return func(yield func(Entry) bool) {
		for _, b := range batches {
			for _, e := range b.entries {
				if e.Seq > seq && !yield(e) {
					return
				}
			}
		}
	}
}

// add appends a batch and returns by how much the run grew.
func (r *memRun) add(b memBatch) int64 {
	r.batches = append(r.batches, b)
	r.events += len(b.entries)
	r.last = b.last()
	r.bytes += b.bytes
	return b.bytes
}

// install starts a new epoch at the snapshot's position.
func (r *memRun) install(s Snapshot) (grown int64) {
	if r.epoch != "" {
		r.past = append(r.past, Span{r.epoch, r.base, r.last})
		if extra := len(r.past) - maxSpans; extra > 0 {
			r.past = slices.Delete(r.past, 0, extra)
		}
	}
	r.epoch, r.base, r.last = s.Epoch, s.Seq, s.Seq
	r.gen++
	return r.setSnapshot(s)
}

func (r *memRun) setSnapshot(s Snapshot) (grown int64) {
	grown = int64(len(s.View) - len(r.snapshot.View))
	r.snapshot = s
	r.bytes += grown
	return grown
}

// upTo is what the batches up to seq take: what a snapshot there makes spare.
func (r *memRun) upTo(seq int64) (bytes int64) {
	for _, b := range r.batches {
		if b.last() > seq {
			break
		}
		bytes += b.bytes
	}
	return bytes
}

// trim forgets the oldest batches that the snapshot covers until the log is
// within the bounds, and returns the bytes that became free.
func (r *memRun) trim(events int, bytes int64) (freed int64) {
	n := 0
	for _, b := range r.batches {
		if r.events <= events && r.bytes <= bytes || b.last() > r.snapshot.Seq {
			break
		}
		r.events -= len(b.entries)
		r.bytes -= b.bytes
		freed += b.bytes
		n++
	}
	// Not slices.Delete: it would move all the rest at every append.
	clear(r.batches[:n])
	r.batches = r.batches[n:]
	if n > 0 {
		oldest := r.oldest()
		r.past = slices.DeleteFunc(r.past, func(s Span) bool { return s.Last < oldest-1 })
	}
	return freed
}
