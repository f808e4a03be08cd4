package wire

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// The writer's HTTP API, under /api/runs/{run}/writer:
//
//	POST   …/writer                     Claim      → 201 Claimed
//	POST   …/writer/{epoch}/events      append     → 200 runlog.Ack
//	PUT    …/writer/{epoch}/checkpoint  checkpoint → 204
//	PUT    …/writer/{epoch}/blobs/{key} raw bytes  → 204
//	POST   …/writer/{epoch}/heartbeat   heartbeat  → 204
//	DELETE …/writer/{epoch}                        → 204
//
// JSON bodies are application/json. Whatever goes wrong is an ErrorBody with
// the status that StatusOf gives. A key in an address is percent-encoded.

// The most bytes of each request body. White space counts.
const (
	MaxClaimBody      = runlog.MaxViewBytes + 64<<10
	MaxAppendBody     = runlog.MaxBatchBytes + 64<<10
	MaxCheckpointBody = runlog.MaxViewBytes + 64<<10
	MaxHeartbeatBody  = 64 << 10
)

type (
	claimBody struct {
		Owner    string    `json:"owner"`
		Takeover bool      `json:"takeover,omitzero"`
		Seed     *foldBody `json:"seed,omitzero"`
	}
	// foldBody is a snapshot as HTTP bodies carry it.
	foldBody struct {
		Epoch string         `json:"epoch,omitzero"`
		Seq   int64          `json:"seq"`
		View  jsontext.Value `json:"view"`
	}
	appendBody struct {
		First  int64            `json:"first"`
		Events []jsontext.Value `json:"events"`
	}
	heartbeatBody struct {
		Summary view.Summary `json:"summary"`
	}
)

// Claimed answers a claim: the snapshot that was installed under the new epoch.
type Claimed struct {
	runlog.Position
	View jsontext.Value `json:"view"`
}

const (
	maxOwner = 256
	maxEpoch = 64
)

// EncodeClaim encodes the body of a claim.
func EncodeClaim(o runlog.ClaimOptions) ([]byte, error) {
	if o.Silent > 0 {
		return nil, errors.New("a reaper claims at its own store, not at another hub")
	}
	b := claimBody{Owner: o.Owner, Takeover: o.Takeover}
	if o.Seed != nil {
		b.Seed = &foldBody{o.Seed.Epoch, o.Seed.Seq, o.Seed.View}
	}
	return marshal(b)
}

// DecodeClaim decodes the body of a claim strictly. The error is a
// *MessageError.
func DecodeClaim(data []byte) (runlog.ClaimOptions, error) {
	var b claimBody
	if bad := decodeKnown(data, MaxClaimBody, &b); bad != nil {
		return runlog.ClaimOptions{}, bad
	}
	switch {
	case b.Owner == "":
		return runlog.ClaimOptions{}, badBody("/owner", "missing or empty")
	case len(b.Owner) > maxOwner:
		return runlog.ClaimOptions{}, badBody("/owner", "%d bytes: at most %d", len(b.Owner), maxOwner)
	}
	o := runlog.ClaimOptions{Owner: clip(b.Owner, maxOwner), Takeover: b.Takeover}
	if b.Seed != nil {
		s, err := b.Seed.snapshot("/seed")
		if err != nil {
			return runlog.ClaimOptions{}, err
		}
		o.Seed = &s
	}
	return o, nil
}

// EncodeCheckpoint encodes the body of a checkpoint; the epoch is in the
// address.
func EncodeCheckpoint(s runlog.Snapshot) ([]byte, error) {
	return marshal(foldBody{Seq: s.Seq, View: s.View})
}

// DecodeCheckpoint decodes the body of a checkpoint strictly. The snapshot's
// epoch is the one given (from the address). The error is a *MessageError.
func DecodeCheckpoint(epoch string, data []byte) (runlog.Snapshot, error) {
	var b foldBody
	if bad := decodeKnown(data, MaxCheckpointBody, &b); bad != nil {
		return runlog.Snapshot{}, bad
	}
	if b.Epoch != "" && b.Epoch != epoch {
		return runlog.Snapshot{}, badBody("/epoch", "not the epoch of the address")
	}
	b.Epoch = epoch
	return b.snapshot("")
}

// snapshot checks a fold that came from outside: a view that a joiner could
// not decode must never get into a store.
func (b *foldBody) snapshot(at string) (runlog.Snapshot, error) {
	switch {
	case len(b.Epoch) > maxEpoch:
		return runlog.Snapshot{}, badBody(at+"/epoch", "%d bytes: at most %d", len(b.Epoch), maxEpoch)
	case b.Seq < 0:
		return runlog.Snapshot{}, badBody(at+"/seq", "must not be negative")
	case len(b.View) == 0:
		return runlog.Snapshot{}, badBody(at+"/view", "missing")
	case len(b.View) > runlog.MaxViewBytes:
		return runlog.Snapshot{}, &MessageError{
			Code: CodeTooLarge, Pointer: at + "/view",
			Message: fmt.Sprintf("%d bytes: at most %d", len(b.View), runlog.MaxViewBytes),
		}
	}
	if _, err := view.Decode(b.View); err != nil {
		e := foreign(err)
		e.Pointer = at + "/view" + e.Pointer
		return runlog.Snapshot{}, e
	}
	data, err := compact(make([]byte, 0, len(b.View)), b.View)
	if err != nil {
		return runlog.Snapshot{}, syntaxError(err)
	}
	return runlog.Snapshot{Position: runlog.Position{Epoch: b.Epoch, Seq: b.Seq}, View: data}, nil
}

