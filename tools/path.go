package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unicode"
)

const maxPath = 4096 // bytes

var (
	errOutside = errors.New("the path leads out of the workspace")
	errGone    = errors.New("the workspace does not exist any more")
)

// open opens the workspace for one call.
func (b *toolbox) open() (*os.Root, error) {
	root, err := os.OpenRoot(b.Dir)
	switch {
	case err == nil:
		return root, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, errGone
	default:
		return nil, fmt.Errorf("the workspace cannot be opened: %w", reason(err))
	}
}

// resolve turns a path as the model gave it into one below the workspace.
func (b *toolbox) resolve(path string) (string, error) {
	switch {
	case len(path) > maxPath:
		return "", fmt.Errorf("the path is too long: %d bytes, at most %d are accepted", len(path), maxPath)
	case strings.ContainsRune(path, 0):
		return "", errors.New("the path has a NUL character in it")
	case path == "":
		return ".", nil
	}
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		path = b.relative(path)
	}
	if !filepath.IsLocal(path) {
		return "", errOutside
	}
	return filepath.Clean(path), nil
}

// relative is an absolute path seen from the workspace. Models repeat the folder
// they were told about, and pwd tells them another one if it is a link.
func (b *toolbox) relative(path string) string {
	for _, dir := range []string{b.Dir, b.physical} {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}

// failed says what went wrong with a file, without telling where the workspace
// is.
func (c *call) failed(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		if _, gone := os.Stat(c.Dir); errors.Is(gone, fs.ErrNotExist) {
			return errGone
		}
	}
	return fmt.Errorf("%s: %w", shown(path), reason(err))
}

// reason is the innermost cause of err in plain words. What the operating
// system and os wrap around it names paths.
func reason(err error) error {
	for _, known := range []struct {
		is  error
		say string
	}{
		{fs.ErrNotExist, "no such file or folder"},
		{fs.ErrPermission, "permission denied"},
		{fs.ErrExist, "it exists already"},
		{syscall.ENOTDIR, "a part of the path is not a folder"},
		{syscall.EISDIR, "it is a folder"},
		{syscall.ELOOP, "too many symbolic links"},
		{syscall.ENXIO, "it is not a regular file"},
	} {
		if errors.Is(err, known.is) {
			return errors.New(known.say)
		}
	}
	for {
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			err = p.Err
		} else if l, ok := errors.AsType[*os.LinkError](err); ok {
			err = l.Err
		} else {
			break
		}
	}
	// os has no name for it.
	if err.Error() == "path escapes from parent" {
		return errOutside
	}
	return err
}

// shown writes a path for a result or an error: one line, bounded, as it is if
// it is harmless, quoted if not.
func shown(path string) string {
	const most = 200
	path = filepath.ToSlash(path)
	if len(path) > most {
		path = "…" + strings.ToValidUTF8(path[len(path)-most:], "")
	}
	odd := func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }
	if strings.ContainsFunc(path, odd) {
		return strconv.Quote(path)
	}
	return path
}
