package repo_test

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxLines is where a source file has more than one responsibility.
const maxLines = 500

// machine matches what belongs to one machine and not into a repository. (Put
// together, so that this file passes its own test.)
var machine = regexp.MustCompile(`(?:^|[^A-Za-z0-9_.-])/(?:wor` + `k|roo` + `t)/|\.\./shar` + `ed\b`)

func TestFiles(t *testing.T) {
	for _, name := range files(t) {
		data := read(t, name)
		if !isText(data) {
			continue
		}
		for _, problem := range problems(name, data) {
			t.Errorf("%s", problem)
		}
	}
}

func isText(data []byte) bool { return !bytes.Contains(data[:min(len(data), 8000)], []byte{0}) }

// problems says what is wrong with a text file.
func problems(name string, data []byte) []string {
	var list []string
	for n, line := range bytes.Split(data, []byte{'\n'}) {
		if found := machine.Find(line); found != nil {
			list = append(list, at(name, n)+"contains "+strings.TrimSpace(string(found))+", a path of one machine")
		}
	}
	if lines := bytes.Count(data, []byte{'\n'}); lines > maxLines && isSource(name) {
		list = append(list, fmt.Sprintf("%s: %d lines, at most %d: split it by responsibility", name, lines, maxLines))
	}
	if path.Base(name) == "package-lock.json" && bytes.Contains(data, []byte(`"resolved": "http`)) {
		list = append(list, name+": names the registry that it was made with: npm's omit-lockfile-registry-resolved leaves that out")
	}
	return list
}

func at(name string, line int) string { return fmt.Sprintf("%s:%d: ", name, line+1) }

func isSource(name string) bool {
	folders := strings.Split(path.Dir(name), "/")
	return slices.Contains([]string{".go", ".ts", ".tsx"}, path.Ext(name)) &&
		!slices.Contains(folders, "dist") && !slices.Contains(folders, "testdata")
}

// The checks must be able to find something.
func TestProblems(t *testing.T) {
	long := strings.Repeat("x\n", maxLines+1)
	for _, c := range []struct {
		name, text string
		want       int
	}{
		{"a.md", "see /wor" + "k/main/x", 1},
		{"a.md", "`/roo" + "t/.config`\nor ../shar" + "ed/design.md", 2},
		{"a.md", "agent/wor" + "k/x, framework/root/x, /home/dev/x, network/", 0},
		{"a.go", long, 1},
		{"web/src/a.tsx", long, 1},
		{"a.md", long, 0},
		{"web/dist/a.ts", long, 0},
		{"web/package-lock.json", `"resolved": "https://registry.example/a.tgz"`, 1},
	} {
		if got := problems(c.name, []byte(c.text)); len(got) != c.want {
			t.Errorf("%s: %q, want %d problems", c.name, got, c.want)
		}
	}
}
