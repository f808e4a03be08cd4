package view

import (
	"fmt"

	"github.com/go-json-experiment/json"
)

// Encode returns the view as JSON, as snapshots and the HTTP API carry it.
// Empty fields are omitted. The same view always gives the same bytes.
func (v *View) Encode() ([]byte, error) {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode view: %w", err)
	}
	return b, nil
}

// Decode reads a view that Encode wrote, strictly: what this version does not
// know would be lost in the next fold, so it is refused.
func Decode(data []byte) (*View, error) {
	v := New()
	if err := json.Unmarshal(data, v, strict); err != nil {
		return nil, fmt.Errorf("decode view: %w", err)
	}
	if err := v.check(); err != nil {
		return nil, fmt.Errorf("decode view: %w", err)
	}
	if v.Tools == nil {
		v.Tools = map[string]*Tool{}
	}
	v.index()
	return v, nil
}

// check refuses what no fold could have made and the fold would trip over.
func (v *View) check() error {
	switch v.RunStatus {
	case Idle, Running, Settling:
	default:
		return fmt.Errorf("runStatus %.40q is none of idle, running, settling", v.RunStatus)
	}
	for i, m := range v.Msgs {
		if m == nil || m.ID == "" {
			return fmt.Errorf("messages[%d] has no id", i)
		}
	}
	for key, t := range v.Tools {
		if t == nil || t.Key != key {
			return fmt.Errorf("tools[%.40q] is not the card of that key", key)
		}
		switch t.Status {
		case Composing, Preparing, CardRunning, Done, Failed, Lost, Skipped:
		default:
			return fmt.Errorf("tools[%.40q]: unknown status %.40q", key, t.Status)
		}
	}
	for i, t := range v.Turns {
		if t == nil {
			return fmt.Errorf("turns[%d] is null", i)
		}
	}
	for i, n := range v.Notices {
		if n == nil {
			return fmt.Errorf("notices[%d] is null", i)
		}
	}
	return nil
}

// index builds what is derived from the view's containers.
func (v *View) index() {
	clear(v.msgIndex)
	for i, m := range v.Msgs {
		v.msgIndex[m.ID] = i
	}
	clear(v.open)
	for key, t := range v.Tools {
		if t.open() {
			v.open[key] = struct{}{}
		}
	}
}
