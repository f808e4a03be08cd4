package anthropic

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"

	"github.com/ringside-hub/ringside/agent/internal/provider"
)

// stream reads an event stream.
func (a *answer) stream(res *http.Response) error {
	events := &events{Decoder: ssestream.NewDecoder(res)}
	s := ssestream.NewStream[sdk.MessageStreamEventUnion](events, nil)
	defer s.Close()
	for !a.stopped && s.Next() {
		if err := a.event(s.Current()); err != nil {
			return err
		}
	}
	switch err := s.Err(); {
	case events.problem != nil:
		return events.problem
	case err != nil:
		return err
	case !a.finished && !a.stopped:
		return provider.ErrEarlyEnd
	}
	return nil
}

// events looks at the events before the SDK decodes them.
type events struct {
	ssestream.Decoder
	event   ssestream.Event
	problem *provider.Problem
}

func (e *events) Event() ssestream.Event { return e.event }

func (e *events) Next() bool {
	for e.problem == nil && e.Decoder.Next() {
		e.event = e.Decoder.Event()
		data := bytes.TrimSpace(e.event.Data)
		if len(data) == 0 { // to keep the connection alive
			continue
		}
		var typed struct {
			Type string `json:"type"`
		}
		if data[0] != '{' || json.Unmarshal(data, &typed) != nil {
			e.problem = provider.Broken("the answer has an event that is no JSON object")
			break
		}
		// The SDK skips events that are named in their data only.
		e.event.Type = typed.Type
		switch typed.Type {
		case "error":
			e.problem = said(data, 0, nil)
		case "ping", "":
		default:
			return true
		}
	}
	return false
}

// whole reads an answer in one piece.
func (a *answer) whole(body io.Reader) error {
	raw, err := provider.Whole(body)
	if err != nil {
		return err
	}
	var w struct {
		Type    string            `json:"type"`
		Content []json.RawMessage `json:"content"`
	}
	var msg sdk.Message
	if json.Unmarshal(raw, &w) != nil || json.Unmarshal(raw, &msg) != nil || w.Type != "message" {
		if w.Type == "error" {
			return said(raw, 0, nil)
		}
		return provider.Broken("the answer is JSON, but no message")
	}
	if err := a.begin(msg.Usage); err != nil {
		return err
	}
	for i, raw := range w.Content {
		var b sdk.ContentBlockStartEventContentBlockUnion
		if err := json.Unmarshal(raw, &b); err != nil {
			return provider.Broken("the answer is JSON, but no message")
		}
		if err := a.blockStart(int64(i), b); err != nil {
			return err
		}
		if err := a.blockStop(int64(i)); err != nil {
			return err
		}
	}
	a.stop(msg.StopReason, msg.StopDetails)
	a.stopped = true
	return nil
}
