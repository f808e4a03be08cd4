//go:build linux

package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringside-hub/ringside/tools"
)

func TestGrep(t *testing.T) {
	b := newBench(t, nil, map[string]string{
		"a.go":       "package a\n\nfunc A() {}\nfunc B() {}\n\n\n\n\nfunc C() {}\r\n",
		"sub/b.ts":   "function b() {}\nmäh (x\n",
		"sub/c.tsx":  "func",
		".gitignore": "ignored\n/only-here\n",
		"ignored/x":  "func", "only-here": "func", "sub/only-here": "func here\n",
		"bin": "func\x00", ".git/HEAD": "func\n", "bad": "func \xff\xfe\n",
	})
	for _, c := range []struct {
		args object
		want string
	}{
		{object{"pattern": `^func \w+\(`}, "a.go:3: func A() {}\na.go:4: func B() {}\na.go:9: func C() {}\n[1 file was not searched: binary, too large or not readable]\n"},
		{object{"pattern": `func`, "path": "sub"}, "sub/b.ts:1: function b() {}\nsub/c.tsx:1: func\nsub/only-here:1: func here\n"},
		{object{"pattern": `func`, "glob": "*.{ts,tsx}"}, "sub/b.ts:1: function b() {}\nsub/c.tsx:1: func\n"},
		{object{"pattern": `func`, "glob": "./sub/**/*.ts"}, "sub/b.ts:1: function b() {}\n"},
		{object{"pattern": `MÄH (`, "literal": true, "ignoreCase": true, "path": "sub/b.ts"}, "sub/b.ts:2: mäh (x\n"},
		{object{"pattern": `func`, "path": "bad"}, "bad:1: func \uFFFD\n"},
		{object{"pattern": `A\(|C\(`, "path": "a.go", "context": 1}, "a.go-2- \na.go:3: func A() {}\na.go-4- func B() {}\n--\na.go-8- \na.go:9: func C() {}\n"},
		{object{"pattern": `^func`, "path": "a.go", "context": 2}, "a.go-1- package a\na.go-2- \na.go:3: func A() {}\na.go:4: func B() {}\na.go-5- \na.go-6- \n--\na.go-7- \na.go-8- \na.go:9: func C() {}\n"},
		{object{"pattern": `^func`, "path": "a.go", "limit": 1}, "a.go:3: func A() {}\n[stopped after 1 match]\n"},
		{object{"pattern": `nowhere`, "path": "a.go"}, "(no matches)\n"},
		{object{"pattern": `\}$`, "path": "a.go"}, "a.go:3: func A() {}\na.go:4: func B() {}\na.go:9: func C() {}\n"},
		{object{"pattern": `func`, "ignored": true, "glob": "{ignored,only-*}*"}, "only-here:1: func\nsub/only-here:1: func here\n"},
	} {
		if a := b.good("grep", c.args); a.text != c.want {
			t.Errorf("%v:\n%s\nwant:\n%s", c.args, a.text, c.want)
		}
	}
	a := b.good("grep", object{"pattern": "func"})
	if a.details["matches"] != 7.0 || a.details["files"] != 5.0 || a.details["unread"] != 1.0 || a.details["done"] != 6.0 {
		t.Errorf("details %v", a.details)
	}
	for pattern, want := range map[string]string{
		"(":                       "missing closing ): (",
		`(?=x)`:                   "invalid or unsupported Perl syntax",
		`a\1`:                     "invalid escape sequence",
		"":                        "empty",
		strings.Repeat("x", 1001): "1001 bytes",
		`((a{100}){100}){100}`:    "pattern",
		`(abc){900}`:              "too complex",
	} {
		b.fails("grep", object{"pattern": pattern}, want)
	}
	b.fails("grep", object{"pattern": "x", "glob": "[a"}, "glob: it is not complete")
	b.fails("grep", object{"pattern": "x", "glob": "{a"}, "glob: it is not complete")
	b.fails("grep", object{"pattern": "x", "glob": "[z-a]"}, "glob: it is no pattern")
}

