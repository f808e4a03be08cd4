package tools

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/agent"
)

// jsontextAllowInvalidUTF8 replaces what is no UTF-8 instead of failing.
var jsontextAllowInvalidUTF8 = jsontext.AllowInvalidUTF8(true)

// updateEvery is how often a call reports at most.
const updateEvery = 100 * time.Millisecond

// Phases of a call: how far it is.
const (
	phaseScanning   = "scanning"
	phaseListing    = "listing"
	phaseReading    = "reading"
	phaseSearching  = "searching"
	phaseWriting    = "writing"
	phaseEditing    = "editing"
	phaseStarting   = "starting"
	phaseRunning    = "running"
	phaseStopping   = "stopping"
	phaseConnecting = "connecting"
	phaseReceiving  = "receiving"
	phaseDone       = "done"
)

// state is the part of all details that Ringside reads.
type state struct {
	Phase string `json:"phase"`
	Done  *int64 `json:"done,omitempty"`
	Total *int64 `json:"total,omitempty"`
}

func phase(name string) state { return state{Phase: name} }

func counted[N int | int64](name string, done N) state {
	return state{Phase: name, Done: new(int64(done))}
}

func outOf[N int | int64](name string, done, total N) state {
	return state{Phase: name, Done: new(int64(done)), Total: new(int64(total))}
}

// progress sends the updates of one call, not too many.
type progress struct {
	send func(agent.ToolResult) // static; may be nil
	last time.Time              // owned by the call
}

// due tells whether it is time for another update.
func (p *progress) due() bool { return time.Since(p.last) >= updateEvery }

// report sends an update, whether it is due or not.
func (p *progress) report(text string, details any) {
	p.last = time.Now()
	if p.send != nil {
		p.send(textResult(text, details))
	}
}
