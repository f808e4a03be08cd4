package wire

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// Subprotocol is the WebSocket subprotocol; a hub refuses any other.
const Subprotocol = "ringside.v1"

// The messages from a client. Every one has a type; unknown or doubled members
// are refused.
type (
	// Hello is the first message. Browsers give a Ticket; programs use a Bearer
	// header instead.
	Hello struct {
		Type   string `json:"type"`
		Ticket string `json:"ticket,omitzero"`
		Name   string `json:"name,omitzero"`
		Client string `json:"client,omitzero"`
	}
	// Watch asks for a run from a position on; without From, or where the
	// position is not known any more, a snapshot comes first. Watching a run
	// again starts it again: without From that is how a client asks for a
	// snapshot (reason asked); what was sent before may still arrive first.
	Watch struct {
		Type string           `json:"type"`
		Run  string           `json:"run"`
		From *runlog.Position `json:"from,omitzero"`
	}
	// Unwatch ends a watch. Nothing of the run is sent after its answer.
	Unwatch struct {
		Type string `json:"type"`
		Run  string `json:"run"`
	}
	// Check asks for the hub's hash at its newest position.
	Check struct {
		Type string `json:"type"`
		Run  string `json:"run"`
	}
	// Look says what this person is looking at: a card's key or "".
	Look struct {
		Type   string `json:"type"`
		Run    string `json:"run"`
		Target string `json:"target"`
	}
	// WatchRuns and UnwatchRuns start and stop the list of runs.
	WatchRuns struct {
		Type string `json:"type"`
	}
	UnwatchRuns struct {
		Type string `json:"type"`
	}
)

// The messages from a hub.
type (
	// Welcome answers Hello.
	Welcome struct {
		Type        string `json:"type"`
		Observer    string `json:"observer"`
		Role        string `json:"role"`
		Node        string `json:"node"`
		HeartbeatMs int64  `json:"heartbeatMs"`
		Limits      Limits `json:"limits"`
	}
	// Limits are what a client has to stay within.
	Limits struct {
		MessageBytes int64 `json:"messageBytes"`
		Watches      int64 `json:"watches"`
	}
	// Snapshot replaces what a client has of a run.
	Snapshot struct {
		Type string `json:"type"`
		Run  string `json:"run"`
		runlog.Position
		Reason runlog.Reason  `json:"reason"`
		View   jsontext.Value `json:"view"`
	}
	// Events carries a batch: entry i of Events has seq Seq+i.
	Events struct {
		Type string `json:"type"`
		Run  string `json:"run"`
		runlog.Position
		Events []jsontext.Value `json:"events"`
	}
	// Merged carries what a slow client needs of From..To: original events with
	// their seq. Each entry is [seq, event].
	Merged struct {
		Type    string              `json:"type"`
		Run     string              `json:"run"`
		Epoch   string              `json:"epoch"`
		From    int64               `json:"from"`
		To      int64               `json:"to"`
		Entries [][2]jsontext.Value `json:"entries"`
	}
	// CheckAt is the hub's hash at one position.
	CheckAt struct {
		Type string `json:"type"`
		Run  string `json:"run"`
		runlog.Position
		Hash string `json:"hash"`
	}
	// Status tells what is known beside the log: the worker's last sign of life,
	// the store, and how this observer is served.
	Status struct {
		Type     string          `json:"type"`
		Run      string          `json:"run"`
		Worker   *WorkerStatus   `json:"worker,omitzero"`
		Store    string          `json:"store,omitzero"` // up, down
		Delivery *DeliveryStatus `json:"delivery,omitzero"`
	}
	WorkerStatus struct {
		HeardMs int64 `json:"heardMs"`
		Stale   bool  `json:"stale,omitzero"`
	}
	// DeliveryStatus: Step is every, merged or snapshot; Behind is in events.
	DeliveryStatus struct {
		Step   string `json:"step"`
		Behind int64  `json:"behind,omitzero"`
		Merged int64  `json:"merged,omitzero"`
	}
	// Presence says who watches a run; People is bounded, Watching counts all.
	Presence struct {
		Type     string   `json:"type"`
		Run      string   `json:"run"`
		Watching int64    `json:"watching"`
		People   []Person `json:"people,omitempty"`
	}
	Person struct {
		Observer string `json:"observer"`
		Name     string `json:"name,omitzero"`
		Target   string `json:"target,omitzero"`
	}
	// Runs is the list of runs, whole (Full) or what changed.
	Runs struct {
		Type string              `json:"type"`
		Full bool                `json:"full,omitzero"`
		Runs []runlog.RunSummary `json:"runs,omitempty"`
		Gone []string            `json:"gone,omitempty"`
	}
	// Stats are the console's figures, once a second, to who watches the runs.
	Stats struct {
		Type        string `json:"type"`
		Node        string `json:"node"`
		T           int64  `json:"t"`
		UptimeMs    int64  `json:"uptimeMs"`
		Runs        int64  `json:"runs"`
		Observers   int64  `json:"observers"`
		EventsIn    int64  `json:"eventsIn"`    // total, since the hub's start
		Sends       int64  `json:"sends"`       // messages written to observers, total
		MemoryBytes int64  `json:"memoryBytes"` // held from the system
	}
	// Heartbeat is a real message, so that a page can see a dead link.
	Heartbeat struct {
		Type string `json:"type"`
		T    int64  `json:"t"`
	}
	// Error answers a client message that could not be served; Re is its type.
	Error struct {
		Type    string `json:"type"`
		Re      string `json:"re,omitzero"`
		Run     string `json:"run,omitzero"`
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	// Bye is the last message before a close by the hub.
	Bye struct {
		Type         string `json:"type"`
		Code         int    `json:"code"`
		Reason       string `json:"reason"`
		RetryAfterMs int64  `json:"retryAfterMs,omitzero"`
	}
)
