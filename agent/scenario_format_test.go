package agent_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/ringside-hub/ringside/agent"
)

// scenario is one script file, format 1.
type scenario struct {
	Format              int                 `json:"format"`
	Name                string              `json:"name"`
	Title               string              `json:"title"`
	Covers              []string            `json:"covers"`
	Tags                []string            `json:"tags"`
	API                 string              `json:"api"`
	System              string              `json:"system"`
	ToolExecution       string              `json:"toolExecution"`
	SteeringMode        string              `json:"steeringMode"`
	FollowUpMode        string              `json:"followUpMode"`
	Tools               []scriptedTool      `json:"tools"`
	Responses           [][]step            `json:"responses"`
	Calls               map[string][][]step `json:"calls"`
	Before              map[string][][]step `json:"before"` // nil: no hook
	After               map[string][][]step `json:"after"`
	ShouldStopAfterTurn [][]step            `json:"shouldStopAfterTurn"`
	Listeners           []scriptedListener  `json:"listeners"`
	Run                 []step              `json:"run"`
}

type scriptedTool struct {
	Name          string          `json:"name"`
	Label         string          `json:"label"`
	Description   string          `json:"description"`
	Parameters    json.RawMessage `json:"parameters"`
	ExecutionMode string          `json:"executionMode"`
	Prepare       []prepareStep   `json:"prepare"`
}

type prepareStep struct {
	Op      string          `json:"op"`
	From    string          `json:"from"`
	To      string          `json:"to"`
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value"`
	Message string          `json:"message"`
}

type scriptedListener struct {
	Name  string `json:"name"`
	Rules []rule `json:"rules"`
}

type rule struct {
	On struct {
		Type       string `json:"type"`
		ToolCallID string `json:"toolCallId"`
		Role       string `json:"role"`
		Update     string `json:"update"`
		N          int    `json:"n"`
		Every      bool   `json:"every"`
	} `json:"on"`
	Do []step `json:"do"`
}

type step struct {
	Do           string           `json:"do"`
	Gate         string           `json:"gate"`
	Label        string           `json:"label"`
	Name         string           `json:"name"`
	Message      string           `json:"message"`
	Text         *string          `json:"text"`
	Content      *[]scriptedBlock `json:"content"`
	Details      json.RawMessage  `json:"details"`
	Usage        json.RawMessage  `json:"usage"`
	Terminate    *bool            `json:"terminate"`
	IsError      *bool            `json:"isError"`
	Reason       string           `json:"reason"`
	ErrorMessage string           `json:"errorMessage"`
	Index        int              `json:"index"`
	ID           string           `json:"id"`
	Arguments    json.RawMessage  `json:"arguments"`
	Delta        string           `json:"delta"`
	Deltas       []string         `json:"deltas"`
}

type scriptedBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Data      string          `json:"data"`
	MimeType  string          `json:"mimeType"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// content is the content of a step; nil if it has none.
func (s *step) content() []agent.Block {
	if s.Text != nil {
		return []agent.Block{{Type: agent.BlockText, Text: *s.Text}}
	}
	if s.Content == nil {
		return nil
	}
	blocks := []agent.Block{}
	for _, b := range *s.Content {
		out := agent.Block{Type: agent.BlockType(b.Type), Text: b.Text, Data: b.Data, MimeType: b.MimeType}
		switch out.Type {
		case agent.BlockThinking:
			out.Text = b.Thinking
		case agent.BlockToolCall:
			out.ToolCall = &agent.ToolCall{ID: b.ID, Name: b.Name, Arguments: b.Arguments}
		}
		blocks = append(blocks, out)
	}
	return blocks
}

// given turns JSON null into absent.
func given(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// expected is one NAME.expected.json.
type expected struct {
	Events    []any `json:"events"`
	Probes    []any `json:"probes"`
	Outcome   any   `json:"outcome"`
	View      any   `json:"view"`
	ViewTrace []any `json:"viewTrace"`
}

type scenarioFile struct {
	name     string
	scenario scenario
	expected expected
	err      error // of reading them
}

// loadScenarios reads all scenarios of a folder. Unknown keys are errors: a
// step that this runner does not know must not pass for played.
func loadScenarios(t *testing.T, dir string) []scenarioFile {
	t.Helper()
	const script, result = ".json", ".expected.json"
	paths, err := filepath.Glob(filepath.Join(dir, "*"+script))
	if err != nil {
		t.Fatal(err)
	}
	var all []scenarioFile
	for _, path := range paths {
		if strings.HasSuffix(path, result) {
			continue
		}
		path = strings.TrimSuffix(path, script)
		f := scenarioFile{name: filepath.Base(path)}
		f.err = errors.Join(
			loadJSON(path+script, &f.scenario, jsonv2.RejectUnknownMembers(true)),
			loadJSON(path+result, &f.expected))
		if f.scenario.Format != 1 {
			f.err = errors.Join(f.err, fmt.Errorf("format %d, this runner plays format 1", f.scenario.Format))
		}
		all = append(all, f)
	}
	if len(all) == 0 {
		t.Fatalf("no scenarios in %s", dir)
	}
	return all
}

func loadJSON(path string, into any, options ...jsonv2.Options) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := jsonv2.Unmarshal(data, into, options...); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
