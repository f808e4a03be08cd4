package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Tool is something the model can call.
type Tool struct {
	// Name is what the model calls it by; unique in a Toolset.
	Name string
	// Label is for people.
	Label string
	// Description is for the model.
	Description string
	// Parameters is the JSON Schema (2020-12 unless it says otherwise) of the
	// arguments; empty means any object.
	Parameters json.RawMessage
	// ExecutionMode is empty or Sequential for a tool that minds company.
	ExecutionMode ExecutionMode
	// PrepareArguments, if any, changes the model's arguments before they are
	// converted and checked, for instance from an older form. Its error is the
	// call's error result. It must not change args in place.
	PrepareArguments func(args json.RawMessage) (json.RawMessage, error)
	// Execute does the work. args are valid. An error becomes the error result
	// of the call: its text goes to the model and to whoever watches, so it
	// must not hold secrets. A *ToolError gives the whole error result.
	//
	// onUpdate reports the whole state so far (not a delta); it does not wait
	// for listeners, unless very many updates wait already, may be called from
	// any goroutine, and is ignored once Execute has returned.
	//
	// Execute must return soon after ctx is cancelled. If it does not, its run
	// waits for it (see Agent.Shutdown). Several calls may run concurrently.
	Execute func(ctx context.Context, callID string, args json.RawMessage, onUpdate func(ToolResult)) (ToolResult, error)
}

// Toolset is a checked list of tools. It does not change and may be shared.
type Toolset struct {
	tools  []Tool
	byName map[string]*compiledTool
}

type compiledTool struct {
	Tool
	schema *argumentSchema
}

// NewToolset checks the tools and compiles their schemas. The error names the
// tool and says why it is refused.
func NewToolset(tools ...Tool) (*Toolset, error) {
	set := &Toolset{tools: slices.Clone(tools), byName: make(map[string]*compiledTool, len(tools))}
	for i, t := range set.tools {
		c, err := compileTool(t)
		if err == nil && set.byName[t.Name] != nil {
			err = errors.New("there is another tool of that name")
		}
		if err != nil {
			return nil, fmt.Errorf("agent: tool %d %q: %w", i, t.Name, err)
		}
		set.byName[t.Name] = c
	}
	return set, nil
}

func compileTool(t Tool) (*compiledTool, error) {
	switch {
	case t.Name == "":
		return nil, errors.New("it has no name")
	case t.Execute == nil:
		return nil, errors.New("it has no Execute")
	case !t.ExecutionMode.known():
		return nil, fmt.Errorf("its ExecutionMode is %q: want %q, %q or none", t.ExecutionMode, Parallel, Sequential)
	}
	schema, err := compileArguments(t.Parameters)
	if err != nil {
		return nil, fmt.Errorf("its Parameters are no usable JSON Schema: %w", err)
	}
	return &compiledTool{Tool: t, schema: schema}, nil
}

// Tools lists the tools in the order they were given. The list must not be
// changed.
func (s *Toolset) Tools() []Tool {
	if s == nil {
		return nil
	}
	return s.tools
}

func (s *Toolset) find(name string) *compiledTool {
	if s == nil {
		return nil
	}
	return s.byName[name]
}
