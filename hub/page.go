package hub

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

// page is the page's files, read, hashed and compressed once at start.
type page struct{ files map[string]*asset }

// asset is one file. An embedded file has no time of change, so caches are told
// its hash.
type asset struct {
	kind    string
	plain   content
	gzipped content // empty where it would save nothing
}

type content struct {
	data []byte
	etag string
}

// minGzip is the size below which compressing is not worth its header.
const minGzip = 512

func loadPage(from fs.FS) (*page, error) {
	p := &page{files: map[string]*asset{}}
	if from == nil {
		return p, nil
	}
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		a, err := newAsset(name, data)
		p.files[name] = a
		return err
	})
	if err == nil && p.files["index.html"] == nil {
		err = fmt.Errorf("index.html: %w", fs.ErrNotExist)
	}
	return p, err
}

func newAsset(name string, data []byte) (*asset, error) {
	sum := sha256.Sum256(data)
	tag := hex.EncodeToString(sum[:10])
	a := &asset{kind: kindOf(name), plain: content{data, strconv.Quote(tag)}}
	if len(data) < minGzip || !compressible(a.kind) {
		return a, nil
	}
	var buf bytes.Buffer
	z, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	if buf.Len() < len(data) {
		a.gzipped = content{buf.Bytes(), strconv.Quote(tag + "-gz")}
	}
	return a, nil
}

// kindOf gives a file's type. The list is ours: what the machine's own tables
// say must not decide how a browser takes our files.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json", ".map":
		return "application/json"
	case ".webmanifest":
		return "application/manifest+json"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".ico":
		return "image/x-icon"
	case ".woff2":
		return "font/woff2"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

func compressible(kind string) bool {
	return strings.HasPrefix(kind, "text/") || strings.Contains(kind, "json") || strings.Contains(kind, "svg")
}

// serve answers with a file, or for an address inside the page (/r/…) with the
// page itself.
func (p *page) serve(c echo.Context) error {
	name := strings.TrimPrefix(c.Request().URL.Path, "/")
	if name == "" || strings.HasPrefix(name, "r/") {
		name = "index.html"
	}
	a := p.files[name]
	if a == nil {
		return echo.ErrNotFound
	}
	head := c.Response().Header()
	out := a.plain
	if len(a.gzipped.data) > 0 {
		head.Set("Vary", "Accept-Encoding")
		if acceptsGzip(c.Request()) {
			out = a.gzipped
			head.Set("Content-Encoding", "gzip")
		}
	}
	head.Set("Content-Type", a.kind)
	head.Set("Cache-Control", "no-cache")
	head.Set("ETag", out.etag)
	http.ServeContent(c.Response(), c.Request(), "", time.Time{}, bytes.NewReader(out.data))
	return nil
}

// acceptsGzip reads Accept-Encoding, where a weight of zero means no.
func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, params, _ := strings.Cut(part, ";")
		if strings.TrimSpace(coding) != "gzip" {
			continue
		}
		q, found := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
		weight, err := strconv.ParseFloat(q, 64)
		return !found || err == nil && weight > 0
	}
	return false
}
