package redis

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ringside-hub/ringside/hub/runlog"
)

func TestFrames(t *testing.T) {
	for _, events := range [][][]byte{
		{[]byte("{}")},
		{[]byte("a"), bytes.Repeat([]byte("b"), 300), []byte("\x00\n ")},
		slices.Repeat([][]byte{[]byte("x")}, runlog.MaxBatchEvents),
	} {
		data := appendFrames(nil, events)
		if len(data) > framesSize(events) {
			t.Errorf("%d bytes, room for %d", len(data), framesSize(events))
		}
		got, err := splitFrames(string(data), len(events))
		if err != nil || !slices.EqualFunc(got, events, bytes.Equal) {
			t.Errorf("%d events came back as %d, %v", len(events), len(got), err)
		}
		for name, damaged := range map[string]string{
			"cut": string(data[:len(data)-1]), "longer": string(data) + "\x01y", "empty": "",
			"empty event": "\x00" + string(data), "endless": "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		} {
			if _, err := splitFrames(damaged, len(events)); !errors.Is(err, errFrames) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, n := range []int{-1, 0, len(events) - 1, len(events) + 1, 1 << 40} {
			if _, err := splitFrames(string(data), n); !errors.Is(err, errFrames) {
				t.Errorf("%d events read as %d: %v", len(events), n, err)
			}
		}
	}
}

func TestParseMessage(t *testing.T) {
	events := [][]byte{[]byte(`{"a":1}`), []byte("\n \n")}
	for _, c := range []struct {
		in   string
		want string
	}{
		{"E 5 ep 7 2\n" + string(appendFrames(nil, events)), "E {5 ep 8} 2 \"\" false"},
		{"N 5 ep 9", "N {5 ep 9} 0 \"\" false"},
		{"R 5 ep 0", "R {5 ep 0} 0 \"\" false"},
		{"B 5 ep 9 1 host/1 (me)\nand more", `B {5 ep 9} 0 "host/1 (me)\nand more" true`},
		{"B 5 ep 9 0 ", `B {5 ep 9} 0 "" false`},
	} {
		m, err := parseMessage(c.in)
		got := fmt.Sprintf("%c %v %d %q %v", m.kind, m.head, len(m.batch.entries), m.owner, m.released)
		if err != nil || got != c.want {
			t.Errorf("%q: %s, %v; want %s", c.in, got, err, c.want)
		}
	}
	for _, bad := range []string{
		"", "E", "X 5 ep 7", "E 5 ep 7", "E 5 ep 7 1\n", "E 5 ep 7 0\n", "E 5 ep 7 1 1\n\x01x", "N 5 ep -1", "N x ep 1", "N 5  1",
		"N 5 ep 9007199254740993", "B 5 ep 9 1", "EE 5 ep 7 1\n\x01x",
	} {
		if m, err := parseMessage(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, m)
		}
	}
}

// FuzzParseMessage: whatever another client publishes, nothing panics, and what
// is accepted is whole.
func FuzzParseMessage(f *testing.F) {
	f.Add("E 5 ep 7 1\n\x01x")
	f.Add("B 5 ep 9 1 host")
	f.Add("R 1 e 0")
	f.Fuzz(func(t *testing.T, s string) {
		m, err := parseMessage(s)
		if err != nil {
			return
		}
		if m.head.epoch == "" || m.head.seq < 0 || (m.kind == 'E') != (len(m.batch.entries) > 0) {
			t.Fatalf("%q is read as %+v", s, m)
		}
	})
}

func FuzzSnapshot(f *testing.F) {
	z, err := newSnapshots()
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(z.close)
	f.Add(string(z.pack(runlog.Snapshot{Position: runlog.Position{Epoch: "e", Seq: 3}, View: []byte(`{"turn":1}`)})))
	f.Add("e|1|")
	f.Fuzz(func(t *testing.T, s string) {
		got, err := z.unpack(s)
		if err != nil {
			return
		}
		again, err := z.unpack(string(z.pack(got)))
		if err != nil || again.Position != got.Position || !bytes.Equal(again.View, got.View) {
			t.Fatalf("%q: %v became %v, %v", s, got, again, err)
		}
	})
}

// TestSnapshotBomb: a stored snapshot cannot take more memory than a view may.
func TestSnapshotBomb(t *testing.T) {
	z, err := newSnapshots()
	if err != nil {
		t.Fatal(err)
	}
	defer z.close()
	bomb := z.pack(runlog.Snapshot{Position: runlog.Position{Epoch: "e", Seq: 3}, View: make([]byte, 4*runlog.MaxViewBytes)})
	if s, err := z.unpack(string(bomb)); err == nil {
		t.Errorf("unpacked %d bytes", len(s.View))
	}
}

func TestParseLine(t *testing.T) {
	x, err := parseLine("r", `1700 1 5 ep 42 {"owner":"host/1","summary":{"title":"a b"}}`)
	if err != nil || x.line.Seq != 42 || x.line.Epoch != "ep" || x.line.HeardMs != 0 || x.line.Owner != "host/1" || x.line.Title != "a b" {
		t.Errorf("%+v, %v", x, err)
	}
	for _, bad := range []string{"", "1700 1 5 ep 42", "x 1 5 ep 42 {}", "1700 1 5 ep x {}", "1700 1 5 ep 42 {", `1 1 5 ep 42 {"owner":1}`} {
		if x, err := parseLine("r", bad); err == nil {
			t.Errorf("%q is read as %+v", bad, x)
		}
	}
}

func TestPartitions(t *testing.T) {
	seen := map[int]bool{}
	for _, tag := range tags {
		seen[slot(fmt.Sprint(tag))*partitions/16384] = true
	}
	if len(seen) != partitions {
		t.Errorf("the tags cover %d of %d parts of a cluster's slots", len(seen), partitions)
	}
	n := names{"rs"}
	for _, run := range []string{"a", "b", "some-run_1"} {
		tag := n.partition(partitionOf(run))
		k := n.run(run)
		for _, key := range append(slices.Clone(k.keys), k.channel, k.indexChannel, k.blob) {
			if key[:len(tag)] != tag {
				t.Errorf("run %s: %s is not in partition %s", run, key, tag)
			}
		}
	}
}

// slot is Redis Cluster's slot of a hash tag: CRC-16/XMODEM.
func slot(tag string) int {
	crc := uint16(0)
	for _, c := range []byte(tag) {
		crc ^= uint16(c) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return int(crc % 16384)
}
