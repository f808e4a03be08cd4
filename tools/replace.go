package tools

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

var errChanged = errors.New("it has been changed by somebody else meanwhile: read it again")

// claimWriting waits until no other call of these tools changes a file.
func (c *call) claimWriting() (release func(), err error) {
	select {
	case c.writing <- struct{}{}:
		return func() { <-c.writing }, nil
	case <-c.ctx.Done():
		return nil, c.ctx.Err()
	}
}

// replace gives the file at path new content in one step, and makes it, and
// folders, if need be. With seen, the file must still be that one. old is what
// was there, nil if nothing was.
func (c *call) replace(path string, content []byte, seen fs.FileInfo) (old fs.FileInfo, err error) {
	old, err = c.root.Stat(path)
	if err == nil {
		err = c.acceptable(old)
	}
	if err != nil && (!errors.Is(err, fs.ErrNotExist) || seen != nil) {
		return nil, c.failed(path, err)
	}
	if old == nil {
		if err := c.root.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, c.failed(path, err)
		}
	}
	if seen != nil && !unchanged(seen, old) {
		return nil, c.failed(path, errChanged)
	}
	if link, err := c.root.Lstat(path); err == nil && link.Mode()&fs.ModeSymlink != 0 {
		// A link stays one: what it leads to gets the content.
		return old, c.overwrite(path, content, seen)
	}
	return old, c.swap(path, content, old)
}

func unchanged(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// swap writes a new file and puts it in the place of the old one.
func (c *call) swap(path string, content []byte, old fs.FileInfo) error {
	mode := fs.FileMode(0o666)
	if old != nil {
		mode = 0o600
	}
	temporary := filepath.Join(filepath.Dir(path), ".ringside-"+rand.Text())
	f, err := c.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return c.failed(path, err)
	}
	if old != nil {
		keepOwner(f, old)
		err = f.Chmod(old.Mode().Perm())
	}
	if err == nil {
		_, err = f.Write(content)
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = c.root.Rename(temporary, path)
	}
	if err != nil {
		_ = c.root.Remove(temporary)
		return c.failed(path, err)
	}
	return nil
}

// overwrite writes into a file that is reached through a link. The file may not
// exist yet.
func (c *call) overwrite(path string, content []byte, seen fs.FileInfo) error {
	f, err := c.root.OpenFile(path, os.O_WRONLY|os.O_CREATE|openQuietly, 0o666)
	if err != nil {
		return c.failed(path, err)
	}
	info, err := f.Stat()
	if err == nil {
		err = c.acceptable(info)
	}
	if err == nil && seen != nil && !unchanged(seen, info) {
		err = errChanged
	}
	if err == nil {
		err = refuseKernelFiles(f)
	}
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.Write(content)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return c.failed(path, err)
	}
	return nil
}
