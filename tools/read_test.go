//go:build linux

package tools_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/tools"
)

func TestRead(t *testing.T) {
	b := newBench(t, nil, map[string]string{
		"five":  "1\n2\n3\n4\n5\n",
		"dos":   "\uFEFFone\r\ntwo\r\nthree",
		"empty": "",
		"bytes": "ok\n\xff\xfe bad \xc3\n",
		"bin":   "ELF\x00\x01",
		"utf16": "\xff\xfeh\x00i\x00",
	})
	for _, c := range []struct {
		args object
		want string
	}{
		{object{"path": "five"}, "1\n2\n3\n4\n5\n"},
		{object{"path": "five", "offset": 4}, "4\n5\n"},
		{object{"path": "five", "offset": 2, "limit": 2}, "2\n3\n[lines 2 to 3 of 5; go on with offset 4]\n"},
		{object{"path": "dos"}, "one\ntwo\nthree\n"},
		{object{"path": "empty"}, "(the file is empty)\n"},
		{object{"path": "bytes"}, "ok\n\uFFFD bad \uFFFD\n[some bytes are no UTF-8 and shown as \uFFFD: do not write them back]\n"},
	} {
		if a := b.good("read", c.args); a.text != c.want {
			t.Errorf("%v: %q, want %q", c.args, a.text, c.want)
		}
	}
	b.fails("read", object{"path": "five", "offset": 6}, "five: there is no line 6: it has 5 lines")
	b.fails("read", object{"path": "bin"}, "bin: it is a binary file (application/octet-stream, 5 bytes)")
	b.fails("read", object{"path": "utf16"}, "binary")
	b.fails("read", object{"path": "none"}, "none: no such file or folder")
	a := b.good("read", object{"path": "five", "limit": 2})
	if a.details["done"] != 10.0 || a.details["total"] != 10.0 || a.details["lines"] != 5.0 || a.details["more"] != true {
		t.Errorf("details %v", a.details)
	}
}

func TestReadIsBounded(t *testing.T) {
	b := newBench(t, func(w *tools.Workspace) { w.Limits.ScanBytes = 1 << 20 }, map[string]string{
		"long":    strings.Repeat("ä", 5000) + "\nnext\n",
		"oneline": strings.Repeat("x", 3<<20),
		"many":    strings.Repeat("line\n", 500_000),
		"wide":    strings.Repeat(strings.Repeat("y", 1999)+"\n", 100),
	})
	a := b.good("read", object{"path": "long"})
	if want := strings.Repeat("ä", 1000) + "… (8000 bytes more)\nnext\n"; a.text != want {
		t.Errorf("%.40q … %q", a.text, a.text[len(a.text)-60:])
	}
	if a = b.good("read", object{"path": "oneline"}); len(a.text) > 2200 || a.details["linesCut"] != 1.0 {
		t.Errorf("%d bytes, details %v", len(a.text), a.details)
	}
	if a = b.good("read", object{"path": "many"}); !strings.Contains(a.text, "[lines 1 to 2000 of more than ") {
		t.Errorf("ends in %q", a.text[len(a.text)-80:])
	}
	if a = b.good("read", object{"path": "wide"}); len(a.text) > 49<<10 || !strings.HasSuffix(a.text, "[lines 1 to 24 of 100; go on with offset 25]\n") {
		t.Errorf("%d bytes, ends in %q", len(a.text), a.text[len(a.text)-80:])
	}
	// A sparse file as large as a disk.
	if err := os.Truncate(b.path("oneline"), 1<<40); err != nil {
		t.Fatal(err)
	}
	if a = b.good("read", object{"path": "oneline"}); len(a.text) > 3000 {
		t.Errorf("%d bytes", len(a.text))
	}
	b.fails("edit", object{"path": "oneline", "edits": []object{{"oldText": "x", "newText": "y"}}}, "too large: 1024.0 GiB")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a := b.callContext(ctx, "read", object{"path": "oneline"}, nil); a.err == nil || a.err.Error() != "aborted" {
		t.Errorf("%v", a.err)
	}
}

func TestReadImage(t *testing.T) {
	png, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, nil, map[string]string{"dot": string(png), "big.png": string(png) + strings.Repeat("\x00", 6<<20)})
	a := b.good("read", object{"path": "dot"})
	if len(a.Content) != 2 || a.Content[1].Type != agent.BlockImage || a.Content[1].MimeType != "image/png" || a.Content[1].Data != base64.StdEncoding.EncodeToString(png) {
		t.Errorf("content %v", a.Content)
	}
	if want := fmt.Sprintf("dot: image/png, %d bytes", len(png)); a.text != want {
		t.Errorf("%q, want %q", a.text, want)
	}
	b.fails("read", object{"path": "big.png"}, "the image is too large: 6.0 MiB")
}

func TestScan(t *testing.T) {
	b := newBench(t, nil, map[string]string{
		"go.mod": "module x\n", "src/a.go": "package a\n", "src/deep/b.go": "package b\n", "docs/README.md": "# hi\n",
		".gitignore": "build/\n*.log\n", "build/out.bin": "xxxx", "x.log": "log", ".git/config": "[core]\n", "src/.gitignore": "!keep.log\n", "src/keep.log": "1",
	})
	a := b.good("scan", object{})
	for _, want := range []string{
		".: 7 files in 3 folders, 58 bytes\n", "3 entries left out", "src/  4 files, ", "docs/  1 file, 5 bytes\n", ".go  2 files, 20 bytes\n",
		"(none)  2 files", "largest files:\n  .gitignore  13 bytes\n",
	} {
		if !strings.Contains(a.text, want) {
			t.Errorf("%q is not in:\n%s", want, a.text)
		}
	}
	if a.details["files"] != 7.0 || a.details["folders"] != 3.0 || a.details["done"] != a.details["total"] || a.updates[0]["phase"] != "scanning" {
		t.Errorf("details %v", a.details)
	}
	if a = b.good("scan", object{"ignored": true}); a.details["files"] != 9.0 {
		t.Errorf("details %v", a.details)
	}
	if a = b.good("scan", object{"path": "src/deep"}); !strings.HasPrefix(a.text, "src/deep: 1 file in 0 folders, 10 bytes\n") {
		t.Errorf("%q", a.text)
	}
	b.fails("scan", object{"path": "none"}, "no such file")
}

// A folder that is nested without end is not followed without end.
func TestScanIsBounded(t *testing.T) {
	b := newBench(t, nil, nil)
	deep := strings.Repeat("d/", 100)
	b.put(deep+"f", "x")
	if a := b.good("scan", object{}); a.details["partial"] != true || a.details["files"] != 0.0 {
		t.Errorf("details %v", a.details)
	}
	for i := range 1200 {
		b.put(fmt.Sprintf("kinds/f.k%d", i), "")
	}
	if a := b.good("scan", object{"path": "kinds"}); a.details["files"] != 1200.0 || !strings.Contains(a.text, "(others)  200 files") || len(a.text) > 4000 {
		t.Errorf("%s", a.text)
	}
}
