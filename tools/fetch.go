package tools

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html/charset"

	"github.com/ringside-hub/ringside/agent"
)

const (
	maxURL       = 4096 // bytes
	maxRedirects = 5
)

type fetchArgs struct {
	URL    string  `json:"url"`
	Offset float64 `json:"offset"`
	Raw    bool    `json:"raw"`
}

type fetchDetails struct {
	state              // bytes
	URL         string `json:"url,omitzero"` // after redirects
	Status      int    `json:"status,omitzero"`
	ContentType string `json:"contentType,omitzero"`
	Title       string `json:"title,omitzero"`
	Cut         bool   `json:"cut,omitzero"` // there is more than the size that is accepted
}

func fetchTool(b *toolbox) (agent.Tool, error) {
	client := newFetchClient(b.addresses)
	return define(b, "fetch", "Fetch page", b.Limits.FetchTime, func(c *call, args fetchArgs) (agent.ToolResult, error) {
		return c.fetch(client, args)
	})
}

func (c *call) fetch(client *http.Client, args fetchArgs) (agent.ToolResult, error) {
	target, err := parseURL(args.URL)
	if err != nil {
		return agent.ToolResult{}, err
	}
	c.report("", phase(phaseConnecting))
	request, err := http.NewRequestWithContext(c.ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return agent.ToolResult{}, errors.New("url: it is not valid")
	}
	request.Header.Set("User-Agent", "ringside-fetch")
	request.Header.Set("Accept", "text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.1")
	response, err := client.Do(request)
	if err != nil {
		return agent.ToolResult{}, c.fetchFailed(err)
	}
	defer response.Body.Close()
	p := &page{call: c, response: response}
	if err := p.receive(); err != nil {
		return agent.ToolResult{}, err
	}
	if err := p.decode(args.Raw); err != nil {
		return agent.ToolResult{}, err
	}
	return p.result(max(int(args.Offset), 0))
}

// parseURL accepts what fetch may ask for.
func parseURL(text string) (*url.URL, error) {
	if len(text) > maxURL {
		return nil, fmt.Errorf("url: it has %d bytes, at most %d are accepted", len(text), maxURL)
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return nil, errors.New("url: it is not valid")
	}
	return u, acceptableURL(u)
}

func acceptableURL(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("url: only http:// and https:// are fetched")
	case u.Hostname() == "":
		return errors.New("url: it has no host")
	case u.User != nil:
		return errors.New("url: it has a user name or a password in it, which are not sent")
	}
	return nil
}

// fetchFailed says why there is no answer. Errors of the network name resolvers
// and addresses.
func (c *call) fetchFailed(err error) error {
	if c.ctx.Err() != nil {
		return c.ctx.Err()
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return networkReason(err)
}

// page is an answer on its way to text.
type page struct {
	*call
	response *http.Response

	media  string // type/subtype
	params map[string]string
	body   []byte
	cut    bool
	text   string
	title  string
}

func (p *page) details(s state) fetchDetails {
	return fetchDetails{state: s, URL: whole(p.response.Request.URL.Redacted(), maxURL), Status: p.response.StatusCode,
		ContentType: whole(p.media, 100), Title: whole(p.title, 300), Cut: p.cut}
}

// receive reads the body, as much of it as is accepted.
func (p *page) receive() error {
	p.media, p.params, _ = mime.ParseMediaType(p.response.Header.Get("Content-Type"))
	if p.media != "" && !isText(p.media) {
		return fmt.Errorf("it is no text but %s", whole(shown(p.media), 100))
	}
	now := func(done int) state {
		if total := p.response.ContentLength; total >= 0 {
			return outOf(phaseReceiving, int64(done), total)
		}
		return counted(phaseReceiving, done)
	}
	p.report("", p.details(now(0)))
	most := p.Limits.FetchBytes
	in := io.LimitReader(p.response.Body, int64(most)+1)
	buffer := make([]byte, 32<<10)
	for {
		n, err := in.Read(buffer)
		p.body = append(p.body, buffer[:n]...)
		if p.due() {
			p.report("", p.details(now(len(p.body))))
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && p.ctx.Err() != nil {
			return p.ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("the connection broke after %s: %w", size(int64(len(p.body))), networkReason(err))
		}
	}
	if p.cut = len(p.body) > most; p.cut {
		p.body = p.body[:most]
	}
	return nil
}

// isText tells whether a media type is text for people or programs.
func isText(media string) bool {
	if strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml") {
		return true
	}
	switch media {
	case "application/json", "application/xml", "application/javascript", "application/ecmascript", "application/yaml",
		"application/x-yaml", "application/toml", "application/x-ndjson", "application/ld+json", "application/sql", "application/x-sh":
		return true
	}
	return false
}

// decode makes text of the body.
func (p *page) decode(raw bool) error {
	if p.media == "" {
		p.media, p.params, _ = mime.ParseMediaType(http.DetectContentType(p.body))
		if !isText(p.media) {
			return errors.New("it is no text")
		}
	}
	label := "utf-8"
	if l := p.params["charset"]; l != "" {
		label = l
	} else if p.isHTML() {
		_, label, _ = charset.DetermineEncoding(p.body[:min(len(p.body), 1024)], "")
	}
	in, err := charset.NewReaderLabel(label, strings.NewReader(string(p.body)))
	if err != nil {
		in = strings.NewReader(string(p.body))
	}
	// Some encodings grow; none by more than this.
	decoded, err := io.ReadAll(io.LimitReader(in, 4*int64(p.Limits.FetchBytes)))
	if err != nil {
		return fmt.Errorf("its encoding is broken: %s", whole(shown(label), 40))
	}
	if isBinary(decoded) {
		return errors.New("it is no text, though it says so")
	}
	p.text = strings.TrimPrefix(valid(decoded), byteOrderMark)
	if p.isHTML() && !raw {
		p.text, p.title = htmlText(p.text, p.response.Request.URL, p.Limits.OutputBytes)
	}
	return nil
}

func (p *page) isHTML() bool { return p.media == "text/html" || p.media == "application/xhtml+xml" }

func (p *page) result(offset int) (agent.ToolResult, error) {
	n := int64(len(p.body))
	if offset > 0 && offset >= len(p.text) {
		return agent.ToolResult{}, fmt.Errorf("offset: the text has only %d bytes", len(p.text))
	}
	part := wholeTail(p.text, len(p.text)-offset)
	begin := len(p.text) - len(part)
	shownPart := whole(part, p.Limits.ResultBytes)
	var text strings.Builder
	text.WriteString(shownPart)
	if !strings.HasSuffix(shownPart, "\n") {
		text.WriteByte('\n')
	}
	if len(p.text) == 0 {
		text.WriteString("(there is no text)\n")
	}
	if end := begin + len(shownPart); end < len(p.text) {
		fmt.Fprintf(&text, "[bytes %d to %d of %d; go on with offset %d]\n", begin, end, len(p.text), end)
	}
	if p.cut {
		fmt.Fprintf(&text, "[there was more: only the first %s were received]\n", size(n))
	}
	r := textResult(text.String(), p.details(outOf(phaseDone, n, n)))
	if len(shownPart) < len(p.text) {
		r.Output = whole(p.text, p.Limits.OutputBytes)
	}
	if code := p.response.StatusCode; code < 200 || code >= 300 {
		err := fmt.Errorf("HTTP status %d %s", code, http.StatusText(code))
		r.Content[0].Text = err.Error() + "\n" + r.Content[0].Text
		return agent.ToolResult{}, &agent.ToolError{Result: r, Err: err}
	}
	return r, nil
}
