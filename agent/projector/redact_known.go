package projector

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// literalRule matches one known secret value.
type literalRule struct{ value, with string }

func (r literalRule) match(s string, i int) (span, found) {
	rest := s[i:]
	switch {
	case strings.HasPrefix(rest, r.value):
		return span{start: i, end: i + len(r.value), with: r.with, secret: true}, whole
	case strings.HasPrefix(r.value, rest):
		return span{start: i}, open
	}
	return span{}, none
}

// environRules are the values of secret-looking variables, also as they look in
// JSON, in a URL and in base64; longest first, so that a value that contains
// another one is hidden whole.
func environRules(environ []string) []literalRule {
	seen := map[string]bool{}
	var rules []literalRule
	for _, line := range environ {
		name, value, ok := strings.Cut(line, "=")
		if !ok || !secretEnvName(name) {
			continue
		}
		with := marker("env:" + markerName(name))
		for part := range strings.Lines(value) { // no rule looks across lines
			part = strings.TrimSpace(part)
			if !secretEnvValue(part) {
				continue
			}
			for _, form := range forms(part) {
				if !seen[form] {
					seen[form] = true
					rules = append(rules, literalRule{form, with})
				}
			}
		}
	}
	slices.SortStableFunc(rules, func(a, b literalRule) int { return cmp.Compare(len(b.value), len(a.value)) })
	return rules
}

// forms returns the spellings in which a value is met.
func forms(value string) []string {
	all := []string{value}
	if quoted, err := json.Marshal(value); err == nil {
		all = append(all, string(quoted[1:len(quoted)-1]))
	}
	all = append(all, url.QueryEscape(value), url.PathEscape(value))
	// Its last character may depend on what follows the value.
	b := strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(value)), "=")
	return append(all, b[:len(b)-1])
}

// secretEnvName tells whether a variable of that name holds a secret.
func secretEnvName(name string) bool {
	n := strings.ToUpper(name)
	n = strings.ReplaceAll(n, "AUTHORIZATION", "TOKEN")
	for _, innocent := range []string{"AUTHOR", "KEYBOARD", "KEYMAP", "KEYTIMEOUT", "KEYRING", "MONKEY"} {
		n = strings.ReplaceAll(n, innocent, "")
	}
	for _, word := range []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "AUTH"} {
		if strings.Contains(n, word) {
			return true
		}
	}
	return n == "PASS" || strings.HasSuffix(n, "_PASS")
}

// secretEnvValue tells whether hiding the value everywhere would hide a secret
// and not an everyday word or a path.
func secretEnvValue(v string) bool {
	if len(v) < minSecret || len(v) > 4*kib || !utf8.ValidString(v) || harmless(v) {
		return false
	}
	if strings.HasPrefix(v, "~/") || strings.HasPrefix(v, "./") || len(v) > 2 && v[1] == ':' && v[2] == '\\' {
		return false
	}
	if rest, ok := strings.CutPrefix(v, "/"); ok {
		root, _, _ := strings.Cut(rest, "/")
		switch root {
		case "Applications", "Library", "Users", "Volumes", "app", "bin", "data", "dev", "etc", "home", "lib", "media", "mnt",
			"nix", "opt", "private", "proc", "root", "run", "sbin", "snap", "srv", "sys", "tmp", "usr", "var", "workspace":
			return false
		}
	}
	switch strings.ToLower(v) {
	case "anonymous", "automatic", "changeme", "development", "disabled", "enabled", "external", "interactive", "keychain",
		"localhost", "optional", "password", "production", "required", "undefined", "unlimited":
		return false
	}
	return true
}

// markerName makes a variable's name safe inside JSON text.
func markerName(name string) string {
	name = strings.Map(func(c rune) rune {
		if c < utf8.RuneSelf && (alnum[c] || c == '_') {
			return c
		}
		return -1
	}, name)
	return head(name, 64)
}

// pathRule matches a folder where it stands as a whole path or begins one.
type pathRule struct{ path, with string }

// pathRules: longest first, so that a working folder below home is found.
func pathRules(home, cwd string) []pathRule {
	var rules []pathRule
	for _, r := range []pathRule{{cleanPath(cwd), "."}, {cleanPath(home), "~"}} {
		if r.path != "" && (len(rules) == 0 || rules[0].path != r.path) {
			rules = append(rules, r)
		}
	}
	slices.SortStableFunc(rules, func(a, b pathRule) int { return cmp.Compare(len(b.path), len(a.path)) })
	return rules
}

// cleanPath returns the absolute path p in its shortest spelling, "" for what
// is too short to stand for somebody's own folder.
func cleanPath(p string) string {
	if p == "" || !utf8.ValidString(p) {
		return ""
	}
	if strings.HasPrefix(p, "/") {
		p = path.Clean(p)
	}
	if len(p) < 3 {
		return ""
	}
	return p
}

func (r pathRule) match(s string, i int) (span, found) {
	if i > 0 && pathBytes[s[i-1]] && !afterEscape(s, i) && !isFlag(s, i) {
		return span{}, none
	}
	rest := s[i:]
	if len(rest) <= len(r.path) && strings.HasPrefix(r.path, rest) && rest != r.path {
		return span{start: i}, open
	}
	if !strings.HasPrefix(rest, r.path) {
		return span{}, none
	}
	end := i + len(r.path)
	if end < len(s) && s[end] != '/' && pathBytes[s[end]] {
		// A full stop may end a sentence.
		if s[end] != '.' || end+1 < len(s) && pathBytes[s[end+1]] {
			return span{}, none
		}
	}
	return span{start: i, end: end, with: r.with, edge: edgeHold}, whole
}

// isFlag tells whether a one-letter flag ends before s[i], as in -I/home/….
func isFlag(s string, i int) bool { return i >= 2 && s[i-2] == '-' && alnum[s[i-1]] }

// pathBytes are those that make a longer name of the one before them. A slash
// is not among them: file:///home/… is a path too.
var pathBytes = classOf("azAZ09\x80\xff", "_-.~+")
