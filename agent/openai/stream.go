package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/ringside-hub/ringside/agent/internal/provider"
)

// stream reads an event stream.
func (a *answer) stream(res *http.Response) error {
	events := &events{Decoder: ssestream.NewDecoder(res)}
	// Some servers send "error": null with every chunk, which the SDK would take
	// for an error.
	s := ssestream.NewStream[sdk.ChatCompletionChunk](events, nil).WithEventsMode()
	defer s.Close()
	for s.Next() {
		if err := a.chunk(s.Current()); err != nil {
			return err
		}
	}
	switch err := s.Err(); {
	case events.malformed:
		return provider.Broken("the answer has an event that is no JSON object")
	case err != nil:
		return err
	case !events.done && !a.finished:
		return provider.ErrEarlyEnd
	}
	return nil
}

// events looks at the events before the SDK decodes them.
type events struct {
	ssestream.Decoder
	done      bool // the server said that this is all
	malformed bool
}

func (e *events) Next() bool {
	for e.Decoder.Next() {
		data := bytes.TrimSpace(e.Event().Data)
		switch {
		case len(data) == 0: // an event without data, to keep the connection alive
			continue
		case bytes.HasPrefix(data, []byte("[DONE]")):
			e.done = true
		default:
			e.malformed = data[0] != '{' || !json.Valid(data)
		}
		return !e.malformed
	}
	return false
}

// whole reads an answer in one piece, as if it were the only chunk of a stream.
func (a *answer) whole(body io.Reader) error {
	raw, err := provider.Whole(body)
	if err != nil {
		return err
	}
	var w sdk.ChatCompletion
	if err := json.Unmarshal(raw, &w); err != nil {
		return provider.Broken("the answer is no chat completion: %v", err)
	}
	var c sdk.ChatCompletionChunk
	if err := json.Unmarshal(raw, &c); err != nil {
		return provider.Broken("the answer is no chat completion: %v", err)
	}
	for i := range c.Choices {
		if i < len(w.Choices) {
			if err := json.Unmarshal([]byte(w.Choices[i].Message.RawJSON()), &c.Choices[i].Delta); err != nil {
				return provider.Broken("the answer is no chat completion: %v", err)
			}
		}
	}
	if err := a.chunk(c); err != nil {
		return err
	}
	if len(c.Choices) == 0 {
		return provider.Broken("the answer is JSON, but no chat completion")
	}
	a.finished = true
	return nil
}
