package scripted

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/agent"
)

// Script is a checked script. It does not change.
type Script struct {
	repeat    bool
	responses []response
}

type response struct {
	steps  []step
	stream bool
	pace   time.Duration
	stop   agent.StopReason
	usage  *agent.Usage
}

// step does one thing: exactly one field is set.
type step struct {
	text, thinking, fail, cut *string
	temporary                 bool // beside fail
	call                      *agent.ToolCall
	pause                     time.Duration
}

// The written form.
type (
	scriptFile struct {
		Pace      string         `json:"pace"`
		Repeat    bool           `json:"repeat"`
		Responses []responseFile `json:"responses"`
	}
	responseFile struct {
		Steps  []stepFile `json:"steps"`
		Stream *bool      `json:"stream"`
		Pace   *string    `json:"pace"`
		Stop   string     `json:"stop"`
		Usage  *usageFile `json:"usage"`
	}
	usageFile struct {
		Input      int64 `json:"input"`
		Output     int64 `json:"output"`
		CacheRead  int64 `json:"cacheRead"`
		CacheWrite int64 `json:"cacheWrite"`
		Cost       int64 `json:"cost"`
	}
	stepFile struct {
		Text     *string   `json:"text"`
		Thinking *string   `json:"thinking"`
		Call     *callFile `json:"call"`
		Pause    *string   `json:"pause"`
		Fail     *string   `json:"fail"`
		Cut      *string   `json:"cut"`

		Temporary bool `json:"temporary"`
	}
	callFile struct {
		ID           string         `json:"id"`
		Name         string         `json:"name"`
		Arguments    jsontext.Value `json:"arguments"`
		RawArguments *string        `json:"rawArguments"`
	}
)

// Parse reads a script. The error says where it is odd.
func Parse(data []byte) (*Script, error) {
	var f scriptFile
	if err := jsonv2.Unmarshal(data, &f, jsonv2.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	pace, err := duration(f.Pace)
	if err != nil {
		return nil, fmt.Errorf("script: pace: %w", err)
	}
	if len(f.Responses) == 0 {
		return nil, errors.New("script: responses: there are none")
	}
	s := &Script{repeat: f.Repeat}
	for i, r := range f.Responses {
		out, err := r.read(pace)
		if err != nil {
			return nil, fmt.Errorf("script: responses[%d]%w", i, err)
		}
		s.responses = append(s.responses, out)
	}
	return s, nil
}

// Errors of the parts of a script begin with the rest of the path.
func (f responseFile) read(pace time.Duration) (r response, err error) {
	r = response{stream: f.Stream == nil || *f.Stream, pace: pace, stop: agent.StopReason(f.Stop)}
	if f.Pace != nil {
		if r.pace, err = duration(*f.Pace); err != nil {
			return r, fmt.Errorf(".pace: %w", err)
		}
	}
	switch r.stop {
	case "", agent.StopStop, agent.StopToolUse, agent.StopLength:
	default:
		return r, fmt.Errorf(".stop: %q is none of stop, toolUse, length", f.Stop)
	}
	if u := f.Usage; u != nil {
		r.usage = &agent.Usage{
			Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
			Total: u.Input + u.Output + u.CacheRead + u.CacheWrite, Cost: u.Cost,
		}
	}
	for i, each := range f.Steps {
		s, err := each.read()
		if err != nil {
			return r, fmt.Errorf(".steps[%d]: %w", i, err)
		}
		if (s.fail != nil || s.cut != nil) && i < len(f.Steps)-1 {
			return r, fmt.Errorf(".steps[%d]: fail and cut are last steps", i)
		}
		r.steps = append(r.steps, s)
	}
	return r, nil
}

func (f stepFile) read() (s step, err error) {
	n := 0
	for _, set := range []bool{f.Text != nil, f.Thinking != nil, f.Call != nil, f.Pause != nil, f.Fail != nil, f.Cut != nil} {
		if set {
			n++
		}
	}
	if n != 1 {
		return s, fmt.Errorf("want exactly one of text, thinking, call, pause, fail, cut; there are %d", n)
	}
	if f.Temporary && f.Fail == nil {
		return s, errors.New("temporary is said of a fail only")
	}
	s = step{text: f.Text, thinking: f.Thinking, fail: f.Fail, cut: f.Cut, temporary: f.Temporary}
	switch {
	case f.Pause != nil:
		s.pause, err = duration(*f.Pause)
	case f.Call != nil:
		s.call, err = f.Call.read()
	}
	return s, err
}

func (f callFile) read() (*agent.ToolCall, error) {
	switch {
	case f.Name == "":
		return nil, errors.New("the call has no name")
	case f.RawArguments != nil && f.Arguments != nil:
		return nil, errors.New("the call has both arguments and rawArguments")
	}
	c := &agent.ToolCall{ID: f.ID, Name: f.Name, Arguments: json.RawMessage(f.Arguments)}
	if f.RawArguments != nil {
		c.Arguments = json.RawMessage(*f.RawArguments)
	}
	if len(c.Arguments) == 0 {
		c.Arguments = json.RawMessage(`{}`)
	}
	return c, nil
}

func duration(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err == nil && d < 0 {
		err = fmt.Errorf("%s is negative", text)
	}
	return d, err
}
