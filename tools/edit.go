package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/ringside-hub/ringside/agent"
)

const (
	maxEdits     = 200
	maxDiffBytes = 32 << 10
	maxNamed     = 5 // places of an ambiguous text that an error names
)

type editArgs struct {
	Path  string     `json:"path"`
	Edits []textEdit `json:"edits"`
}

type textEdit struct {
	OldText string `json:"oldText"`
	NewText string `json:"newText"`
}

type editDetails struct {
	state          // edits
	Diff    string `json:"diff"` // unified
	DiffCut bool   `json:"diffCut,omitzero"`
	Added   int    `json:"added"` // lines
	Removed int    `json:"removed"`
	Line    int    `json:"firstChangedLine"`
}

func editTool(b *toolbox) (agent.Tool, error) {
	return defineFile(b, "edit", "Edit file", (*call).edit)
}

func (c *call) edit(args editArgs) (agent.ToolResult, error) {
	path, err := c.resolve(args.Path)
	if err != nil {
		return agent.ToolResult{}, err
	}
	if n := len(args.Edits); n == 0 || n > maxEdits {
		return agent.ToolResult{}, fmt.Errorf("%d edits, there must be 1 to %d", n, maxEdits)
	}
	c.report("", outOf(phaseEditing, 0, len(args.Edits)))
	release, err := c.claimWriting()
	if err != nil {
		return agent.ToolResult{}, err
	}
	defer release()
	data, seen, err := c.readFile(path)
	if err != nil {
		return agent.ToolResult{}, err
	}
	if isBinary(data) {
		return agent.ToolResult{}, fmt.Errorf("%s: it is a binary file", shown(path))
	}
	text := newEndings(string(data))
	edits, err := c.place(text.plain, args.Edits)
	if err != nil {
		return agent.ToolResult{}, fmt.Errorf("%s: %w", shown(path), err)
	}
	content, err := udiff.Apply(text.original, text.restore(edits))
	if err != nil {
		return agent.ToolResult{}, fmt.Errorf("%s: %w", shown(path), err)
	}
	if len(content) > c.Limits.FileBytes {
		return agent.ToolResult{}, fmt.Errorf("%s: it would become too large: %s, at most %s are accepted", shown(path), size(int64(len(content))), size(int64(c.Limits.FileBytes)))
	}
	d, err := describe(shown(path), text.plain, edits)
	if err != nil {
		return agent.ToolResult{}, fmt.Errorf("%s: %w", shown(path), err)
	}
	if _, err := c.replace(path, []byte(content), seen); err != nil {
		return agent.ToolResult{}, err
	}
	return textResult(fmt.Sprintf("edited %s: %s, +%d -%d lines, the first change at line %d\n",
		shown(path), plural(len(edits), "place", "places"), d.Added, d.Removed, d.Line), d), nil
}

// place finds where each edit applies, in the order of the text.
func (c *call) place(text string, list []textEdit) ([]udiff.Edit, error) {
	type placed struct {
		udiff.Edit
		number int
	}
	var all []placed
	for i, e := range list {
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
		// Models write the line endings they see, and they see LF.
		from, to := strings.ReplaceAll(e.OldText, "\r\n", "\n"), strings.ReplaceAll(e.NewText, "\r\n", "\n")
		at, err := only(text, from)
		switch {
		case err != nil:
			return nil, fmt.Errorf("edit %d: %w", i+1, err)
		case from == to:
			return nil, fmt.Errorf("edit %d: newText is the same as oldText", i+1)
		}
		all = append(all, placed{udiff.Edit{Start: at, End: at + len(from), New: to}, i + 1})
	}
	slices.SortFunc(all, func(a, b placed) int { return a.Start - b.Start })
	edits := make([]udiff.Edit, len(all))
	for i, e := range all {
		if i > 0 && e.Start < all[i-1].End {
			return nil, fmt.Errorf("edits %d and %d overlap: make one of them", min(all[i-1].number, e.number), max(all[i-1].number, e.number))
		}
		edits[i] = e.Edit
	}
	return edits, nil
}

// only finds the one place where part is in text.
func only(text, part string) (int, error) {
	if part == "" {
		return 0, fmt.Errorf("oldText is empty")
	}
	first := strings.Index(text, part)
	if first < 0 {
		return 0, fmt.Errorf("oldText is not in the file%s", hint(text, part))
	}
	// Places may overlap: aa is twice in aaa.
	places := []int{first}
	for len(places) <= maxNamed {
		last := places[len(places)-1]
		next := strings.Index(text[last+1:], part)
		if next < 0 {
			break
		}
		places = append(places, last+1+next)
	}
	if len(places) == 1 {
		return first, nil
	}
	var at []string
	for _, p := range places[:min(len(places), maxNamed)] {
		at = append(at, fmt.Sprint(lineOf(text, p)))
	}
	more := ""
	if len(places) > maxNamed {
		more = " and more"
	}
	return 0, fmt.Errorf("oldText is in the file more than once (lines %s%s): add surrounding text to it", strings.Join(at, ", "), more)
}

// hint looks for what oldText may have meant: the same but for white space.
func hint(text, part string) string {
	wanted := strings.TrimSpace(part)
	if line, _, several := strings.Cut(wanted, "\n"); several {
		wanted = strings.TrimSpace(line)
	}
	if wanted == "" {
		return ""
	}
	if at := strings.Index(text, wanted); at >= 0 {
		return fmt.Sprintf(": something like it begins at line %d, look at its white space and its further lines", lineOf(text, at))
	}
	return ""
}

func lineOf(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }

// describe shows what edits change, by lines.
func describe(name, text string, edits []udiff.Edit) (editDetails, error) {
	d := editDetails{state: outOf(phaseDone, len(edits), len(edits))}
	var fine []udiff.Edit
	for _, e := range edits {
		for _, part := range udiff.Strings(text[e.Start:e.End], e.New) {
			fine = append(fine, udiff.Edit{Start: e.Start + part.Start, End: e.Start + part.End, New: part.New})
		}
	}
	if len(fine) > 0 {
		d.Line = lineOf(text, fine[0].Start)
	}
	diff, err := udiff.ToUnified("a/"+name, "b/"+name, text, fine, udiff.DefaultContextLines)
	if err != nil {
		return d, err
	}
	body := 0 // lines before the first hunk are no changes
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@"):
			body++
		case body > 0 && line[0] == '+':
			d.Added++
		case body > 0 && line[0] == '-':
			d.Removed++
		}
	}
	if d.Diff = diff; len(diff) > maxDiffBytes {
		cut := whole(diff, maxDiffBytes)
		d.Diff, d.DiffCut = cut[:strings.LastIndexByte(cut, '\n')+1], true
	}
	return d, nil
}
