package tools

import (
	"bytes"
	"fmt"
)

// maxSearchedLine is how much of a line a pattern is tried on, so that one step
// of a search is short.
const maxSearchedLine = 64 << 10

// checkEvery is how many bytes are searched between two looks at the context.
const checkEvery = 64 << 10

// file searches one file. What cannot be read is counted and passed over.
func (s *search) file(path string) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if s.bytes > int64(s.Limits.ScanBytes) {
		return errEnough
	}
	data, _, err := s.readFile(path)
	if err != nil || isBinary(data) {
		s.unread++
		return nil
	}
	s.searched++
	s.bytes += int64(len(data))
	f := found{search: s, path: shown(path), lines: bytes.SplitAfter(data, []byte("\n")), shown: -1}
	before := s.matches
	err = f.run()
	if s.matches > before {
		s.files++
	}
	if s.due() {
		s.report(s.text.String(), s.details(phaseSearching))
	}
	return err
}

// found is the search of one file.
type found struct {
	*search
	path  string
	lines [][]byte
	shown int // the last line in the result; -1 before the first
}

func (f *found) run() error {
	unchecked := 0
	for i, line := range f.lines {
		if unchecked += len(line) + 1; unchecked > checkEvery {
			unchecked = 0
			if err := f.ctx.Err(); err != nil {
				return err
			}
		}
		if i == len(f.lines)-1 && len(line) == 0 {
			break
		}
		line = chomp(line)
		if len(line) > maxSearchedLine {
			line = line[:maxSearchedLine]
			f.longLines++
		}
		if !f.pattern.Match(line) {
			continue
		}
		f.matches++
		f.match(i)
		if f.text.full || f.matches >= f.most {
			return errEnough
		}
	}
	return nil
}

// match shows a line with its context, as far as that is not there yet.
func (f *found) match(at int) {
	from := max(at-f.context, 0)
	if f.shown >= from {
		// The line may be in the result as context of the one before.
		from = f.shown + 1
	} else if f.context > 0 && f.text.Len() > 0 {
		f.text.add("--")
	}
	for i := from; i <= min(at+f.context, len(f.lines)-1); i++ {
		line := f.lines[i]
		if i == len(f.lines)-1 && len(line) == 0 {
			break
		}
		mark := "-"
		if i == at || i > at && f.pattern.Match(chomp(line[:min(len(line), maxSearchedLine)])) {
			mark = ":"
		}
		f.text.add(fmt.Sprintf("%s%s%d%s %s", f.path, mark, i+1, mark, f.excerpt(chomp(line))))
		f.shown = i
	}
}

// excerpt is what of a line is shown: all, or the surroundings of the match.
func (f *found) excerpt(line []byte) string {
	const before = 200
	if len(line) <= maxLine {
		return valid(line)
	}
	at := f.pattern.FindIndex(line[:min(len(line), maxSearchedLine)])
	if at == nil || at[0] < maxLine/2 {
		return clip(line, len(line))
	}
	from := at[0] - before
	return fmt.Sprintf("(%d bytes before) …%s", from, clip([]byte(wholeTail(string(line[from:]), len(line)-from)), len(line)-from))
}

func chomp(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}
