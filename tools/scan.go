package tools

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ringside-hub/ringside/agent"
)

const (
	maxKinds   = 1000 // file name endings that are counted apart
	listKinds  = 12
	listParts  = 40
	listLarge  = 8
	maxEndings = 16 // bytes of an ending
)

type scanArgs struct {
	Path    string `json:"path"`
	Ignored bool   `json:"ignored"`
}

type scanDetails struct {
	state
	Files   int   `json:"files"`
	Folders int   `json:"folders"`
	Bytes   int64 `json:"bytes"`
	Skipped int   `json:"skipped,omitzero"` // left out by .gitignore
	Partial bool  `json:"partial,omitzero"` // there is more than was counted
}

// amount counts files.
type amount struct {
	name  string
	files int
	bytes int64
}

// inventory is what scan finds out.
type inventory struct {
	total   amount
	folders int
	links   int
	other   int
	parts   map[string]*amount // by entry of the folder itself
	kinds   map[string]*amount // by ending
	large   []amount           // the largest files, the largest first
}

func scanTool(b *toolbox) (agent.Tool, error) {
	return defineFile(b, "scan", "Scan folder", (*call).scan)
}

func (c *call) scan(args scanArgs) (agent.ToolResult, error) {
	dir, err := c.resolve(args.Path)
	if err != nil {
		return agent.ToolResult{}, err
	}
	inv := inventory{parts: map[string]*amount{}, kinds: map[string]*amount{}}
	w := &walk{call: c, ignored: args.Ignored}
	details := func(s state) scanDetails {
		return scanDetails{state: s, Files: inv.total.files, Folders: inv.folders, Bytes: inv.total.bytes, Skipped: w.skipped, Partial: w.partial}
	}
	w.visit = func(e entry) error {
		inv.add(dir, e)
		if c.due() {
			c.report(fmt.Sprintf("%s, %s so far\n", plural(inv.total.files, "file", "files"), size(inv.total.bytes)),
				details(counted(phaseScanning, w.seen)))
		}
		return nil
	}
	c.report("", details(counted(phaseScanning, 0)))
	if err := w.from(dir); err != nil {
		return agent.ToolResult{}, err
	}
	return textResult(inv.text(dir, w), details(outOf(phaseDone, w.seen, w.seen))), nil
}

func (inv *inventory) add(dir string, e entry) {
	switch {
	case e.IsDir():
		inv.folders++
		return
	case e.Type()&fs.ModeSymlink != 0:
		inv.links++
		return
	case !e.Type().IsRegular():
		inv.other++
		return
	}
	info, err := e.Info()
	if err != nil { // it has gone meanwhile
		return
	}
	a := amount{e.path, 1, info.Size()}
	inv.total.add(a)
	rel := strings.TrimPrefix(e.path, strings.TrimPrefix(dir+"/", "./"))
	if part, _, below := strings.Cut(rel, "/"); below {
		count(inv.parts, part+"/", a)
	}
	count(inv.kinds, extension(e.path), a)
	at, _ := slices.BinarySearchFunc(inv.large, a, func(x, y amount) int { return cmp.Compare(y.bytes, x.bytes) })
	if at < listLarge {
		inv.large = slices.Insert(inv.large, at, a)
		inv.large = inv.large[:min(len(inv.large), listLarge)]
	}
}

func (a *amount) add(b amount) {
	a.files += b.files
	a.bytes += b.bytes
}

func count(in map[string]*amount, name string, a amount) {
	if in[name] == nil {
		if len(in) >= maxKinds {
			name = "(others)"
		}
		if in[name] == nil {
			in[name] = &amount{name: name}
		}
	}
	in[name].add(a)
}

func extension(file string) string {
	e := strings.ToLower(path.Ext(file))
	if e == "" || e == path.Base(file) || len(e) > maxEndings {
		return "(none)"
	}
	return e
}

func (inv *inventory) text(dir string, w *walk) string {
	text := lines{most: w.Limits.ResultBytes}
	text.add(fmt.Sprintf("%s: %s in %s, %s", shown(dir), plural(inv.total.files, "file", "files"),
		plural(inv.folders, "folder", "folders"), size(inv.total.bytes)))
	for _, more := range []struct {
		n    int
		what string
	}{
		{inv.links, "symbolic links, not followed"}, {inv.other, "that are no regular files"},
		{w.skipped, "entries left out (.git and .gitignore)"}, {w.errors, "folders that could not be read"},
	} {
		if more.n > 0 {
			text.add(fmt.Sprintf("  and %d %s", more.n, more.what))
		}
	}
	if w.partial {
		text.add("  and more: it is too large to be counted as a whole")
	}
	list := func(title string, amounts []amount, most int) {
		if len(amounts) == 0 {
			return
		}
		text.add(title)
		for _, a := range amounts[:min(len(amounts), most)] {
			files := ""
			if a.files > 1 || strings.HasSuffix(a.name, "/") || title == kindsTitle {
				files = plural(a.files, "file", "files") + ", "
			}
			text.add(fmt.Sprintf("  %s  %s%s", shown(a.name), files, size(a.bytes)))
		}
		if more := len(amounts) - most; more > 0 {
			text.add(fmt.Sprintf("  and %d more", more))
		}
	}
	list("folders:", sorted(inv.parts), listParts)
	list(kindsTitle, sorted(inv.kinds), listKinds)
	list("largest files:", inv.large, listLarge)
	return text.String()
}

const kindsTitle = "kinds of files:"

// sorted puts what has most files first.
func sorted(m map[string]*amount) []amount {
	var list []amount
	for a := range maps.Values(m) {
		list = append(list, *a)
	}
	slices.SortFunc(list, func(a, b amount) int {
		return cmp.Or(cmp.Compare(b.files, a.files), cmp.Compare(a.name, b.name))
	})
	return list
}
