package main

import (
	"fmt"
	"runtime/debug"
)

type versionCmd struct{}

// Run prints the version that the Go module system knows.
func (versionCmd) Run(e env) error {
	_, err := fmt.Fprintln(e.stdout, "hub", version())
	return err
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && v == "(devel)" {
			v += " " + s.Value[:min(12, len(s.Value))]
		}
	}
	return v + " " + info.GoVersion
}
