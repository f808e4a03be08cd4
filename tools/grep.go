package tools

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/ringside-hub/ringside/agent"
)

const (
	maxPattern     = 1000 // bytes
	maxProgram     = 2000 // instructions of a compiled pattern: each byte may visit all
	maxGlob        = 1000 // bytes
	maxMatches     = 200
	defaultMatches = 100
	maxContext     = 10
)

type grepArgs struct {
	Pattern    string  `json:"pattern"`
	Path       string  `json:"path"`
	Glob       string  `json:"glob"`
	IgnoreCase bool    `json:"ignoreCase"`
	Literal    bool    `json:"literal"`
	Context    float64 `json:"context"`
	Limit      float64 `json:"limit"`
	Ignored    bool    `json:"ignored"`
}

type grepDetails struct {
	state         // files searched
	Matches   int `json:"matches"`
	Files     int `json:"files"` // with a match
	Unread    int `json:"unread,omitzero"`
	LongLines int `json:"longLines,omitzero"`
	// More says that there may be more matches than were looked for.
	More bool `json:"more,omitzero"`
}

func grepTool(b *toolbox) (agent.Tool, error) {
	return defineFile(b, "grep", "Search text", (*call).grep)
}

func (c *call) grep(args grepArgs) (agent.ToolResult, error) {
	dir, err := c.resolve(args.Path)
	if err != nil {
		return agent.ToolResult{}, err
	}
	s, err := newSearch(c, args)
	if err != nil {
		return agent.ToolResult{}, err
	}
	s.w = &walk{call: c, ignored: args.Ignored, visit: func(e entry) error {
		if e.Type().IsRegular() && (s.glob == nil || s.glob.MatchString(e.path) || s.glob.MatchString(path.Base(e.path))) {
			return s.file(e.path)
		}
		return nil
	}}
	c.report("", s.details(phaseSearching))
	if err := s.w.from(dir); err != nil {
		return agent.ToolResult{}, err
	}
	return textResult(s.result(), s.details(phaseDone)), nil
}

// search is what one grep looks for, and what it has found.
type search struct {
	*call
	w       *walk
	pattern *regexp.Regexp
	glob    *regexp.Regexp // nil: every file
	context int
	most    int

	text      lines
	matches   int
	files     int // with a match
	searched  int
	bytes     int64 // searched
	unread    int   // binary, too large, not to be opened
	longLines int   // searched in part
}

func newSearch(c *call, args grepArgs) (*search, error) {
	s := &search{call: c, context: min(max(int(args.Context), 0), maxContext), most: defaultMatches}
	if args.Limit >= 1 {
		s.most = min(int(args.Limit), maxMatches)
	}
	s.text.most = c.Limits.ResultBytes
	var err error
	if s.pattern, err = compilePattern(args); err != nil {
		return nil, fmt.Errorf("pattern: %w", err)
	}
	if args.Glob != "" {
		if s.glob, err = compileGlob(args.Glob); err != nil {
			return nil, fmt.Errorf("glob: %w", err)
		}
	}
	return s, nil
}

func compilePattern(args grepArgs) (*regexp.Regexp, error) {
	expression := args.Pattern
	switch {
	case expression == "":
		return nil, errors.New("it is empty")
	case len(expression) > maxPattern:
		return nil, fmt.Errorf("it has %d bytes, at most %d are accepted", len(expression), maxPattern)
	}
	if args.Literal {
		expression = regexp.QuoteMeta(expression)
	}
	if args.IgnoreCase {
		expression = "(?i)" + expression
	}
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		if s, ok := errors.AsType[*syntax.Error](err); ok {
			return nil, fmt.Errorf("%s: %s (RE2 syntax)", s.Code, shown(s.Expr))
		}
		return nil, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if n := len(program.Inst); n > maxProgram {
		return nil, fmt.Errorf("it is too complex: %d steps, at most %d are accepted", n, maxProgram)
	}
	return regexp.Compile(expression)
}

func compileGlob(glob string) (*regexp.Regexp, error) {
	glob = strings.TrimPrefix(strings.TrimPrefix(glob, "./"), "/")
	if len(glob) > maxGlob {
		return nil, fmt.Errorf("it has %d bytes, at most %d are accepted", len(glob), maxGlob)
	}
	expression, ok := globExpression(glob, true)
	if !ok {
		return nil, errors.New("it is not complete: a bracket is not closed, or there is nothing after a backslash")
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, errors.New("it is no pattern for file names")
	}
	return re, nil
}

func (s *search) details(phase string) grepDetails {
	d := grepDetails{state: counted(phase, s.searched), Matches: s.matches, Files: s.files, Unread: s.unread, LongLines: s.longLines}
	if phase == phaseDone {
		d.Total = new(int64(s.searched))
		d.More = s.w.partial
	}
	return d
}

func (s *search) result() string {
	if s.matches == 0 {
		s.text.WriteString("(no matches)\n")
	}
	var notes []string
	switch {
	case s.matches >= s.most:
		notes = append(notes, fmt.Sprintf("stopped after %s", plural(s.matches, "match", "matches")))
	case s.text.full:
		notes = append(notes, "stopped: the result has become too long")
	case s.w.partial:
		notes = append(notes, "not everything was searched: there is too much, search in a part of it")
	}
	if s.unread > 0 {
		notes = append(notes, fmt.Sprintf("%s not searched: binary, too large or not readable", plural(s.unread, "file was", "files were")))
	}
	if s.longLines > 0 {
		notes = append(notes, fmt.Sprintf("%s searched only in the first %s", plural(s.longLines, "very long line was", "very long lines were"), size(maxSearchedLine)))
	}
	if len(notes) > 0 {
		fmt.Fprintf(&s.text, "[%s]\n", strings.Join(notes, "; "))
	}
	return s.text.String()
}
