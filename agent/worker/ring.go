package worker

// ring keeps the encoded events with the newest seqs, contiguous, so that a
// store that lost some can be given them again. Those after acked are never
// dropped.
type ring struct {
	maxEvents, maxBytes int

	first int64 // the seq of data[0]
	data  [][]byte
	bytes int
}

// reset empties the ring; the next push has seq first.
func (r *ring) reset(first int64) {
	r.first, r.data, r.bytes = first, nil, 0
}

// next is the seq after the newest.
func (r *ring) next() int64 { return r.first + int64(len(r.data)) }

// push adds the event with seq next.
func (r *ring) push(data []byte) {
	r.data = append(r.data, data)
	r.bytes += len(data)
}

// trim drops the oldest events up to acked until the bounds are kept.
func (r *ring) trim(acked int64) {
	n := 0
	for len(r.data)-n > r.maxEvents || r.bytes > r.maxBytes {
		if n == len(r.data) || r.first+int64(n) > acked {
			break
		}
		r.bytes -= len(r.data[n])
		r.data[n] = nil
		n++
	}
	r.data = r.data[n:]
	r.first += int64(n)
}

// has says whether all events from seq on are there.
func (r *ring) has(seq int64) bool { return seq >= r.first && seq <= r.next() }

// from returns the events from seq on, as many as fit and at least one.
func (r *ring) from(seq int64, maxEvents, maxBytes int) [][]byte {
	all := r.data[seq-r.first:]
	n := 0
	for n < len(all) && n < maxEvents {
		maxBytes -= len(all[n])
		if n > 0 && maxBytes < 0 {
			break
		}
		n++
	}
	return all[:n:n]
}

// replace puts another event in place of the one at seq.
func (r *ring) replace(seq int64, data []byte) {
	i := seq - r.first
	r.bytes += len(data) - len(r.data[i])
	r.data[i] = data
}
