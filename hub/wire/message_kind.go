package wire

// The types of messages. TypeCheck is used in both directions.
const (
	TypeHello       = "hello"
	TypeWatch       = "watch"
	TypeUnwatch     = "unwatch"
	TypeCheck       = "check"
	TypeLook        = "look"
	TypeWatchRuns   = "watch_runs"
	TypeUnwatchRuns = "unwatch_runs"

	TypeWelcome   = "welcome"
	TypeSnapshot  = "snapshot"
	TypeEvents    = "events"
	TypeMerged    = "merged"
	TypeStatus    = "status"
	TypePresence  = "presence"
	TypeRuns      = "runs"
	TypeStats     = "stats"
	TypeHeartbeat = "heartbeat"
	TypeError     = "error"
	TypeBye       = "bye"
)

// ClientMessage is one of Hello, Watch, Unwatch, Check, Look, WatchRuns and
// UnwatchRuns (by value).
type ClientMessage interface{ typed() ClientMessage }

// HubMessage is one of Welcome, Snapshot, Events, Merged, CheckAt, Status,
// Presence, Runs, Stats, Heartbeat, Error, Bye and Unknown (by value).
type HubMessage interface{ typedHub() HubMessage }

// Unknown is a message of a type that this version does not know. A client
// ignores it.
type Unknown struct {
	Type string `json:"type"`
}

// typed and typedHub return the message with its type filled in, so that
// nobody can send one under another's name.

func (m Hello) typed() ClientMessage       { m.Type = TypeHello; return m }
func (m Watch) typed() ClientMessage       { m.Type = TypeWatch; return m }
func (m Unwatch) typed() ClientMessage     { m.Type = TypeUnwatch; return m }
func (m Check) typed() ClientMessage       { m.Type = TypeCheck; return m }
func (m Look) typed() ClientMessage        { m.Type = TypeLook; return m }
func (m WatchRuns) typed() ClientMessage   { m.Type = TypeWatchRuns; return m }
func (m UnwatchRuns) typed() ClientMessage { m.Type = TypeUnwatchRuns; return m }

func (m Welcome) typedHub() HubMessage   { m.Type = TypeWelcome; return m }
func (m Snapshot) typedHub() HubMessage  { m.Type = TypeSnapshot; return m }
func (m Events) typedHub() HubMessage    { m.Type = TypeEvents; return m }
func (m Merged) typedHub() HubMessage    { m.Type = TypeMerged; return m }
func (m CheckAt) typedHub() HubMessage   { m.Type = TypeCheck; return m }
func (m Status) typedHub() HubMessage    { m.Type = TypeStatus; return m }
func (m Presence) typedHub() HubMessage  { m.Type = TypePresence; return m }
func (m Runs) typedHub() HubMessage      { m.Type = TypeRuns; return m }
func (m Stats) typedHub() HubMessage     { m.Type = TypeStats; return m }
func (m Heartbeat) typedHub() HubMessage { m.Type = TypeHeartbeat; return m }
func (m Error) typedHub() HubMessage     { m.Type = TypeError; return m }
func (m Bye) typedHub() HubMessage       { m.Type = TypeBye; return m }
func (m Unknown) typedHub() HubMessage   { return m }
