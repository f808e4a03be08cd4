package tools

import (
	"regexp"
	"strings"
)

// What is read of one .gitignore.
const (
	maxIgnoreBytes   = 256 << 10
	maxIgnoreRules   = 4000
	maxIgnorePattern = 1000 // bytes
)

// ignoreRules are the rules of one .gitignore and of those above it. The
// patterns become regular expressions without backtracking, so that no pattern is
// slow.
type ignoreRules struct {
	above *ignoreRules
	dir   string // slash-separated; "" at the top
	rules []ignoreRule
}

type ignoreRule struct {
	pattern  *regexp.Regexp
	negated  bool
	dirOnly  bool
	baseName bool // it is compared with the last element alone
}

// parseIgnore reads the rules of the .gitignore in dir. Lines that are no
// pattern are passed over, as git does.
func parseIgnore(above *ignoreRules, dir, text string) *ignoreRules {
	r := &ignoreRules{above: above, dir: dir}
	text = strings.TrimPrefix(text, "\uFEFF")
	for line := range strings.Lines(text) {
		if len(r.rules) == maxIgnoreRules {
			break
		}
		if rule, ok := parseIgnoreLine(strings.TrimRight(line, "\r\n")); ok {
			r.rules = append(r.rules, rule)
		}
	}
	if len(r.rules) == 0 {
		return above
	}
	return r
}

func parseIgnoreLine(line string) (ignoreRule, bool) {
	var rule ignoreRule
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if strings.HasPrefix(line, "#") || len(line) > maxIgnorePattern {
		return rule, false
	}
	line, rule.negated = strings.CutPrefix(line, "!")
	line, rule.dirOnly = strings.CutSuffix(line, "/")
	rule.baseName = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return rule, false
	}
	expression, ok := globExpression(line, false)
	if !ok {
		return rule, false
	}
	var err error
	rule.pattern, err = regexp.Compile(expression)
	return rule, err == nil
}

// ignores tells whether the rules leave out path, whose folder they do not leave
// out. The last rule that fits decides, those of the deepest folder first.
func (r *ignoreRules) ignores(path string, isDir bool) bool {
	base := path[strings.LastIndexByte(path, '/')+1:]
	for ; r != nil; r = r.above {
		rel := path
		if r.dir != "" {
			rel = strings.TrimPrefix(path, r.dir+"/")
		}
		for i := len(r.rules) - 1; i >= 0; i-- {
			rule := &r.rules[i]
			if rule.dirOnly && !isDir {
				continue
			}
			text := rel
			if rule.baseName {
				text = base
			}
			if rule.pattern.MatchString(text) {
				return !rule.negated
			}
		}
	}
	return false
}

// globExpression translates a pattern: * and ? within one element, ** over
// several, [classes], \ before a plain character and, with braces, {a,b}.
func globExpression(glob string, braces bool) (string, bool) {
	var re strings.Builder
	re.WriteString(`(?s)\A`)
	depth := 0
	for i := 0; i < len(glob); i++ {
		rest := glob[i:]
		atStart := i == 0 || glob[i-1] == '/'
		switch c := glob[i]; {
		case strings.HasPrefix(rest, "**/") && atStart:
			re.WriteString(`(?:.*/)?`)
			i += 2
		case rest == "**" && atStart:
			re.WriteString(`.+`)
			i++
		case c == '*':
			re.WriteString(`[^/]*`)
		case c == '?':
			re.WriteString(`[^/]`)
		case c == '[':
			class, n := globClass(rest)
			if n == 0 {
				return "", false
			}
			re.WriteString(class)
			i += n - 1
		case c == '\\':
			if i++; i == len(glob) {
				return "", false
			}
			re.WriteString(regexp.QuoteMeta(glob[i : i+1]))
		case braces && c == '{':
			re.WriteString(`(?:`)
			depth++
		case depth > 0 && c == ',':
			re.WriteByte('|')
		case depth > 0 && c == '}':
			re.WriteByte(')')
			depth--
		default:
			re.WriteString(quoteByte(c))
		}
	}
	re.WriteString(`\z`)
	return re.String(), depth == 0
}

// quoteByte quotes ASCII; the bytes of other characters stand for themselves.
func quoteByte(c byte) string {
	if c < 0x80 {
		return regexp.QuoteMeta(string(rune(c)))
	}
	return string([]byte{c})
}

// globClass translates the class that glob begins with, and says how long it is;
// 0 if it is none.
func globClass(glob string) (class string, n int) {
	var re strings.Builder
	re.WriteByte('[')
	i := 1
	if i < len(glob) && (glob[i] == '!' || glob[i] == '^') {
		re.WriteString(`^/`)
		i++
	}
	for first := true; i < len(glob); first = false {
		switch c := glob[i]; {
		case c == ']' && !first:
			re.WriteByte(']')
			return re.String(), i + 1
		case c == '[' && strings.HasPrefix(glob[i:], "[:"):
			end := strings.Index(glob[i:], ":]")
			if end < 0 {
				return "", 0
			}
			re.WriteString(glob[i : i+end+2])
			i += end + 2
			continue
		case c == '\\' && i+1 < len(glob):
			i++
			re.WriteString(quoteInClass(glob[i]))
		case c == '-':
			re.WriteByte('-')
		default:
			re.WriteString(quoteInClass(c))
		}
		i++
	}
	return "", 0
}

func quoteInClass(c byte) string {
	if strings.IndexByte(`[]\^-&~`, c) >= 0 {
		return `\` + string(rune(c))
	}
	return string([]byte{c})
}
