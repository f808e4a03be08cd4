package redis

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// snapshots packs and unpacks stored snapshots: "epoch|seq|" and the view's JSON,
// compressed. Safe for concurrent use.
type snapshots struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

func newSnapshots() (snapshots, error) {
	// One at a time each: the stateless calls need no goroutines.
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2))
	if err != nil {
		return snapshots{}, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(runlog.MaxViewBytes+1), zstd.WithDecoderConcurrency(2))
	return snapshots{enc, dec}, err
}

func (z snapshots) close() {
	z.enc.Close()
	z.dec.Close()
}

func (z snapshots) pack(s runlog.Snapshot) []byte {
	out := make([]byte, 0, 64+len(s.View)/4)
	out = append(out, s.Epoch...)
	out = append(out, '|')
	out = strconv.AppendInt(out, s.Seq, 10)
	out = append(out, '|')
	return z.enc.EncodeAll(s.View, out)
}

var errSnapshot = errors.New("damaged snapshot")

func (z snapshots) unpack(data string) (s runlog.Snapshot, err error) {
	epoch, rest, ok := strings.Cut(data, "|")
	seq, packed, ok2 := strings.Cut(rest, "|")
	if !ok || !ok2 || epoch == "" {
		return s, fmt.Errorf("%w: it begins with %.40q", errSnapshot, data)
	}
	if s.Seq, err = strconv.ParseInt(seq, 10, 64); err != nil {
		return s, fmt.Errorf("%w: seq %.40q", errSnapshot, seq)
	}
	s.Epoch = epoch
	if s.View, err = z.dec.DecodeAll([]byte(packed), nil); err != nil {
		return s, fmt.Errorf("%w of %s: %w", errSnapshot, s.Position, err)
	}
	return s, nil
}
