package runlog

import "slices"

// Lose makes the store lose what a run had after seq, as one does that fails
// over to a lagging copy, but nothing that a checkpoint covers; with a negative
// seq it loses the whole run. It is for fault drills: the epoch stays, so the
// writer is answered AppendGap and gives the same events again.
func (m *Memory) Lose(run string, after int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[run]
	if r == nil {
		return
	}
	if after < 0 {
		m.removeLocked(r)
		return
	}
	m.bytes -= r.lose(max(after, r.snapshot.Seq, r.base))
}

// lose drops the entries after seq and returns the bytes that became free.
func (r *memRun) lose(seq int64) (freed int64) {
	for len(r.batches) > 0 && r.last > seq {
		b := r.batches[len(r.batches)-1]
		r.batches = slices.Delete(r.batches, len(r.batches)-1, len(r.batches))
		r.events -= len(b.entries)
		freed += b.bytes
		r.last = b.first() - 1
		keep := max(seq+1-b.first(), 0)
		if keep == 0 {
			continue
		}
		kept := memBatch{entries: b.entries[:keep:keep]}
		for _, e := range kept.entries {
			kept.bytes += int64(len(e.Data) + entryOverhead)
		}
		r.batches = append(r.batches, kept)
		r.events += len(kept.entries)
		r.last = seq
		freed -= kept.bytes
	}
	r.bytes -= freed
	return freed
}
