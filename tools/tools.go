package tools

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/ringside-hub/ringside/agent"
)

// assets has each tool's parameters (NAME.json, a JSON Schema) and description
// for the model (NAME.md).
//
//go:embed *.json *.md
var assets embed.FS

// toolbox is what the tools of one New share.
type toolbox struct {
	// Static after construction.
	Workspace
	physical  string // Dir without symbolic links
	addresses addressPolicy

	// writing has one slot, held by the call that changes a file.
	writing chan struct{}
}

// kind is one tool of this package.
type kind struct {
	name string
	make func(*toolbox) (agent.Tool, error)
}

// kinds lists the tools, the harmless ones first.
func kinds() []kind {
	return []kind{
		{"scan", scanTool}, {"ls", lsTool}, {"read", readTool}, {"grep", grepTool},
		{"write", writeTool}, {"edit", editTool}, {"bash", bashTool}, {"fetch", fetchTool},
	}
}

// Names lists the tools that New knows.
func Names() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

// New returns the named tools, in the order of names. It refuses a workspace that
// is no folder, limits and settings that cannot work, and unknown or repeated
// names.
func New(w Workspace, names ...string) ([]agent.Tool, error) {
	return newTools(w, publicOnly, names)
}

func newTools(w Workspace, addresses addressPolicy, names []string) ([]agent.Tool, error) {
	if err := w.check(); err != nil {
		return nil, fmt.Errorf("tools: %w", err)
	}
	physical, err := filepath.EvalSymlinks(w.Dir)
	if err != nil {
		return nil, fmt.Errorf("tools: Workspace.Dir: %w", err)
	}
	b := &toolbox{Workspace: w, physical: physical, addresses: addresses, writing: make(chan struct{}, 1)}
	makers := map[string]func(*toolbox) (agent.Tool, error){}
	for _, k := range kinds() {
		makers[k.name] = k.make
	}
	var list []agent.Tool
	seen := map[string]bool{}
	for _, name := range names {
		if makers[name] == nil {
			return nil, fmt.Errorf("tools: there is no tool %q: there are %s", name, strings.Join(Names(), ", "))
		}
		if seen[name] {
			return nil, fmt.Errorf("tools: %s is named twice", name)
		}
		seen[name] = true
		t, err := makers[name](b)
		if err != nil {
			return nil, fmt.Errorf("tools: %s: %w", name, err)
		}
		list = append(list, t)
	}
	return list, nil
}

// call is one call of a tool.
type call struct {
	*toolbox
	ctx  context.Context
	root *os.Root // the workspace; nil for tools that open no files
	progress
}

// define makes a tool of run. Arguments that A does not fit are refused, also
// where nobody has checked them against the schema.
func define[A any](b *toolbox, name, label string, limit time.Duration, run func(*call, A) (agent.ToolResult, error)) (agent.Tool, error) {
	schema, err := assets.ReadFile(name + ".json")
	if err != nil {
		return agent.Tool{}, err
	}
	text, err := assets.ReadFile(name + ".md")
	if err != nil {
		return agent.Tool{}, err
	}
	return agent.Tool{
		Name: name, Label: label, Description: strings.TrimSpace(string(text)), Parameters: schema,
		Execute: func(ctx context.Context, _ string, raw json.RawMessage, onUpdate func(agent.ToolResult)) (agent.ToolResult, error) {
			var args A
			if err := jsonv2.Unmarshal(raw, &args, jsonv2.RejectUnknownMembers(true)); err != nil {
				return agent.ToolResult{}, fmt.Errorf("the arguments are not those of %s: %w", name, plainDecode(err))
			}
			if ctx.Err() != nil {
				return agent.ToolResult{}, endedBy(ctx)
			}
			limited, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("took longer than %v", limit))
			defer cancel()
			c := &call{toolbox: b, ctx: limited, progress: progress{send: onUpdate}}
			r, err := run(c, args)
			if err != nil && limited.Err() != nil && errors.Is(err, limited.Err()) {
				err = endedBy(limited)
			}
			return r, err
		},
	}, nil
}

// defineFile is define for a tool that opens files of the workspace.
func defineFile[A any](b *toolbox, name, label string, run func(*call, A) (agent.ToolResult, error)) (agent.Tool, error) {
	return define(b, name, label, b.Limits.FileTime, func(c *call, args A) (agent.ToolResult, error) {
		root, err := c.open()
		if err != nil {
			return agent.ToolResult{}, err
		}
		defer root.Close()
		c.root = root
		return run(c, args)
	})
}

// endedBy says why a call's context has ended.
func endedBy(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return errors.New("aborted")
}

// plainDecode says a decoding error without Go's type names.
func plainDecode(err error) error {
	if s, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		at := strings.ReplaceAll(strings.TrimPrefix(string(s.JSONPointer), "/"), "/", ".")
		if at == "" {
			at = "root"
		}
		if errors.Is(err, jsonv2.ErrUnknownName) {
			return fmt.Errorf("%s: there is no such parameter", at)
		}
		return fmt.Errorf("%s: it is of another type than the tool takes", at)
	}
	return err
}

// textResult is a result with details.
func textResult(text string, details any) agent.ToolResult {
	r := agent.TextResult(text)
	r.Details = encode(details)
	return r
}

// encode writes the details of a result: structs of this package, with strings
// that may have come from anywhere.
func encode(details any) json.RawMessage {
	raw, err := jsonv2.Marshal(details, jsonv2.Deterministic(true), jsontextAllowInvalidUTF8)
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return raw
}
