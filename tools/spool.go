package tools

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// A progress text grows up to one size and is then cut to the other, so that
	// most updates only add to the one before.
	progressMost = 32 << 10
	progressTail = 16 << 10
)

// spool keeps what a command prints: all of it in a file up to a size, beyond that
// its first and last halves; and the last part in memory. Write is called by one
// goroutine; progress may be called by another meanwhile, whole and last only
// after the last Write.
type spool struct {
	// Static after construction.
	file *os.File // has no name any more
	most int64
	keep int // bytes of tail

	// Owned by the writer.
	failed error // why the file is not complete

	mu   sync.Mutex
	tail []byte // the last bytes, keep of them or up to twice as many
	n    int64  // bytes so far
	from int64  // where progress begins
}

func newSpool(most, keep int) (*spool, error) {
	f, err := os.CreateTemp("", "ringside-output-*")
	if err != nil {
		return nil, err
	}
	// Without a name it goes when this process does, however that is.
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return &spool{file: f, most: int64(most), keep: max(keep, progressMost)}, nil
}

// Write never fails: a command is not stopped because a disk is full.
func (s *spool) Write(p []byte) (int, error) {
	s.mu.Lock()
	at := s.n
	s.n += int64(len(p))
	s.tail = append(s.tail, p...)
	if len(s.tail) > 2*s.keep {
		s.tail = slices.Clone(s.tail[len(s.tail)-s.keep:])
	}
	s.mu.Unlock()
	for rest := p; len(rest) > 0 && s.failed == nil; {
		place, room := s.place(at)
		part := rest[:min(int64(len(rest)), room)]
		_, s.failed = s.file.WriteAt(part, place)
		rest, at = rest[len(part):], at+int64(len(part))
	}
	return len(p), nil
}

// place is where byte at of the output is kept, and how many may follow there.
// The second half of the file is written round and round.
func (s *spool) place(at int64) (place, room int64) {
	head := s.most / 2
	if at < head {
		return at, head - at
	}
	ring := s.most - head
	place = head + (at-head)%ring
	return place, s.most - place
}

// progress is the text to show while the command runs, and how much it has
// printed.
func (s *spool) progress() (text string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n-s.from > progressMost {
		s.from = s.n - progressTail
		if i := bytes.IndexByte(s.since(s.from), '\n'); i >= 0 {
			s.from += int64(i) + 1
		}
	}
	return valid(complete(s.since(s.from))), s.n
}

// since is the output from a place on. The caller holds mu.
func (s *spool) since(from int64) []byte {
	begin := s.n - int64(len(s.tail))
	return s.tail[max(from-begin, 0):]
}

// last is the end of the output, from the beginning of a line if it is not all.
func (s *spool) last(most int) (text string, left int64) {
	part := s.since(max(s.n-int64(most), s.n-int64(len(s.tail))))
	if left = s.n - int64(len(part)); left > 0 {
		if i := bytes.IndexByte(part, '\n'); i >= 0 && i < len(part)/2 {
			part, left = part[i+1:], left+int64(i)+1
		}
	}
	return valid(part), left
}

// whole is all that is kept. An output that is too large, or whose file could not
// be written, says so in its place.
func (s *spool) whole() string {
	if s.failed != nil {
		text, left := s.last(s.keep)
		return fmt.Sprintf("[%d bytes could not be kept]\n%s", left, text)
	}
	if s.n <= s.most {
		return valid(s.read(0, s.n))
	}
	head := s.most / 2
	ring := s.most - head
	next, _ := s.place(s.n)
	var b strings.Builder
	b.WriteString(valid(s.read(0, head)))
	fmt.Fprintf(&b, "\n[%d bytes are left out]\n", s.n-head-ring)
	b.WriteString(valid(append(s.read(next, s.most), s.read(head, next)...)))
	return b.String()
}

func (s *spool) read(from, to int64) []byte {
	data := make([]byte, to-from)
	n, err := s.file.ReadAt(data, from)
	if err != nil && err != io.EOF {
		return append(data[:n], "\n[the rest could not be read]\n"...)
	}
	return data[:n]
}

func (s *spool) close() { s.file.Close() }

// complete leaves out a character at the end that is not all there yet.
func complete(text []byte) []byte {
	for i := 1; i <= min(utf8.UTFMax-1, len(text)); i++ {
		if c := text[len(text)-i]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(text[len(text)-i:]) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}
