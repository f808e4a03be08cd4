package repo_test

import (
	"slices"
	"strings"
	"testing"
)

// arrow says what one package of ours may import of the others, and why no more.
type arrow struct {
	may []string
	why string
}

// anything stands for every other package of ours.
const anything = "*"

// arrows is the table of ARCHITECTURE.md. A package in a sub-folder whose name
// ends in "test" is a contract suite: it may import what its parent may, and the
// parent. Imports made by tests alone are not limited.
var arrows = map[string]arrow{
	"agent":                   {nil, "the runtime is handed its model, tools, clock and ids; it does not know that anybody watches"},
	"agent/scripted":          {[]string{"agent"}, "a model stream knows the runtime's types and nothing else"},
	"agent/openai":            {[]string{"agent", "agent/internal/provider"}, "a model stream knows the runtime's types and nothing else"},
	"agent/anthropic":         {[]string{"agent", "agent/internal/provider"}, "a model stream knows the runtime's types and nothing else"},
	"agent/internal/provider": {[]string{"agent"}, "it is what the model streams share, whatever their SDK"},
	"agent/retry":             {[]string{"agent"}, "it wraps whatever model it is given"},
	"agent/pijson":            {[]string{"agent"}, "it decodes foreign lines into agent events; what is shown of them is the projector's part"},
	"tools":                   {[]string{"agent"}, "a tool knows the tool contract only"},
	"hub/view":                {nil, "the fold is pure: everybody folds, so it depends on nobody"},
	"agent/projector":         {[]string{"agent", "hub/view"}, "it turns one into the other; where they go is the worker's part"},
	"hub/runlog":              {[]string{"hub/view"}, "a log holds projected events; it knows neither agents nor connections"},
	"hub/cluster":             {nil, "what hubs share beside logs is small interfaces of their own"},
	"hub/wire":                {[]string{"hub/view", "hub/runlog"}, "the protocol is spoken by clients too, which have no hub"},
	"redis":                   {[]string{"hub/runlog", "hub/cluster", "hub/view"}, "it implements the stores and is known only where the program is wired"},
	"agent/worker": {[]string{"agent", "agent/pijson", "agent/projector", "agent/retry", "hub/runlog", "hub/view"},
		"a worker writes to whatever run log it is given: memory, Redis or a hub far away"},
	"hub":      {[]string{"hub/runlog", "hub/cluster", "hub/wire", "hub/view"}, "a hub sees projected events only: no agent, no store's own package, no page"},
	"web":      {nil, "the page is an fs.FS and nothing else"},
	"loadtest": {[]string{"hub/wire", "hub/view"}, "it proves what a hub sends, so it shares no code with the hub beyond the protocol"},
	"cmd/hub":  {[]string{anything}, "here the program is wired together"},
	"cmd/hub/internal/term": {[]string{"hub/view", "hub/wire", "hub/runlog"},
		"a screen is made of a view and of what a hub says beside it; where both come from is the command's part"},
	"internal/repo": {nil, "it tests the repository"},
}

// pure lists packages that must stay free of input, output and clocks.
var pure = map[string][]string{
	"hub/view":              {"crypto/rand", "log", "math/rand", "math/rand/v2", "net", "net/http", "os", "os/exec", "time"},
	"cmd/hub/internal/term": {"crypto/rand", "log", "math/rand", "math/rand/v2", "net", "net/http", "os", "os/exec"},
}

// owners says which packages alone may import a foreign module.
var owners = []struct {
	module string
	may    []string
	why    string
}{
	{"github.com/redis/go-redis", []string{"redis"}, "the store can be replaced only while one package knows it"},
	{"github.com/openai/openai-go", []string{"agent/openai"}, "a provider's types end at its model stream"},
	{"github.com/anthropics/anthropic-sdk-go", []string{"agent/anthropic"}, "a provider's types end at its model stream"},
	{"github.com/alecthomas/kong", []string{"cmd/hub"}, "flags and environment are read in one place"},
	{"charm.land/bubbletea", []string{"cmd/hub"}, "the terminal is reached in one place; a screen is text"},
	{"charm.land/lipgloss", []string{"cmd/hub/internal/term"}, "all escapes that a screen writes come from one place"},
}

func isSuite(path string) bool {
	return strings.Contains(path, "/") && strings.HasSuffix(path, "test") && path != "loadtest"
}

// mayImport says whether from may import to, and if not, why.
func mayImport(from, to string) (ok bool, why string) {
	if isSuite(to) {
		return false, "a contract suite is for tests"
	}
	key := from
	if isSuite(from) {
		key = from[:strings.LastIndexByte(from, '/')]
		if to == key {
			return true, ""
		}
	}
	rule := arrows[key]
	return slices.Contains(rule.may, to) || slices.Contains(rule.may, anything), rule.why
}

func TestImportsBetweenOurPackages(t *testing.T) {
	for _, p := range packages(t) {
		from := p.path()
		parent := from
		if isSuite(from) {
			parent = from[:strings.LastIndexByte(from, '/')]
		}
		if _, known := arrows[parent]; !known {
			t.Errorf("%s is not in the table of packages: say in internal/repo/imports_test.go and ARCHITECTURE.md what it is for and may import", from)
			continue
		}
		for _, path := range p.Imports {
			to := ours(path)
			if to == "" {
				continue
			}
			if ok, why := mayImport(from, to); !ok {
				t.Errorf("%s must not import %s: %s", from, to, why)
			}
		}
	}
}

func TestImportsFromOutside(t *testing.T) {
	for _, p := range packages(t) {
		for _, path := range p.Imports {
			if slices.Contains(pure[p.path()], path) {
				t.Errorf("%s must not import %s: it is pure, without I/O and clock", p.path(), path)
			}
			for _, o := range owners {
				if (path == o.module || strings.HasPrefix(path, o.module+"/")) && !slices.Contains(o.may, p.path()) {
					t.Errorf("%s must not import %s, only %s may: %s", p.path(), path, strings.Join(o.may, ", "), o.why)
				}
			}
		}
	}
}

// The table must be able to say no.
func TestMayImport(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"hub", "hub/runlog", true},
		{"hub", "agent", false},
		{"hub", "redis", false},
		{"hub", "web", false},
		{"hub/view", "hub/runlog", false},
		{"agent", "hub/view", false},
		{"agent/worker", "agent/projector", true},
		{"cmd/hub", "redis", true},
		{"cmd/hub", "hub/runlog/runlogtest", false},
		{"hub/runlog/runlogtest", "hub/runlog", true},
		{"hub/runlog/runlogtest", "hub/view", true},
		{"hub/runlog/runlogtest", "hub", false},
	} {
		if got, why := mayImport(c.from, c.to); got != c.want {
			t.Errorf("%s -> %s: %v (%s), want %v", c.from, c.to, got, why, c.want)
		}
	}
}

func TestPackagesAreDocumented(t *testing.T) {
	architecture := string(read(t, "ARCHITECTURE.md"))
	for _, p := range packages(t) {
		if p.Doc == "" {
			t.Errorf("%s has no package comment: say in its doc.go what it promises", p.path())
		}
		if !isSuite(p.path()) && !strings.Contains(architecture, "`"+p.path()+"`") {
			t.Errorf("ARCHITECTURE.md does not name `%s`: every room is on the map", p.path())
		}
	}
}
