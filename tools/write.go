package tools

import (
	"fmt"
	"strings"

	"github.com/ringside-hub/ringside/agent"
)

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

type writeDetails struct {
	state        // bytes
	Lines   int  `json:"lines"`
	Created bool `json:"created"`
}

func writeTool(b *toolbox) (agent.Tool, error) {
	return defineFile(b, "write", "Write file", (*call).write)
}

func (c *call) write(args writeArgs) (agent.ToolResult, error) {
	path, err := c.resolve(args.Path)
	if err != nil {
		return agent.ToolResult{}, err
	}
	n := len(args.Content)
	if n > c.Limits.FileBytes {
		return agent.ToolResult{}, fmt.Errorf("the content is too large: %s, at most %s are accepted", size(int64(n)), size(int64(c.Limits.FileBytes)))
	}
	c.report("", outOf(phaseWriting, 0, n))
	release, err := c.claimWriting()
	if err != nil {
		return agent.ToolResult{}, err
	}
	defer release()
	old, err := c.replace(path, []byte(args.Content), nil)
	if err != nil {
		return agent.ToolResult{}, err
	}
	d := writeDetails{state: outOf(phaseDone, n, n), Lines: strings.Count(args.Content, "\n"), Created: old == nil}
	if n > 0 && !strings.HasSuffix(args.Content, "\n") {
		d.Lines++
	}
	verb := "replaced"
	if d.Created {
		verb = "made"
	}
	return textResult(fmt.Sprintf("%s %s: %s, %s\n", verb, shown(path), plural(d.Lines, "line", "lines"), size(int64(n))), d), nil
}
