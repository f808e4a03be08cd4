package main

import (
	"embed"
	"fmt"
	"io/fs"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/agent/scripted"
)

// demoFiles are the runs of the demonstration, and the folder that they work in.
//
//go:embed demo/runs all:demo/workspace
var demoFiles embed.FS

// demoRun is one run: its prompts are worked off in turn, over and over.
type demoRun struct {
	ID      string       `json:"id"`
	Title   string       `json:"title"`
	Tools   []string     `json:"tools"`
	Prompts []demoPrompt `json:"prompts"`
}

// demoPrompt is a prompt and what the model answers.
type demoPrompt struct {
	Prompt string         `json:"prompt"`
	Steer  *demoSteer     `json:"steer"`
	Script jsontext.Value `json:"script"`

	script     *scripted.Script
	steerAfter time.Duration
}

// demoSteer is what somebody says while the agent works.
type demoSteer struct {
	After string `json:"after"`
	Text  string `json:"text"`
}

// readDemo reads the runs, in the order of their files.
func readDemo() ([]demoRun, error) {
	files, err := fs.Glob(demoFiles, "demo/runs/*.json")
	if err != nil {
		return nil, err
	}
	var runs []demoRun
	for _, file := range files {
		r, err := readDemoRun(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		runs = append(runs, r)
	}
	return runs, nil
}

func readDemoRun(file string) (r demoRun, err error) {
	data, err := demoFiles.ReadFile(file)
	if err != nil {
		return r, err
	}
	if err := jsonv2.Unmarshal(data, &r, jsonv2.RejectUnknownMembers(true)); err != nil {
		return r, err
	}
	for i := range r.Prompts {
		p := &r.Prompts[i]
		if p.script, err = scripted.Parse(p.Script); err != nil {
			return r, fmt.Errorf("prompts[%d]: %w", i, err)
		}
		if p.Steer == nil {
			continue
		}
		if p.steerAfter, err = time.ParseDuration(p.Steer.After); err != nil {
			return r, fmt.Errorf("prompts[%d]: steer: %w", i, err)
		}
	}
	return r, nil
}
