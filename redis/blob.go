package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// pieceBytes is how much of an output one call writes or reads.
const pieceBytes = 512 << 10

// putBlob writes an output piece by piece under an id of its own, and names it
// when it is whole.
func (w *writer) putBlob(ctx context.Context, name string, content io.Reader) error {
	id := rand.Text()
	keys := w.keys
	keys.keys = append(slices.Clip(w.keys.keys), w.keys.blob+id)
	write := func(at int64, piece []byte) error {
		_, err := w.callKeys(ctx, w.store.scripts.blobWrite, keys, at, piece)
		return err
	}
	if err := write(0, nil); err != nil {
		return err // before reading what would be thrown away
	}
	size, err := copyPieces(ctx, content, min(runlog.MaxBlobBytes, w.store.cfg.Limits.BlobBytes), write)
	if err == nil {
		l := w.store.cfg.Limits
		var r reply
		r, err = w.callKeys(ctx, w.store.scripts.blobCommit, keys, name, id, size, l.BlobKeepFor.Milliseconds(), l.BlobBytes, l.Blobs)
		if err == nil && r.text(0) != "ok" {
			err = fmt.Errorf("%w: its pieces were lost", runlog.ErrUnavailable)
		}
		if err == nil {
			return nil
		}
	}
	// What nobody can name expires by itself; this only frees it sooner. It must
	// not be done where a commit's answer may only be lost.
	if !errors.Is(err, runlog.ErrUnavailable) && size > 0 {
		w.store.call(context.WithoutCancel(ctx), func(ctx context.Context) error {
			return w.store.client.Unlink(ctx, keys.keys[len(keys.keys)-1]).Err()
		})
	}
	return err
}

// copyPieces reads to the end, at most limit bytes, and writes pieces.
func copyPieces(ctx context.Context, from io.Reader, limit int64, write func(at int64, piece []byte) error) (size int64, err error) {
	buf := make([]byte, pieceBytes)
	for {
		if err := ctx.Err(); err != nil {
			return size, err
		}
		n, err := fill(from, buf)
		if size+int64(n) > limit {
			return size, fmt.Errorf("%w: at most %d bytes", runlog.ErrTooLarge, limit)
		}
		ended := err == io.EOF
		if err != nil && !ended {
			return size, err
		}
		if n > 0 {
			if err := write(size, buf[:n]); err != nil {
				return size, err
			}
			size += int64(n)
		}
		if ended {
			return size, nil
		}
	}
}

// fill reads until buf is full or from ends. Not io.ReadFull: that makes the
// content's own "unexpected EOF" look like its end.
func fill(from io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var m int
		m, err = from.Read(buf[n:])
		n += m
	}
	return n, err
}

func (s *Store) openBlob(ctx context.Context, run, name string) (io.ReadSeekCloser, error) {
	none := fmt.Errorf("%w: %.40q of run %s", runlog.ErrNoBlob, name, run)
	if runlog.CheckBlobName(name) != nil {
		return nil, none
	}
	k := s.names.run(run)
	b := &blobReader{store: s}
	err := s.call(ctx, func(ctx context.Context) error {
		line, err := s.client.HGet(ctx, k.keys[3], name).Result()
		if err != nil {
			return err
		}
		id, rest, _ := strings.Cut(line, " ")
		if _, err := fmt.Sscan(rest, &b.size); err != nil {
			return goredis.Nil
		}
		b.key = k.blob + id
		// Its name may live longer than the output.
		n, err := s.client.Exists(ctx, b.key).Result()
		if err == nil && n == 0 {
			return goredis.Nil
		}
		return err
	})
	if errors.Is(err, goredis.Nil) {
		return nil, none
	}
	if err != nil {
		return nil, err
	}
	b.none = none
	return b, nil
}

// blobReader reads one output. Not safe for concurrent use.
type blobReader struct {
	// static after construction
	store *Store
	key   string
	size  int64
	none  error

	at     int64
	closed bool
	// piece is what was read from pieceAt on.
	piece   string
	pieceAt int64
}

func (b *blobReader) Close() error {
	b.closed, b.piece = true, ""
	return nil
}

func (b *blobReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += b.at
	case io.SeekEnd:
		offset += b.size
	}
	if offset < 0 {
		return b.at, fmt.Errorf("output: seek to %d", offset)
	}
	b.at = offset
	return b.at, nil
}

func (b *blobReader) Read(p []byte) (int, error) {
	switch {
	case b.closed:
		return 0, errors.New("output: read after close")
	case b.at >= b.size:
		return 0, io.EOF
	case len(p) == 0:
		return 0, nil
	}
	if b.at < b.pieceAt || b.at >= b.pieceAt+int64(len(b.piece)) {
		if err := b.fetch(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.piece[b.at-b.pieceAt:])
	b.at += int64(n)
	return n, nil
}

func (b *blobReader) fetch() error {
	end := min(b.at+pieceBytes, b.size)
	err := b.store.call(b.store.ctx, func(ctx context.Context) (err error) {
		b.piece, err = b.store.client.GetRange(ctx, b.key, b.at, end-1).Result()
		return err
	})
	b.pieceAt = b.at
	switch {
	case err != nil:
		b.piece = ""
		return err
	case int64(len(b.piece)) != end-b.at:
		b.piece = ""
		return b.none // it was replaced or has expired
	}
	return nil
}
