package tools

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	maxToken    = 1 << 20 // bytes of one piece of HTML
	maxLinkText = 2000    // bytes of a link's address
)

// htmlText makes plain text of HTML: blocks on lines of their own, list items with
// a dash, links as [text](address). It goes through the tokens once and builds no
// tree, so that deep nesting costs nothing.
// Links that are written out can make it longer than its source: it ends after
// about most bytes.
func htmlText(source string, base *url.URL, most int) (text, title string) {
	w := &htmlWriter{base: base}
	z := html.NewTokenizer(strings.NewReader(source))
	z.SetMaxBuf(maxToken)
	for w.out.Len() < most {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		switch kind {
		case html.TextToken:
			w.words(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			name, hasAttr := z.TagName()
			w.open(atom.Lookup(name), z, hasAttr)
			if kind == html.SelfClosingTagToken && w.hidden == atom.Svg {
				w.hidden = 0
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			w.close(atom.Lookup(name))
		}
	}
	w.closeLink()
	return strings.TrimSpace(w.out.String()) + "\n", strings.Join(strings.Fields(w.title.String()), " ")
}

type htmlWriter struct {
	base *url.URL

	out     strings.Builder
	title   strings.Builder
	hidden  atom.Atom // inside of an element that is not shown; 0 outside
	inTitle bool
	pre     int
	link    string // address of the link that is open
	space   bool   // there was white space since the last word
	newline int    // line feeds to come before the next word
}

func (w *htmlWriter) words(text string) {
	switch {
	case w.inTitle:
		w.title.WriteString(text)
		return
	case w.hidden != 0:
		return
	case w.pre > 0:
		w.flush()
		w.out.WriteString(text)
		return
	}
	if text == "" {
		return
	}
	w.space = w.space || isSpace(text[0])
	for i, word := range strings.Fields(text) {
		w.space = w.space || i > 0
		w.flush()
		w.out.WriteString(word)
	}
	w.space = w.space || isSpace(text[len(text)-1])
}

func isSpace(c byte) bool { return strings.IndexByte(" \t\r\n\f", c) >= 0 }

// flush writes the white space that is due.
func (w *htmlWriter) flush() {
	if so := w.out.String(); so != "" {
		if w.newline > 0 {
			w.out.WriteString("\n\n"[:min(w.newline, 2)])
		} else if last := so[len(so)-1]; w.space && last != ' ' && last != '[' {
			w.out.WriteByte(' ')
		}
	}
	w.newline, w.space = 0, false
}

func (w *htmlWriter) lines(n int) { w.newline = max(w.newline, n) }

func (w *htmlWriter) open(tag atom.Atom, z *html.Tokenizer, hasAttr bool) {
	if w.hidden != 0 {
		return
	}
	switch tag {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Textarea:
		w.hidden = tag
	case atom.Title:
		w.inTitle = true
	case atom.Base:
		if u := w.resolve(attribute(z, hasAttr, "href")); u != nil {
			w.base = u
		}
	case atom.A:
		w.closeLink()
		if u := w.resolve(attribute(z, hasAttr, "href")); u != nil && (u.Scheme == "http" || u.Scheme == "https") && len(u.String()) <= maxLinkText {
			w.flush()
			w.out.WriteByte('[')
			w.link = u.String()
		}
	case atom.Img:
		if alt := attribute(z, hasAttr, "alt"); alt != "" {
			w.words(" " + alt + " ")
		}
	case atom.Br:
		w.lines(1)
	case atom.Li:
		w.lines(1)
		w.flush()
		w.out.WriteString("- ")
	case atom.Td, atom.Th:
		w.space = true
	case atom.Pre:
		w.lines(2)
		w.pre++
	default:
		w.lines(breaks(tag))
	}
}

func (w *htmlWriter) close(tag atom.Atom) {
	if w.hidden != 0 {
		if tag == w.hidden {
			w.hidden = 0
		}
		return
	}
	switch tag {
	case atom.Title:
		w.inTitle = false
	case atom.A:
		w.closeLink()
	case atom.Pre:
		w.pre = max(w.pre-1, 0)
		w.lines(2)
	default:
		w.lines(breaks(tag))
	}
}

func (w *htmlWriter) closeLink() {
	if w.link != "" {
		w.out.WriteString("](" + w.link + ")")
		w.link = ""
	}
}

// breaks is how many line feeds a tag begins or ends with.
func breaks(tag atom.Atom) int {
	switch tag {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote, atom.Table, atom.Ul, atom.Ol, atom.Section, atom.Article:
		return 2
	case atom.Div, atom.Tr, atom.Header, atom.Footer, atom.Nav, atom.Main, atom.Aside, atom.Figure, atom.Figcaption, atom.Dl, atom.Dt, atom.Dd,
		atom.Form, atom.Fieldset, atom.Hr, atom.Option, atom.Details, atom.Summary, atom.Body:
		return 1
	}
	return 0
}

func (w *htmlWriter) resolve(ref string) *url.URL {
	u, err := url.Parse(strings.TrimSpace(ref))
	if ref == "" || ref[0] == '#' || err != nil {
		return nil
	}
	return w.base.ResolveReference(u)
}

func attribute(z *html.Tokenizer, more bool, name string) string {
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if string(key) == name {
			return string(value)
		}
	}
	return ""
}
