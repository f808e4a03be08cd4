package scenariotest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/agent"
)

// Expected is one NAME.expected.json: what the real Pi did, and how the example
// view looked.
type Expected struct {
	Name   string
	Events []agent.Event
	View   jsontext.Value
	Trace  []jsontext.Value // one for each event
}

// Load reads all expected files of a directory, sorted by name.
func Load(dir string) ([]Expected, error) {
	const suffix = ".expected.json"
	paths, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil {
		return nil, fmt.Errorf("scenarios in %s: %w", dir, err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no *%s in %s", suffix, dir)
	}
	var all []Expected
	for _, path := range paths {
		x, err := load(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		x.Name = strings.TrimSuffix(filepath.Base(path), suffix)
		all = append(all, x)
	}
	return all, nil
}

func load(path string) (Expected, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Expected{}, err
	}
	var file struct {
		Events    []event          `json:"events"`
		View      jsontext.Value   `json:"view"`
		ViewTrace []jsontext.Value `json:"viewTrace"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return Expected{}, err
	}
	if len(file.ViewTrace) != len(file.Events) {
		return Expected{}, errors.New("viewTrace does not match events")
	}
	x := Expected{View: file.View, Trace: file.ViewTrace}
	for i := range file.Events {
		e, err := file.Events[i].agentEvent()
		if err != nil {
			return Expected{}, fmt.Errorf("events[%d]: %w", i, err)
		}
		x.Events = append(x.Events, e)
	}
	return x, nil
}

// event and the types below are the normalised shapes of section 6 of the
// scenarios' format.
type event struct {
	Type        string         `json:"type"`
	Message     message        `json:"message"`
	Messages    []message      `json:"messages"`
	ToolResults []message      `json:"toolResults"`
	Update      update         `json:"assistantMessageEvent"`
	ToolCallID  string         `json:"toolCallId"`
	ToolName    string         `json:"toolName"`
	Args        jsontext.Value `json:"args"`
	Partial     result         `json:"partialResult"`
	Result      result         `json:"result"`
	IsError     bool           `json:"isError"`
}

type message struct {
	Role         string         `json:"role"`
	Content      []block        `json:"content"`
	StopReason   string         `json:"stopReason"`
	ErrorMessage string         `json:"errorMessage"`
	ToolCallID   string         `json:"toolCallId"`
	ToolName     string         `json:"toolName"`
	Details      jsontext.Value `json:"details"`
	IsError      bool           `json:"isError"`
}

type block struct {
	Type      string         `json:"type"`
	Text      string         `json:"text"`
	Thinking  string         `json:"thinking"`
	Data      string         `json:"data"`
	MimeType  string         `json:"mimeType"`
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

type update struct {
	Type         string `json:"type"`
	ContentIndex int    `json:"contentIndex"`
	Delta        string `json:"delta"`
	Content      string `json:"content"`
	ToolCall     *block `json:"toolCall"`
}

type result struct {
	Content   []block        `json:"content"`
	Details   jsontext.Value `json:"details"`
	Terminate bool           `json:"terminate"`
}

func (e *event) agentEvent() (agent.Event, error) {
	switch e.Type {
	case "agent_start":
		return agent.AgentStart{}, nil
	case "agent_end":
		return agent.AgentEnd{Messages: messages(e.Messages)}, nil
	case "turn_start":
		return agent.TurnStart{}, nil
	case "turn_end":
		return agent.TurnEnd{Message: e.Message.agent(), ToolResults: messages(e.ToolResults)}, nil
	case "message_start":
		return agent.MessageStart{Message: e.Message.agent()}, nil
	case "message_update":
		u := agent.AssistantUpdate{
			Type: agent.UpdateType(e.Update.Type), ContentIndex: e.Update.ContentIndex,
			Delta: e.Update.Delta, Content: e.Update.Content,
		}
		if e.Update.ToolCall != nil {
			u.ToolCall = e.Update.ToolCall.call()
		}
		return agent.MessageUpdate{Update: u}, nil
	case "message_end":
		return agent.MessageEnd{Message: e.Message.agent()}, nil
	case "tool_execution_start":
		return agent.ToolExecutionStart{ToolCallID: e.ToolCallID, ToolName: e.ToolName, Args: []byte(e.Args)}, nil
	case "tool_execution_update":
		return agent.ToolExecutionUpdate{
			ToolCallID: e.ToolCallID, ToolName: e.ToolName, Args: []byte(e.Args), Partial: e.Partial.agent(),
		}, nil
	case "tool_execution_end":
		return agent.ToolExecutionEnd{
			ToolCallID: e.ToolCallID, ToolName: e.ToolName, Result: e.Result.agent(), IsError: e.IsError,
		}, nil
	}
	return nil, fmt.Errorf("unknown event %q", e.Type)
}

func messages(all []message) []agent.Message {
	var out []agent.Message
	for i := range all {
		out = append(out, all[i].agent())
	}
	return out
}

func (m *message) agent() agent.Message {
	return agent.Message{
		Role: agent.Role(m.Role), Content: blocks(m.Content),
		StopReason: agent.StopReason(m.StopReason), ErrorMessage: m.ErrorMessage,
		ToolCallID: m.ToolCallID, ToolName: m.ToolName, Details: []byte(m.Details), IsError: m.IsError,
	}
}

func (r *result) agent() agent.ToolResult {
	return agent.ToolResult{Content: blocks(r.Content), Details: []byte(r.Details), Terminate: r.Terminate}
}

func blocks(all []block) []agent.Block {
	var out []agent.Block
	for i := range all {
		b := &all[i]
		n := agent.Block{Type: agent.BlockType(b.Type), Text: b.Text, Data: b.Data, MimeType: b.MimeType}
		switch n.Type {
		case agent.BlockThinking:
			n.Text = b.Thinking
		case agent.BlockToolCall:
			n.ToolCall = b.call()
		}
		out = append(out, n)
	}
	return out
}

func (b *block) call() *agent.ToolCall {
	return &agent.ToolCall{ID: b.ID, Name: b.Name, Arguments: []byte(b.Arguments)}
}
