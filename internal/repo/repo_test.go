package repo_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// root is the repository's folder, as seen from this package's.
const root = "../.."

const module = "github.com/ringside-hub/ringside"

// goPackage is what `go list -json` says of one package.
type goPackage struct {
	ImportPath string
	Doc        string
	Imports    []string
}

// path is the package's place in the module: "hub/view".
func (p goPackage) path() string { return ours(p.ImportPath) }

// ours returns the place in the module of a package of ours, "" for any other.
func ours(importPath string) string {
	rest, ok := strings.CutPrefix(importPath, module+"/")
	if !ok {
		return ""
	}
	return rest
}

// packages lists the module's packages. Imports do not include those of tests.
func packages(t *testing.T) []goPackage {
	t.Helper()
	var list []goPackage
	decoder := jsontext.NewDecoder(bytes.NewReader(output(t, "go", "list", "-json=ImportPath,Doc,Imports", "./...")))
	for {
		var p goPackage
		err := json.UnmarshalDecode(decoder, &p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		list = append(list, p)
	}
	if len(list) == 0 {
		t.Fatal("go list found no package")
	}
	return list
}

// files lists the repository's files as slash paths from its root: those that
// git tracks or would add, or everything where this is no git checkout.
func files(t *testing.T) []string {
	t.Helper()
	list := walk(t)
	if _, err := os.Stat(filepath.Join(root, ".git")); err == nil {
		// The checkout may belong to another user than the one who tests.
		out := output(t, "git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
		tracked := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
		slices.Sort(tracked)
		list = slices.DeleteFunc(list, func(name string) bool {
			_, found := slices.BinarySearch(tracked, name)
			return !found
		})
	}
	if len(list) == 0 {
		t.Fatal("found no file")
	}
	return list
}

// walk lists what lies on the disk. It reads every folder, which also tells
// the test cache that a new file makes old results stale.
func walk(t *testing.T) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err = filepath.Rel(root, name)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if d.IsDir() {
			switch d.Name() {
			case ".git", "node_modules", ".tools", ".cache":
				return fs.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() {
			list = append(list, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// output runs a command in the repository's root.
func output(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, stderr.Bytes())
	}
	return out
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