func TestGrepIsBounded(t *testing.T) {
	b := newBench(t, func(w *tools.Workspace) {
		w.Limits.FileBytes = 1 << 20
		w.Limits.ScanBytes = 3 << 20
	}, map[string]string{
		"long":  strings.Repeat("x", 10000) + "needle" + strings.Repeat("y", 200_000) + "needle2\n",
		"many":  strings.Repeat("match\n", 10000),
		"large": strings.Repeat("z", 2<<20),
	})
	a := b.good("grep", object{"pattern": "needle", "path": "long"})
	if len(a.text) > 2600 || !strings.Contains(a.text, "long:1: (9800 bytes before) …xxx") || !strings.Contains(a.text, "xneedley") || !strings.Contains(a.text, "1 very long line was searched only in the first 64.0 KiB") {
		t.Errorf("%d bytes: %.100q", len(a.text), a.text)
	}
	if a = b.good("grep", object{"pattern": "match", "limit": 200}); a.details["matches"] != 200.0 || a.details["more"] != true {
		t.Errorf("details %v", a.details)
	}
	if a = b.good("grep", object{"pattern": "z", "path": "large"}); a.details["unread"] != 1.0 {
		t.Errorf("details %v", a.details)
	}
	for _, name := range []string{"1", "2", "3", "4", "5", "6"} {
		b.put("big/"+name, strings.Repeat("filler filler\n", 70_000))
	}
	if a = b.good("grep", object{"pattern": "needle", "path": "big"}); a.details["more"] != true || !strings.Contains(a.text, "not everything was searched") {
		t.Errorf("%q, details %v", a.text, a.details)
	}
}

// What the rules leave out is what git leaves out.
func TestIgnoresLikeGit(t *testing.T) {
	rules := strings.Join([]string{
		"# comment", "*.log", "!important.log", "/top", "build/", "docs/*.txt", "**/deep", "a/**/z", "abc/**", `\#odd`, `\!bang`, "trail   ",
		`space\ `, "q?x", "[a-c]1", "[!a-c]2", "[^x-z]3", "*.tmp/", "foo/*", "!foo/keep", "x**y", "[", `back\`, `es\*c`, "m[[:digit:]]n", "[]-]4", "päth/*.ö", "**", "!*/", "!*",
		"", "/", "**/", "node_modules",
	}, "\n")
	// Without "**", which would leave out all of it.
	rules = strings.Replace(rules, "\n**\n!*/\n!*", "", 1)
	paths := []string{
		"a.log", "important.log", "sub/a.log", "sub/important.log", "top", "sub/top", "build", "sub/build", "docs/a.txt", "docs/sub/a.txt", "sub/docs/a.txt",
		"deep", "x/deep", "x/y/deep", "a/z", "a/b/z", "a/b/c/z", "za/z", "abc/f", "abc/d/e", "sub/abc/f", "#odd", "!bang", "trail", "trail   ", "space ", "space",
		"qax", "q/x", "a1", "d1", "a2", "d2", "w3", "x3", "n.tmp", "foo/keep", "foo/drop", "xaby", "xy", "x/y", "[", "back", `back\`, "es*c", "esXc", "m5n", "mxn", "]4", "-4",
		"päth/a.ö", "päth/aö", "node_modules", "sub/node_modules/x",
	}
	dir := t.TempDir()
	git := func(args ...string) (string, error) {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "core.excludesFile=/dev/null", "-c", "core.quotePath=false"}, args...)...)
		cmd.Stdin = strings.NewReader(strings.Join(paths, "\x00") + "\x00")
		out, err := cmd.Output()
		return string(out), err
	}
	if _, err := git("init", "-q"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(rules), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := git("check-ignore", "--stdin", "-z", "--no-index")
	if err != nil {
		t.Fatal(err)
	}
	ignored := map[string]bool{}
	for name := range strings.SplitSeq(out, "\x00") {
		ignored[name] = true
	}
	for _, path := range paths {
		// As a walk does: what lies in a folder that is left out is, too.
		got := false
		for i := range len(path) + 1 {
			if i == len(path) {
				got = got || tools.Ignores(rules, path, false)
			} else if path[i] == '/' {
				got = got || tools.Ignores(rules, path[:i], true)
			}
		}
		if got != ignored[path] {
			t.Errorf("%q: ignored %v, git says %v", path, got, ignored[path])
		}
	}
}

func FuzzIgnore(f *testing.F) {
	f.Add("*.log\n!a\n/x/**/y\n[a-", "a/b.log")
	f.Add(`\`, "")
	f.Add("[[:x:]]\n[]]\n[\\", "]")
	f.Fuzz(func(t *testing.T, rules, path string) {
		tools.Ignores(rules, path, false)
		tools.Ignores(rules, path, true)
	})
}
