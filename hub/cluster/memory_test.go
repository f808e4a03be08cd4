package cluster_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/ringside-hub/ringside/hub/cluster"
	"github.com/ringside-hub/ringside/hub/cluster/clustertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemory(t *testing.T) {
	clustertest.TestPresence(t, func(*testing.T) cluster.Presence { return cluster.NewMemory() })
}

func TestCleanName(t *testing.T) {
	for in, want := range map[string]string{
		"Ada":                      "Ada",
		"  Ada \t\n Lovelace ":     "Ada Lovelace",
		"a\x1b[31mb":               "a[31mb",
		"abc\u202egnp":             "abcgnp",
		"a\u200bb":                 "ab",
		"a\xffb":                   "ab",
		"\u2028":                   "",
		"王小明 🚀":                    "王小明 🚀",
		strings.Repeat("é", 50):    strings.Repeat("é", 40),
		strings.Repeat("a ", 1000): strings.TrimSpace(strings.Repeat("a ", 20)),
	} {
		if got := cluster.CleanName(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func FuzzCleanName(f *testing.F) {
	f.Add("Ada\u0000 \u202e Lovelace")
	f.Fuzz(func(t *testing.T, in string) {
		out := cluster.CleanName(in)
		if !utf8.ValidString(out) || utf8.RuneCountInString(out) > cluster.MaxName || cluster.CleanName(out) != out {
			t.Fatalf("%q becomes %q", in, out)
		}
	})
}
