package projector

import (
	"strings"
)

// class is a set of bytes.
type class [256]bool

// classOf returns the set of the bytes of ranges ("az" is a to z) and singles.
func classOf(ranges, singles string) *class {
	var c class
	for i := 0; i+1 < len(ranges); i += 2 {
		for b := int(ranges[i]); b <= int(ranges[i+1]); b++ {
			c[b] = true
		}
	}
	for i := range len(singles) {
		c[singles[i]] = true
	}
	return &c
}

// run returns the end of the run of bytes in c that begins at i.
func (c *class) run(s string, i int) int {
	for i < len(s) && c[s[i]] {
		i++
	}
	return i
}

// The byte classes of the rules: constant tables.
var (
	upperDigits = classOf("AZ09", "")
	alnum       = classOf("azAZ09", "")
	urlSafe     = classOf("azAZ09", "_-")
	jwtBytes    = classOf("azAZ09", "_-.")
	token68     = classOf("azAZ09", "-._~+/=")
)

// startsWord tells whether a word may begin at s[i]: not inside another one. In
// JSON text the byte before may be the letter of an escape such as \n.
func startsWord(s string, i int) bool {
	return i == 0 || !alnum[s[i-1]] || afterEscape(s, i)
}

// afterEscape tells whether an escape such as \n ends before s[i].
func afterEscape(s string, i int) bool {
	return i >= 2 && s[i-2] == '\\' && strings.IndexByte("nrtbf", s[i-1]) >= 0
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// tokenRule matches keys with a prefix of their own.
type tokenRule struct {
	kind, prefix string
	body         *class
	min          int  // bytes after the prefix
	word         bool // must begin a word
	digit        bool // must have a digit: the prefix alone is too common
}

// tokenRules are the common shapes; of those that begin alike the longer
// prefix is first.
func tokenRules() []tokenRule {
	rules := []tokenRule{
		{"aws-key", "AKIA", upperDigits, 16, true, false},
		{"aws-key", "ASIA", upperDigits, 16, true, false},
		{"github-token", "github_pat_", classOf("azAZ09", "_"), 20, false, false},
		{"gitlab-token", "glpat-", urlSafe, 16, true, false},
		{"anthropic-key", "sk-ant-", urlSafe, 16, true, false},
		{"openai-key", "sk-proj-", urlSafe, 16, true, false},
		{"api-key", "sk-", urlSafe, 20, true, true},
		{"stripe-key", "sk_live_", alnum, 16, true, false},
		{"stripe-key", "rk_live_", alnum, 16, true, false},
		{"google-key", "AIza", urlSafe, 30, true, false},
		{"slack-token", "xapp-", urlSafe, 10, true, true},
		{"huggingface-token", "hf_", alnum, 30, true, false},
		{"npm-token", "npm_", alnum, 36, true, false},
		{"bearer", "Bearer ", token68, 16, true, true},
		{"bearer", "bearer ", token68, 16, true, true},
	}
	for _, c := range "pousr" {
		rules = append(rules, tokenRule{"github-token", "gh" + string(c) + "_", alnum, 20, false, false})
	}
	for _, c := range "bpares" {
		rules = append(rules, tokenRule{"slack-token", "xox" + string(c) + "-", urlSafe, 10, true, false})
	}
	return rules
}

// maxUndecided bounds how far a rule looks for what makes a match certain, and
// with it the work per byte and what a stream holds back.
const maxUndecided = 512

func (r tokenRule) match(s string, i int) (span, found) {
	if !strings.HasPrefix(s[i:], r.prefix) || r.word && !startsWord(s, i) {
		return span{}, none
	}
	from := i + len(r.prefix)
	to := r.body.run(s[:min(len(s), from+maxUndecided)], from)
	start := i
	if r.kind == "bearer" {
		start = from // the scheme is no secret
	}
	if to-from < r.min || r.digit && !hasDigit(s[from:to]) {
		if to == len(s) {
			return span{start: start}, open
		}
		return span{}, none
	}
	to = r.body.run(s, to)
	return span{start: start, end: to, with: marker(r.kind), secret: true, edge: edgeSwallow, more: r.body}, whole
}

// jwtRule matches JSON web tokens: a header that begins with `{"`, a dot, and
// some payload.
type jwtRule struct{}

const (
	jwtPrefix  = "eyJ"
	minJWTPart = 10
)

func (jwtRule) match(s string, i int) (span, found) {
	if !strings.HasPrefix(s[i:], jwtPrefix) || !startsWord(s, i) || i > 0 && (s[i-1] == '.' || s[i-1] == '_') {
		return span{}, none
	}
	to := jwtBytes.run(s[:min(len(s), i+maxUndecided)], i)
	dot := strings.IndexByte(s[i:to], '.')
	switch {
	case dot >= 0 && dot < minJWTPart:
		return span{}, none
	case dot < 0 || to-i-dot-1 < minJWTPart:
		if to == len(s) {
			return span{start: i}, open
		}
		return span{}, none
	}
	to = jwtBytes.run(s, to)
	return span{start: i, end: to, with: marker("jwt"), secret: true, edge: edgeSwallow, more: jwtBytes}, whole
}

// pemRule matches private keys in PEM form, up to their END line or, where that
// was cut off, to the end of the text.
type pemRule struct{}

const (
	pemBegin  = "-----BEGIN "
	pemEnd    = "-----END "
	pemDashes = "-----"
	// maxPEMLabel bounds the label between dashes.
	maxPEMLabel = 64
)

func (pemRule) match(s string, i int) (span, found) {
	if !strings.HasPrefix(s[i:], pemBegin) {
		return span{}, none
	}
	label, _, ok := pemLine(s[i+len(pemBegin):])
	if !ok || !strings.Contains(label, "PRIVATE KEY") {
		return span{}, none
	}
	sp := span{start: i, end: len(s), with: marker("private-key"), secret: true, edge: edgePEM}
	if end := pemEndsAt(s[i:]); end >= 0 {
		sp.end, sp.edge = i+end, edgeDone
	}
	return sp, whole
}

// pemLine splits s after the label and the dashes that close it.
func pemLine(s string) (label, rest string, ok bool) {
	n := strings.Index(s[:min(len(s), maxPEMLabel+len(pemDashes))], pemDashes)
	if n < 0 || strings.Contains(s[:n], "\n") {
		return "", "", false
	}
	return s[:n], s[n+len(pemDashes):], true
}

// pemEndsAt returns where the first END line in s ends, or -1.
func pemEndsAt(s string) int {
	for at := 0; ; {
		n := strings.Index(s[at:], pemEnd)
		if n < 0 {
			return -1
		}
		at += n + len(pemEnd)
		if _, rest, ok := pemLine(s[at:]); ok {
			return len(s) - len(rest)
		}
	}
}

// urlRule matches the password in a URL's user part.
type urlRule struct{}

func (urlRule) match(s string, i int) (span, found) {
	if !strings.HasPrefix(s[i:], "://") {
		return span{}, none
	}
	colon, at := -1, -1
	j := i + 3
	for ; j < len(s) && j < i+maxUndecided && strings.IndexByte("/?#<>\"'`\\ \t\r\n", s[j]) < 0; j++ {
		switch {
		case s[j] == ':' && colon < 0:
			colon = j
		case s[j] == '@':
			at = j
		}
	}
	if colon < 0 || at >= 0 && (at < colon || at == colon+1 || harmless(s[colon+1:at])) {
		return span{}, none
	}
	if at < 0 {
		if j == len(s) {
			return span{start: colon + 1}, open
		}
		return span{}, none
	}
	return span{start: colon + 1, end: at, with: marker("url-password"), secret: true}, whole
}
