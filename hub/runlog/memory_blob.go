package runlog

import (
	"bytes"
	"container/list"
	"context"
	"fmt"
	"io"
	"maps"
)

// memBlob is one whole output. Its data never changes: a second put makes a
// new one.
type memBlob struct {
	run     *memRun
	name    string
	data    []byte
	element *list.Element
}

type blobReader struct{ *bytes.Reader }

func (blobReader) Close() error { return nil }

func (b *memBlob) open() io.ReadSeekCloser { return blobReader{bytes.NewReader(b.data)} }

// readBlob reads to the end, at most limit bytes, and stops between two reads
// when ctx ends.
func readBlob(ctx context.Context, r io.Reader, limit int64) ([]byte, error) {
	var buf bytes.Buffer
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		_, err := io.CopyN(&buf, r, min(64<<10, limit+1-int64(buf.Len())))
		switch {
		case int64(buf.Len()) > limit:
			return nil, fmt.Errorf("%w: at most %d bytes", ErrTooLarge, limit)
		case err == io.EOF:
			return bytes.Clone(buf.Bytes()), nil // not the spare room
		case err != nil:
			return nil, err
		}
	}
}

// putBlobLocked stores data and lets the oldest blobs of all runs go.
func (m *Memory) putBlobLocked(r *memRun, name string, data []byte) {
	if old := r.blobs[name]; old != nil {
		m.dropBlobLocked(old)
	}
	b := &memBlob{run: r, name: name, data: data}
	b.element = m.blobs.PushBack(b)
	r.blobs[name] = b
	m.blobBytes += b.cost()
	for m.blobBytes > m.cfg.BlobBytes && m.blobs.Front() != b.element {
		m.dropBlobLocked(m.blobs.Front().Value.(*memBlob))
	}
}

// cost counts more than the data, so that empty blobs are bounded too.
func (b *memBlob) cost() int64 { return int64(len(b.data) + len(b.name) + 256) }

func (m *Memory) dropBlobLocked(b *memBlob) {
	m.blobs.Remove(b.element)
	delete(b.run.blobs, b.name)
	m.blobBytes -= b.cost()
}

func (m *Memory) dropBlobsLocked(r *memRun) {
	for b := range maps.Values(r.blobs) {
		m.dropBlobLocked(b)
	}
}
