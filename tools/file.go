package tools

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// sniffed is how much of a file tells whether it is text.
const sniffed = 8000

// openFile opens a regular file for reading.
func (c *call) openFile(path string) (*os.File, fs.FileInfo, error) {
	// A look before: opening a device can have effects of its own.
	info, err := c.root.Stat(path)
	if err == nil {
		err = c.acceptable(info)
	}
	if err != nil {
		return nil, nil, c.failed(path, err)
	}
	f, err := c.root.OpenFile(path, os.O_RDONLY|openQuietly, 0)
	if err != nil {
		return nil, nil, c.failed(path, err)
	}
	// And a look at what has really been opened.
	if info, err = f.Stat(); err == nil {
		err = c.acceptable(info)
	}
	if err == nil {
		err = refuseKernelFiles(f)
	}
	if err != nil {
		f.Close()
		return nil, nil, c.failed(path, err)
	}
	return f, info, nil
}

// acceptable refuses what is no file of the workspace's own.
func (c *call) acceptable(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case links(info) > 1 && !c.AllowHardLinks:
		return errors.New("it has several hard links: what it shares its content with may lie outside of the workspace")
	}
	return nil
}

// readFile reads a whole file that is not too large.
func (c *call) readFile(path string) ([]byte, fs.FileInfo, error) {
	f, info, err := c.openFile(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	most := int64(c.Limits.FileBytes)
	if info.Size() > most {
		return nil, nil, fmt.Errorf("%s: it is too large: %s, at most %s are accepted", shown(path), size(info.Size()), size(most))
	}
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, nil, c.failed(path, err)
	}
	return data, info, nil
}

// isBinary tells whether the beginning of a file is no text in an encoding that
// contains ASCII.
func isBinary(begin []byte) bool {
	return bytes.IndexByte(begin[:min(len(begin), sniffed)], 0) >= 0
}

// size writes a number of bytes for people.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return plural(int(n), "byte", "bytes")
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
