package redis

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseTarget(t *testing.T) {
	tests := map[string]target{
		"redis+sentinel://h1:1,h2/main": {kind: sentinel, nodes: []string{"h1:1", "h2:26379"}, master: "main"},
		"rediss+sentinel://u%3a:p%40/x@h1/main/7?sentinel_username=s&sentinel_password=%23": {
			kind: sentinel, secure: true, nodes: []string{"h1:26379"}, master: "main", db: 7,
			user: "u:", password: "p@/x", sentinelUser: "s", sentinelPassword: "#"},
		"redis+sentinel://:a@b@h1/m":            {kind: sentinel, nodes: []string{"h1:26379"}, master: "m", password: "a@b"},
		"redis+cluster://h1:7000,[::1]:7001,h3": {kind: cluster, nodes: []string{"h1:7000", "[::1]:7001", "h3:6379"}},
		"rediss+cluster://:pw@[::1]/0":          {kind: cluster, secure: true, nodes: []string{"[::1]:6379"}, password: "pw"},
	}
	for raw, want := range tests {
		got, err := parseTarget(raw)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(target{})); d != "" {
			t.Errorf("%s:\n%s", raw, d)
		}
	}
}

// TestBadURLs: each error names the part, and none repeats a password.
func TestBadURLs(t *testing.T) {
	const secret = "hunter2"
	tests := map[string]string{
		"":                                                  "scheme",
		"127.0.0.1:6379":                                    "scheme",
		"http://u:hunter2@h":                                "scheme",
		"redis+cluster://":                                  "node 1",
		"redis+cluster://:hunter2":                          "node 1",
		"redis+cluster://h1,,h3":                            "node 2",
		"redis+cluster://u:hunter2@h1:99999":                "node 1: the port",
		"redis+cluster://h1:hunter2":                        "node 1: the port",
		"redis+cluster://::1":                               "node 1",
		"redis+cluster://h1/3":                              "path",
		"redis+cluster://h1?db=3":                           `"db"`,
		"redis+cluster://u:%zz@h1":                          "password",
		"redis+cluster://%zz:hunter2@h1":                    "user",
		"redis+sentinel://u:hunter2@h1":                     "path",
		"redis+sentinel://h1/a b":                           "path",
		"redis+sentinel://h1/m/x":                           "database",
		"redis+sentinel://h1/m?password=hunter2":            `"password"`,
		"redis+sentinel://h1/m#hunter2":                     "#",
		"redis://u:hunter2@h1:port":                         "port",
		"redis://u:hunter2@h1/db":                           "database",
		"redis+cluster://" + strings.Repeat("h,", 99) + "h": "nodes",
	}
	for raw, want := range tests {
		_, err := Open(Config{URL: raw})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v; want a word of %s, and no password", raw, err, want)
		}
	}
}

func FuzzParseTarget(f *testing.F) {
	f.Add("redis+sentinel://u:p@h1:1,h2/main/7?sentinel_username=s")
	f.Add("rediss+cluster://:pw@[::1],h:2/0")
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := parseTarget(raw)
		if err == nil && got.kind != single && len(got.nodes) == 0 {
			t.Errorf("%q: no node and no error", raw)
		}
	})
}
