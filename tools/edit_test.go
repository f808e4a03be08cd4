//go:build linux

package tools_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ringside-hub/ringside/tools"
)

func edits(pairs ...string) []object {
	var list []object
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, object{"oldText": pairs[i], "newText": pairs[i+1]})
	}
	return list
}

func TestWrite(t *testing.T) {
	b := newBench(t, func(w *tools.Workspace) { w.Limits.FileBytes = 1000 }, map[string]string{"old": "before\n"})
	a := b.good("write", object{"path": "new/deep/f.txt", "content": "one\ntwo"})
	if a.text != "made new/deep/f.txt: 2 lines, 7 bytes\n" || b.get("new/deep/f.txt") != "one\ntwo" || a.details["created"] != true {
		t.Errorf("%q, details %v", a.text, a.details)
	}
	if err := os.Chmod(b.path("old"), 0o750); err != nil {
		t.Fatal(err)
	}
	a = b.good("write", object{"path": "old", "content": ""})
	info, err := os.Stat(b.path("old"))
	if err != nil || a.text != "replaced old: 0 lines, 0 bytes\n" || b.get("old") != "" || info.Mode() != 0o750 {
		t.Errorf("%q %v %v", a.text, info.Mode(), err)
	}
	// A link stays one.
	for link, target := range map[string]string{"link": "old", "dangling": "new/made"} {
		if err := os.Symlink(target, b.path(link)); err != nil {
			t.Fatal(err)
		}
		b.good("write", object{"path": link, "content": "by " + link})
		if got, err := os.Readlink(b.path(link)); err != nil || got != target || b.get(target) != "by "+link {
			t.Errorf("%s: %q %v, content %q", link, got, err, b.get(target))
		}
	}
	b.fails("write", object{"path": "new", "content": ""}, "new: it is a folder")
	b.fails("write", object{"path": ".", "content": ""}, "it is a folder")
	b.fails("write", object{"path": "old/x", "content": ""}, "old/x: a part of the path is not a folder")
	b.fails("write", object{"path": "f", "content": strings.Repeat("x", 1001)}, "too large: 1001 bytes")
	if entries, _ := os.ReadDir(b.dir); len(entries) != 4 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestEdit(t *testing.T) {
	b := newBench(t, nil, nil)
	for name, c := range map[string]struct {
		file  string
		edits []object
		want  string
	}{
		"one":               {"a\nb\nc\n", edits("b", "B"), "a\nB\nc\n"},
		"several":           {"a\nb\nc\n", edits("c\n", "", "a", "1\n2"), "1\n2\nb\n"},
		"all are of before": {"x y\n", edits("x", "y", "y", "z"), "y z\n"},
		"side by side":      {"abcd", edits("ab", "1", "cd", "2"), "12"},
		"crlf":              {"a\r\nb\r\nc\r\n", edits("a\nb", "x\ny\nz"), "x\r\ny\r\nz\r\nc\r\n"},
		"crlf written":      {"a\r\nb\r\n", edits("a\r\nb", "x\r\ny"), "x\r\ny\r\n"},
		"mixed":             {"a\nb\r\nc\r\nd\n", edits("b\nc", "B\nC"), "a\nB\r\nC\r\nd\n"},
		"mostly lf":         {"a\nb\nc\r\nd\n", edits("c\nd", "C\nD"), "a\nb\nC\nD\n"},
		"line feed alone":   {"a\r\nb\r\n", edits("\nb", "\nB"), "a\r\nB\r\n"},
		"bom":               {"\uFEFFa\r\nb", edits("a", "A"), "\uFEFFA\r\nb"},
		"bytes":             {"\xff\xfea\n", edits("a", "b"), "\xff\xfeb\n"},
		"lone cr":           {"a\rb\n", edits("b", "c"), "a\rc\n"},
	} {
		b.put(name, c.file)
		b.good("edit", object{"path": name, "edits": c.edits})
		if got := b.get(name); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestEditRefuses(t *testing.T) {
	const text = "one\n  two\none\naaa\n"
	b := newBench(t, func(w *tools.Workspace) { w.Limits.FileBytes = 1000 }, map[string]string{"f": text, "bin": "a\x00"})
	for want, list := range map[string][]object{
		"f: edit 1: oldText is in the file more than once (lines 1, 3)": edits("one", "1"),
		"edit 2: oldText is not in the file":                            edits("two", "2", "four", "4"),
		"something like it begins at line 2":                            edits("\ttwo", "2"),
		"edit 1: oldText is in the file more than once (lines 4, 4)":    edits("aa", "b"),
		"edits 1 and 2 overlap":                                         edits("two\none", "x", "  two", "y"),
		"edit 1: oldText is empty":                                      edits("", "x"),
		"edit 1: newText is the same":                                   edits("two", "two"),
		"it would become too large":                                     edits("two", strings.Repeat("x", 1000)),
		"0 edits":                                                       nil,
	} {
		b.fails("edit", object{"path": "f", "edits": list}, want)
	}
	b.fails("edit", object{"path": "bin", "edits": edits("a", "b")}, "bin: it is a binary file")
	b.fails("edit", object{"path": "none", "edits": edits("a", "b")}, "none: no such file")
	if b.get("f") != text {
		t.Errorf("a refused edit has changed the file: %q", b.get("f"))
	}
}

func TestEditShowsADiff(t *testing.T) {
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "line %d\r\n", i+1)
	}
	b := newBench(t, nil, map[string]string{"f.txt": text.String(), "big": strings.Repeat("old\n", 30000)})
	a := b.good("edit", object{"path": "f.txt", "edits": edits("line 4\nline 5\nline 6", "line 4\nfive\nline 6", "line 38\n", "")})
	want := `--- a/f.txt
+++ b/f.txt
@@ -2,7 +2,7 @@
 line 2
 line 3
 line 4
-line 5
+five
 line 6
 line 7
 line 8
@@ -35,6 +35,5 @@
 line 35
 line 36
 line 37
-line 38
 line 39
 line 40
`
	if diff := cmp.Diff(want, a.details["diff"]); diff != "" {
		t.Errorf("diff (-want +got):\n%s", diff)
	}
	if a.details["added"] != 1.0 || a.details["removed"] != 2.0 || a.details["firstChangedLine"] != 5.0 || a.details["done"] != 2.0 || a.details["total"] != 2.0 {
		t.Errorf("details %v", a.details)
	}
	if a.text != "edited f.txt: 2 places, +1 -2 lines, the first change at line 5\n" {
		t.Errorf("%q", a.text)
	}
	a = b.good("edit", object{"path": "big", "edits": edits(strings.Repeat("old\n", 30000), strings.Repeat("new\n", 30000))})
	if n := len(a.details["diff"].(string)); n > 32<<10 || n < 16<<10 || a.details["diffCut"] != true {
		t.Errorf("the diff has %d bytes", n)
	}
}

// Calls of one batch change the same file without losing anything.
func TestEditsAtTheSameTime(t *testing.T) {
	b := newBench(t, nil, map[string]string{"f": "<0><1><2><3><4><5><6><7>"})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			b.good("edit", object{"path": "f", "edits": edits(fmt.Sprintf("<%d>", i), fmt.Sprintf("(%d)", i))})
		})
	}
	wg.Wait()
	if got := b.get("f"); got != "(0)(1)(2)(3)(4)(5)(6)(7)" {
		t.Errorf("%q", got)
	}
}

// Whatever the line endings: what is not edited stays byte by byte.
func TestEditKeepsTheRest(t *testing.T) {
	b := newBench(t, nil, nil)
	rapid.Check(t, func(r *rapid.T) {
		part := rapid.StringMatching(`[ab\r\n\x{FEFF}ä]{0,12}`)
		before, after := part.Draw(r, "before"), part.Draw(r, "after")
		b.put("f", before+"OLD"+after)
		a := b.call("edit", object{"path": "f", "edits": edits("OLD", "NEW")})
		if got := b.get("f"); a.err != nil || got != before+"NEW"+after {
			r.Fatalf("%q %v, want %q", got, a.err, before+"NEW"+after)
		}
	})
}
