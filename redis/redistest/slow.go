package redistest

import (
	"os"
	"testing"
)

// Slow skips a test that takes long, unless all fault tests are asked for.
func Slow(t testing.TB) {
	t.Helper()
	if os.Getenv("RINGSIDE_FAULTS") != "all" {
		t.Skip("takes long: runs with RINGSIDE_FAULTS=all")
	}
}
