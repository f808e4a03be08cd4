// Package web holds the page: the built files of dist, ready to be served. How
// they are built from client/ and src/ is told in README.md beside this file;
// nothing here knows how they are served.
//
// FS is read-only and safe for concurrent use.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// FS holds index.html, what it loads in assets/, and sources.sha256 (the
// hash of what they were built from).
var FS fs.FS = sub()

func sub() fs.FS {
	f, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // "dist" is a valid path: fs.Sub has no other error
	}
	return f
}