// EncodeHeartbeat encodes the body of a heartbeat.
func EncodeHeartbeat(s view.Summary) ([]byte, error) { return marshal(heartbeatBody{s}) }

// DecodeHeartbeat decodes the body of a heartbeat strictly. The error is a
// *MessageError.
func DecodeHeartbeat(data []byte) (view.Summary, error) {
	var b heartbeatBody
	if bad := decodeKnown(data, MaxHeartbeatBody, &b); bad != nil {
		return view.Summary{}, bad
	}
	if err := b.Summary.Check(); err != nil {
		return view.Summary{}, badBody("/summary", "%s", err)
	}
	return b.Summary, nil
}

// AppendBody appends the body of an append to dst. The events' bytes go in
// unchanged.
func AppendBody(dst []byte, first int64, events [][]byte) []byte {
	dst = strconv.AppendInt(append(dst, `{"first":`...), first, 10)
	dst = append(dst, `,"events":[`...)
	for i, e := range events {
		dst = append(comma(dst, i), e...)
	}
	return append(dst, "]}"...)
}

// DecodeAppend decodes the body of an append strictly, and every event with
// view.DecodeEvent. The events' bytes are as they came, without white space
// between tokens; they share one new array. The error is a *MessageError
// that names the first bad event; then nothing of the batch counts. A batch of
// no events is one: it asks how far the log is.
func DecodeAppend(data []byte) (first int64, events [][]byte, err error) {
	var b appendBody
	if bad := decodeBody(data, MaxAppendBody, &b); bad != nil {
		return 0, nil, bad
	}
	switch {
	case b.First < 1:
		return 0, nil, badBody("/first", "missing, or less than 1")
	case b.Events == nil:
		return 0, nil, badBody("/events", "missing")
	case len(b.Events) > runlog.MaxBatchEvents:
		return 0, nil, &MessageError{
			Code: CodeTooLarge, Pointer: "/events",
			Message: fmt.Sprintf("%d events: at most %d", len(b.Events), runlog.MaxBatchEvents),
		}
	case b.First > runlog.MaxSeq-int64(len(b.Events)):
		return 0, nil, badBody("/first", "the last event's seq would be over 2^53-1")
	}
	arena := make([]byte, 0, len(data))
	events = make([][]byte, len(b.Events))
	for i, raw := range b.Events {
		if raw.Kind() != '{' {
			return 0, nil, badBody(fmt.Sprintf("/events/%d", i), "must be an object")
		}
		e, err := view.DecodeEvent(raw)
		if err == nil && e.T == 0 && !hasMember(raw, "t") {
			err = fmt.Errorf("event %s: t is missing", e.Type)
		}
		if err != nil {
			return 0, nil, badEvent(i, err)
		}
		start := len(arena)
		if arena, err = compact(arena, raw); err != nil {
			return 0, nil, syntaxError(err)
		}
		events[i] = arena[start:len(arena):len(arena)]
	}
	return b.First, events, nil
}

// hasMember says whether a JSON object has a member: for where a decoder cannot
// tell absent from zero.
func hasMember(object jsontext.Value, name string) bool {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(object, &members); err != nil {
		return false
	}
	_, ok := members[name]
	return ok
}

// badEvent names the event that was refused, and the member if that is known.
func badEvent(i int, err error) *MessageError {
	e := foreign(err)
	if e.Pointer != "" {
		e.Pointer = fmt.Sprintf("/events/%d%s", i, e.Pointer)
	} else {
		e.Message = fmt.Sprintf("events[%d]: %s", i, e.Message)
	}
	return e
}

// decodeBody decodes a JSON body strictly.
func decodeBody(data []byte, limit int, into any) *MessageError {
	bad := scan(data, limit)
	if bad == nil {
		if err := json.Unmarshal(data, into, json.RejectUnknownMembers(true)); err != nil {
			bad = semanticError(err)
		}
	}
	return bad
}

// decodeKnown also refuses null, which would count as absent. It is for bodies
// without events: view.DecodeEvent says which of those is wrong.
func decodeKnown(data []byte, limit int, into any) *MessageError {
	bad := decodeBody(data, limit, into)
	if bad == nil {
		if err := view.CheckJSON(data); err != nil {
			bad = foreign(err)
		}
	}
	return bad
}

func badBody(pointer, format string, args ...any) *MessageError {
	return &MessageError{Code: CodeBadMessage, Pointer: pointer, Message: fmt.Sprintf(format, args...)}
}

// foreign tells what another package's decoder refused: what JSON decoding says
// in this package's words, what the decoder itself says in its own.
func foreign(err error) *MessageError {
	if e, ok := errors.AsType[*MessageError](err); ok {
		return e
	}
	if _, ok := errors.AsType[*json.SemanticError](err); ok {
		return semanticError(err)
	}
	if _, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return syntaxError(err)
	}
	return &MessageError{Code: CodeBadMessage, Message: clip(err.Error(), maxErrorText)}
}

// compact appends a JSON value without the white space between its tokens;
// strings and numbers stay as they were written.
func compact(dst []byte, raw jsontext.Value) ([]byte, error) {
	return jsontext.AppendFormat(dst, raw, jsontext.PreserveRawStrings(true))
}
