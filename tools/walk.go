package tools

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

const (
	maxDepth  = 64   // folders within each other that a walk enters
	readAhead = 1024 // entries read from a folder at one time
)

// walk goes through a folder of the workspace, sorted by name. It follows no
// symbolic links and never enters .git.
type walk struct {
	*call
	ignored bool // also what .gitignore leaves out
	visit   func(entry) error

	seen    int // entries so far
	read    int // entries read from folders so far
	skipped int // left out by .gitignore
	errors  int // folders that could not be read
	partial bool
}

// entry is one thing that a walk comes by.
type entry struct {
	path string // slash-separated, from the workspace
	fs.DirEntry
}

// errEnough ends a walk early without being an error.
var errEnough = errors.New("enough")

// from starts at the folder dir, or visits the file dir alone.
func (w *walk) from(dir string) error {
	info, err := w.root.Stat(dir)
	if err != nil {
		return w.failed(dir, err)
	}
	if !info.IsDir() {
		w.seen++
		return w.ended(w.visit(entry{dir, fs.FileInfoToDirEntry(info)}))
	}
	var rules *ignoreRules
	if !w.ignored {
		rules = w.rulesAbove(dir)
	}
	return w.ended(w.folder(dir, rules, 0))
}

func (w *walk) ended(err error) error {
	if errors.Is(err, errEnough) {
		w.partial = true
		return nil
	}
	return err
}

// rulesAbove collects the rules of the folders that dir lies in.
func (w *walk) rulesAbove(dir string) *ignoreRules {
	rules := w.readRules(nil, "", ".git/info/exclude")
	for above := range parents(dir) {
		rules = w.readRules(rules, strings.TrimPrefix(above, "."), path.Join(above, ".gitignore"))
	}
	return rules
}

// parents gives the folders above dir, the highest first.
func parents(dir string) func(func(string) bool) {
	return func(yield func(string) bool) {
		if dir == "." || !yield(".") {
			return
		}
		for i := range len(dir) {
			if dir[i] == '/' && !yield(dir[:i]) {
				return
			}
		}
	}
}

// readRules adds the rules of a file to those above; without one, or one that
// cannot be read, those stay.
func (w *walk) readRules(above *ignoreRules, dir, file string) *ignoreRules {
	f, _, err := w.openFile(file)
	if err != nil {
		return above
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxIgnoreBytes))
	if err != nil {
		return above
	}
	return parseIgnore(above, dir, string(text))
}

func (w *walk) folder(dir string, rules *ignoreRules, depth int) error {
	entries, err := w.entries(dir)
	if err != nil {
		if depth == 0 || w.ctx.Err() != nil {
			return err
		}
		w.errors++
		return nil
	}
	if !w.ignored && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".gitignore" }) {
		rules = w.readRules(rules, strings.TrimPrefix(dir, "."), path.Join(dir, ".gitignore"))
	}
	for _, d := range entries {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if w.seen >= w.Limits.Entries {
			return errEnough
		}
		w.seen++
		e := entry{path.Join(dir, d.Name()), d}
		if d.Name() == ".git" || !w.ignored && rules.ignores(e.path, d.IsDir()) {
			w.skipped++
			continue
		}
		if err := w.visit(e); err != nil {
			return err
		}
		if !d.IsDir() {
			continue
		}
		if depth == maxDepth {
			w.partial = true
			continue
		}
		if err := w.folder(e.path, rules, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// entries reads a folder, no more of it than the walk may still visit: what has
// been read is held, on each level.
func (w *walk) entries(dir string) ([]fs.DirEntry, error) {
	list, more, err := w.readDir(dir, w.Limits.Entries-w.read)
	w.read += len(list)
	if more {
		w.partial = true
	}
	return list, err
}

// readDir reads up to most entries of a folder, sorted by name. more tells
// whether there are others.
func (c *call) readDir(dir string, most int) (list []fs.DirEntry, more bool, err error) {
	f, err := c.root.OpenFile(dir, os.O_RDONLY|openQuietly, 0)
	if err != nil {
		return nil, false, c.failed(dir, err)
	}
	defer f.Close()
	if err := refuseKernelFiles(f); err != nil {
		return nil, false, c.failed(dir, err)
	}
	for {
		if err := c.ctx.Err(); err != nil {
			return nil, false, err
		}
		part, err := f.ReadDir(readAhead)
		list = append(list, part...)
		if more = len(list) > most; more {
			list = list[:most]
			break
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, false, c.failed(dir, err)
		}
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, more, nil
}
