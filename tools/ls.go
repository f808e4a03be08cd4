package tools

import (
	"fmt"
	"io/fs"

	"github.com/ringside-hub/ringside/agent"
)

const maxListed = 1000

type lsArgs struct {
	Path string `json:"path"`
}

type lsDetails struct {
	state
	Shown int  `json:"shown"`
	More  bool `json:"more,omitzero"` // there are more than were counted
}

func lsTool(b *toolbox) (agent.Tool, error) {
	return defineFile(b, "ls", "List folder", (*call).ls)
}

func (c *call) ls(args lsArgs) (agent.ToolResult, error) {
	dir, err := c.resolve(args.Path)
	if err != nil {
		return agent.ToolResult{}, err
	}
	c.report("", phase(phaseListing))
	entries, more, err := c.readDir(dir, c.Limits.Entries)
	if err != nil {
		return agent.ToolResult{}, err
	}
	text := lines{most: c.Limits.ResultBytes}
	listed := 0
	for _, e := range entries[:min(len(entries), maxListed)] {
		if !text.add(shown(e.Name()) + mark(e.Type())) {
			break
		}
		listed++
	}
	d := lsDetails{state: outOf(phaseDone, len(entries), len(entries)), Shown: listed, More: more}
	switch {
	case len(entries) == 0:
		text.WriteString("(the folder is empty)\n")
	case more:
		fmt.Fprintf(&text, "[%d of more than %d entries]\n", listed, len(entries))
	case listed < len(entries):
		fmt.Fprintf(&text, "[%d of %d entries]\n", listed, len(entries))
	}
	return textResult(text.String(), d), nil
}

// mark shows what kind of thing a name is, as ls -F does.
func mark(t fs.FileMode) string {
	switch {
	case t.IsDir():
		return "/"
	case t&fs.ModeSymlink != 0:
		return "@"
	case t&fs.ModeNamedPipe != 0:
		return "|"
	case t&fs.ModeSocket != 0:
		return "="
	case t.IsRegular():
		return ""
	}
	return " (device)"
}
