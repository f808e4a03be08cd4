package view

import (
	"errors"
	"fmt"
	"slices"
	"strings"

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
	err := v.check()
	if err == nil {
		err = CheckJSON(data)
	}
	if err != nil {
		return nil, fmt.Errorf("decode view: %w", err)
	}
	if v.Tools == nil {
		v.Tools = map[string]*Tool{}
	}
	v.index()
	return v, nil
}

// check refuses what no fold could have made, and what the fold or a reader (a
// browser knows the same words) would trip over.
func (v *View) check() error {
	if err := checkWord("runStatus", v.RunStatus, Idle, Running, Settling); err != nil {
		return err
	}
	if err := checkStates(v.Worker, v.Outcome); err != nil {
		return err
	}
	if v.Active != nil && v.Active.ID == "" {
		return errors.New("activeAssistant has no id")
	}
	for i, m := range v.Msgs {
		if m == nil || m.ID == "" {
			return fmt.Errorf("messages[%d] has no id", i)
		}
	}
	for key, t := range v.Tools {
		if err := t.check(key); err != nil {
			return err
		}
	}
	for i, item := range v.Timeline {
		if err := checkWord("kind", item.Kind, KindMessage, KindTool, KindToolResult, KindNotice); err != nil {
			return fmt.Errorf("timeline[%d]: %w", i, err)
		}
		if item.Key == "" {
			return fmt.Errorf("timeline[%d] has no key", i)
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

// check checks a card that is kept under key.
func (t *Tool) check(key string) error {
	switch {
	case key == "":
		return errors.New("tools: a card without a key")
	case t == nil || t.Key != key:
		return fmt.Errorf("tools[%.40q] is not the card of that key", key)
	}
	err := checkWord("status", t.Status, Composing, Preparing, CardRunning, Done, Failed, Lost, Skipped)
	if err == nil && t.Cause != "" {
		err = checkWord("cause", t.Cause, CauseTurnEnded, CauseRunEnded, CauseWorkerLost)
	}
	if err != nil {
		return fmt.Errorf("tools[%.40q]: %w", key, err)
	}
	return nil
}

// checkStates checks the words that a view and its summary share; empty where
// nothing is known yet.
func checkStates(worker, outcome string) error {
	if worker != "" {
		if err := checkWord("worker", worker, WorkerLive, WorkerLost, WorkerGone); err != nil {
			return err
		}
	}
	if outcome != "" {
		return checkWord("outcome", outcome, OutcomeOK, OutcomeError, OutcomeAborted, OutcomeRetrying)
	}
	return nil
}

func checkWord(name, word string, words ...string) error {
	if slices.Contains(words, word) {
		return nil
	}
	return fmt.Errorf("%s %.40q is none of %s", name, word, strings.Join(words, ", "))
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
