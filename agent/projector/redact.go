package projector

import (
	"strings"
)

// RedactConfig says what a Redactor hides beside the common shapes of keys.
type RedactConfig struct {
	// Home and Cwd are the worker's home directory and working folder, as
	// absolute paths: shown as "~" and ".". Empty or "/": nothing is replaced.
	Home, Cwd string
	// Environ holds NAME=value lines (os.Environ). The values of names that
	// look like secrets are hidden wherever they appear.
	Environ []string
}

// Redactor hides secrets and private paths in text. A hidden secret becomes
// "[redacted:KIND]" and is counted; a path becomes shorter and is not. It knows
// shapes, not meanings: what looks like nothing is not found.
//
// No rule but that of PEM blocks looks across a line break. Safe for concurrent
// use.
type Redactor struct {
	// Static after construction.

	// rules finds the rules that may match at a byte; the first that does wins.
	rules [256][]rule
	// second are the bytes that may follow for any of those rules to match: what
	// makes text without secrets cheap.
	second [256]class
	home   string
}

// A rule looks for its kind of secret at s[i], the byte that it is filed under.
type rule interface {
	match(s string, i int) (span, found)
}

type found int

const (
	none  found = iota
	open        // s ends before it can be told; span.start is where to hold back from
	whole       // span is to be replaced
)

// span is a part of a text that is to be replaced.
type span struct {
	start, end int
	with       string
	secret     bool
	// edge says what to do in a stream when the span touches its end so far.
	edge edge
	// more is what belongs to the secret if it comes next (edgeSwallow).
	more *class
}

type edge int

const (
	edgeDone    edge = iota // nothing can follow
	edgeHold                // what follows decides
	edgeSwallow             // what follows may belong to it
	edgePEM                 // all belongs to it, until the END line
)

// NewRedactor returns a Redactor for what c names and the common shapes of
// keys.
func NewRedactor(c RedactConfig) *Redactor {
	r := &Redactor{home: cleanPath(c.Home)}
	for _, l := range environRules(c.Environ) {
		r.file(l.value, l)
	}
	for _, p := range pathRules(c.Home, c.Cwd) {
		r.file(p.path, p)
	}
	for _, t := range tokenRules() {
		r.file(t.prefix, t)
	}
	r.file(jwtPrefix, jwtRule{})
	r.file(pemBegin, pemRule{})
	r.file("://", urlRule{})
	r.file(":", assignRule{})
	r.file("=", assignRule{})
	return r
}

// file adds a rule for what begins with prefix.
func (r *Redactor) file(prefix string, n rule) {
	b := prefix[0]
	r.rules[b] = append(r.rules[b], n)
	if len(prefix) > 1 {
		r.second[b][prefix[1]] = true
	} else {
		r.second[b] = *classNot("")
	}
}

// Text returns s with what must not be seen replaced, and how many secrets were
// hidden. s must be valid UTF-8; so is what is returned.
func (r *Redactor) Text(s string) (string, int64) {
	spans, _ := r.scan(s, true)
	return splice(s, spans)
}

// Path returns a path with the home directory shown as "~".
func (r *Redactor) Path(s string) string {
	if rest, ok := strings.CutPrefix(s, r.home); ok && r.home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return s
}

// scan finds what to replace in s, in order and without overlap. Where more of
// s may follow (not final), hold is where the part begins that must wait.
func (r *Redactor) scan(s string, final bool) (spans []span, hold int) {
	hold = len(s)
	for i := 0; i < len(s); {
		next := i + 1
		if next < len(s) && !r.second[s[i]][s[next]] {
			i = next
			continue
		}
		for _, rule := range r.rules[s[i]] {
			sp, f := rule.match(s, i)
			if f == whole && sp.edge == edgeHold && sp.end == len(s) && !final {
				f = open
			}
			if f == open && !final {
				hold = min(hold, sp.start)
			}
			if f == whole {
				spans, next = append(spans, sp), max(next, sp.end)
				break
			}
		}
		i = next
	}
	for n, sp := range spans {
		if sp.start >= hold {
			return spans[:n], hold
		}
		hold = max(hold, sp.end)
	}
	return spans, hold
}

// splice replaces the spans and counts the secrets.
func splice(s string, spans []span) (string, int64) {
	if len(spans) == 0 {
		return s, 0
	}
	var b strings.Builder
	var hidden int64
	at := 0
	for _, sp := range spans {
		b.WriteString(s[at:sp.start])
		b.WriteString(sp.with)
		at = sp.end
		if sp.secret {
			hidden++
		}
	}
	b.WriteString(s[at:])
	return b.String(), hidden
}

// marker is what a hidden secret is shown as: safe inside JSON strings, and
// matched by no rule.
func marker(kind string) string { return markerStart + ":" + kind + "]" }

const markerStart = "[redacted"
