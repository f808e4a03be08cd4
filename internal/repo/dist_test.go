package repo_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// What web/dist is built from, as web/vite.config.ts has it.
var (
	sourceFolders = []string{"client", "src", "public"}
	sourceFiles   = []string{"package.json", "package-lock.json", "vite.config.ts", "tsconfig.json", "index.html"}
)

// sourcesHash is what the build writes to dist/sources.sha256: the SHA-256 of
// the lines "<sha256 of the file>  <path>\n" of all sources but tests, sorted by
// path. A folder that does not exist has no files.
func sourcesHash(web fs.FS) (string, error) {
	names := slices.Clone(sourceFiles)
	for _, folder := range sourceFolders {
		err := fs.WalkDir(web, folder, func(name string, d fs.DirEntry, err error) error {
			switch {
			case name == folder && errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			case d.Type().IsRegular() && !strings.HasSuffix(name, ".test.ts") && !strings.HasSuffix(name, ".test.tsx"):
				names = append(names, name)
			}
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	slices.Sort(names)
	all := sha256.New()
	for _, name := range names {
		data, err := fs.ReadFile(web, name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(all, "%x  %s\n", sha256.Sum256(data), name)
	}
	return fmt.Sprintf("%x", all.Sum(nil)), nil
}

// A forgotten build is found without Node. With Node, scripts/check-dist.sh
// builds and compares.
func TestDistWasBuiltFromTheSources(t *testing.T) {
	want, err := sourcesHash(os.DirFS(filepath.Join(root, "web")))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(read(t, "web/dist/sources.sha256"))); got != want {
		t.Errorf("web/dist was built from other sources than those in web/: run make dist and commit the result\nweb/dist/sources.sha256: %s\nweb/:                    %s", got, want)
	}
}

func TestSourcesHash(t *testing.T) {
	web := fstest.MapFS{}
	for _, name := range append([]string{"src/main.tsx", "src/lib/ansi.ts", "client/index.ts"}, sourceFiles...) {
		web[name] = &fstest.MapFile{Data: []byte(name)}
	}
	hash := func() string {
		t.Helper()
		h, err := sourcesHash(web)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	const golden = "2940b010d2e991bad274627ae08cbdffe40cb649c27e81b1e54df286a32ab8bb"
	if got := hash(); got != golden {
		t.Errorf("hash is %s, want %s", got, golden)
	}
	for _, name := range []string{"src/lib/ansi.test.ts", "client/fold.test.tsx", "README.md", "test/e2e/a.ts", "dist/index.html"} {
		web[name] = &fstest.MapFile{}
		if got := hash(); got != golden {
			t.Errorf("%s changes the hash: it is no source", name)
		}
	}
	web["public/robots.txt"] = &fstest.MapFile{}
	if hash() == golden {
		t.Error("a file in public does not change the hash")
	}
	delete(web, "package-lock.json")
	if _, err := sourcesHash(web); err == nil {
		t.Error("a missing lock file is no error")
	}
}
