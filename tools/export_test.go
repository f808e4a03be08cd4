//go:build linux

package tools

import (
	"net/netip"

	"github.com/ringside-hub/ringside/agent"
)

// NewForTest is New with a fetch that also reaches this machine.
func NewForTest(w Workspace, names ...string) ([]agent.Tool, error) {
	return newTools(w, func(a netip.Addr) error {
		if a.Unmap() == netip.MustParseAddr("127.0.0.1") {
			return nil
		}
		return publicOnly(a)
	}, names)
}

// PublicOnly is what New gives to fetch.
func PublicOnly(a netip.Addr) error { return publicOnly(a) }

// HTMLText is htmlText.
var HTMLText = htmlText

// MarkName is markName.
const MarkName = markName

// Ignores reads the rules of one .gitignore at the top, and tells whether they
// leave out path.
func Ignores(rules, path string, isDir bool) bool {
	return parseIgnore(nil, "", rules).ignores(path, isDir)
}

// SupervisorAt is another program in the place of a supervisor.
func SupervisorAt(path string) Supervisor { return Supervisor{path} }
