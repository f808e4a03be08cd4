package view

import "fmt"

// maxName bounds keys, ids, names and labels, in bytes.
const maxName = 1024

// validate checks what the fold relies on: a known type, and the key or id that
// the type needs.
func (e *Event) validate() error {
	if e.T < 0 || e.T > maxSafe {
		return e.bad("t %d is out of range", e.T)
	}
	switch e.Type {
	case CallDelta, ToolStart, ToolUpdate, ToolEnd, ToolResult:
		if e.Key == "" {
			return e.bad("key is missing")
		}
	case MessageStart, TextDelta, ThinkingDelta, MessageEnd:
		if e.ID == "" {
			return e.bad("id is missing")
		}
	case Worker:
		if e.State != WorkerLive && e.State != WorkerLost && e.State != WorkerGone {
			return e.bad("state %.40q is none of live, lost, gone", e.State)
		}
	case Trim:
		if e.BeforeTurn <= 0 {
			return e.bad("beforeTurn is missing")
		}
	case RunInfo, AgentStart, AgentEnd, AgentIdle, TurnStart, TurnEnd, Queue, NoticeEvent:
	case "":
		return fmt.Errorf("event: type is missing")
	default:
		return fmt.Errorf("event: unknown type %.40q", e.Type)
	}
	if e.Type == ToolUpdate && e.Text != nil && e.Append != nil {
		return e.bad("text and append exclude each other")
	}
	for _, f := range []struct{ name, value string }{
		{"key", e.Key}, {"id", e.ID}, {"name", e.Name}, {"label", e.Label}, {"parent", e.Parent}, {"role", e.Role},
	} {
		if len(f.value) > maxName {
			return e.bad("%s of %d bytes: at most %d", f.name, len(f.value), maxName)
		}
	}
	return nil
}

// maxSafe is the largest integer that a JavaScript number holds exactly.
const maxSafe = 1<<53 - 1

func (e *Event) bad(format string, args ...any) error {
	return fmt.Errorf("event %s: %s", e.Type, fmt.Sprintf(format, args...))
}
