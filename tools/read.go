package tools

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"unicode/utf8"

	"github.com/ringside-hub/ringside/agent"
)

const (
	maxReadLines  = 2000
	maxImageBytes = 5 << 20
)

type readArgs struct {
	Path string `json:"path"`
	// Numbers are floats, since a model may write 10.0.
	Offset float64 `json:"offset"`
	Limit  float64 `json:"limit"`
}

type readDetails struct {
	state               // bytes
	FirstLine    int    `json:"firstLine,omitzero"`
	LastLine     int    `json:"lastLine,omitzero"`
	Lines        int    `json:"lines,omitzero"` // of the whole file; 0 if it was not read to the end
	LinesCut     int    `json:"linesCut,omitzero"`
	InvalidUTF8  bool   `json:"invalidUTF8,omitzero"`
	MimeType     string `json:"mimeType,omitzero"`
	MoreToBeRead bool   `json:"more,omitzero"`
}

func readTool(b *toolbox) (agent.Tool, error) {
	return defineFile(b, "read", "Read file", (*call).read)
}

func (c *call) read(args readArgs) (agent.ToolResult, error) {
	path, err := c.resolve(args.Path)
	if err != nil {
		return agent.ToolResult{}, err
	}
	f, info, err := c.openFile(path)
	if err != nil {
		return agent.ToolResult{}, err
	}
	defer f.Close()
	c.report("", outOf(phaseReading, 0, info.Size()))
	in := bufio.NewReaderSize(io.LimitReader(f, info.Size()), 64<<10)
	begin, err := in.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return agent.ToolResult{}, c.failed(path, err)
	}
	mime := http.DetectContentType(begin)
	if slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, mime) {
		return c.readImage(path, in, info, mime)
	}
	if isBinary(begin) {
		return agent.ToolResult{}, fmt.Errorf("%s: it is a binary file (%s, %s)", shown(path), mime, size(info.Size()))
	}
	r := reader{call: c, in: in, size: info.Size(), first: max(int(args.Offset), 1), most: maxReadLines}
	if args.Limit >= 1 {
		r.most = min(int(args.Limit), maxReadLines)
	}
	r.text.most = c.Limits.ResultBytes
	if err := r.run(); err != nil {
		return agent.ToolResult{}, readFailed(c, path, err)
	}
	return r.result(path)
}

func readFailed(c *call, path string, err error) error {
	if c.ctx.Err() != nil {
		return err
	}
	return c.failed(path, err)
}

func (c *call) readImage(path string, in io.Reader, info fs.FileInfo, mime string) (agent.ToolResult, error) {
	if info.Size() > maxImageBytes {
		return agent.ToolResult{}, fmt.Errorf("%s: the image is too large: %s, at most %s are accepted", shown(path), size(info.Size()), size(maxImageBytes))
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return agent.ToolResult{}, c.failed(path, err)
	}
	r := textResult(fmt.Sprintf("%s: %s, %s", shown(path), mime, size(int64(len(data)))),
		readDetails{state: outOf(phaseDone, int64(len(data)), info.Size()), MimeType: mime})
	r.Content = append(r.Content, agent.Block{Type: agent.BlockImage, Data: base64.StdEncoding.EncodeToString(data), MimeType: mime})
	return r, nil
}

// reader takes some lines out of a text.
type reader struct {
	*call
	in          *bufio.Reader
	size        int64
	first, most int

	text    lines
	line    int   // lines so far
	last    int   // last line taken
	read    int64 // bytes so far
	cut     int   // lines shortened
	invalid bool
	toEnd   bool
}

// run reads to the end, to know how many lines there are, unless that is too
// far.
func (r *reader) run() error {
	for {
		line, n, taken, err := r.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if taken == 0 {
			r.toEnd = true
			return nil
		}
		r.line++
		r.read += int64(taken)
		if r.line >= r.first && r.line < r.first+r.most && !r.text.full {
			r.take(line, n)
		}
		if r.read > int64(r.Limits.ScanBytes) {
			return nil
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if r.due() {
			r.report("", outOf(phaseReading, r.read, r.size))
		}
	}
}

func (r *reader) take(line []byte, n int) {
	if r.line == 1 {
		if bom := []byte("\uFEFF"); bytes.HasPrefix(line, bom) {
			line, n = line[len(bom):], n-len(bom)
		}
	}
	if bytes.HasSuffix(line, []byte("\r")) && len(line) == n {
		line, n = line[:len(line)-1], n-1
	}
	if !utf8.Valid(line) && len(line) == n {
		r.invalid = true
	}
	if r.text.add(clip(line, n)) {
		r.last = r.line
		if n > maxLine {
			r.cut++
		}
	}
}

// next returns the beginning of the next line, how long the line is, and how many
// bytes it has taken with its line feed. It gives up where reading has to end.
func (r *reader) next() (line []byte, n, taken int, err error) {
	for {
		part, err := r.in.ReadSlice('\n')
		taken += len(part)
		part = bytes.TrimSuffix(part, []byte("\n"))
		n += len(part)
		if room := maxLine + utf8.UTFMax - len(line); room > 0 {
			line = append(line, part[:min(len(part), room)]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) || r.read+int64(taken) > int64(r.Limits.ScanBytes) {
			if errors.Is(err, bufio.ErrBufferFull) {
				err = nil
			}
			return line, n, taken, err
		}
		if err := r.ctx.Err(); err != nil {
			return nil, 0, 0, err
		}
	}
}

func (r *reader) result(path string) (agent.ToolResult, error) {
	d := readDetails{state: outOf(phaseDone, r.read, r.size), FirstLine: r.first, LastLine: r.last, LinesCut: r.cut, InvalidUTF8: r.invalid}
	if r.toEnd {
		d.Lines = r.line
	}
	if r.last == 0 {
		if r.line > 0 && r.line < r.first {
			return agent.ToolResult{}, fmt.Errorf("%s: there is no line %d: it has %s", shown(path), r.first, plural(r.line, "line", "lines"))
		}
		return textResult("(the file is empty)\n", state{Phase: phaseDone, Done: new(int64(0)), Total: new(int64(0))}), nil
	}
	if r.invalid {
		r.text.WriteString("[some bytes are no UTF-8 and shown as \uFFFD: do not write them back]\n")
	}
	if d.MoreToBeRead = !r.toEnd || r.last < r.line; d.MoreToBeRead {
		of := fmt.Sprint(r.line)
		if !r.toEnd {
			of = "more than " + of
		}
		fmt.Fprintf(&r.text, "[lines %d to %d of %s; go on with offset %d]\n", r.first, r.last, of, r.last+1)
	}
	return textResult(r.text.String(), d), nil
}
