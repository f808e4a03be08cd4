package term

import (
	"fmt"
	"strings"

	"github.com/ringside-hub/ringside/hub/view"
)

// The words of the screen: those of the page, one place for all of them.
const (
	wordConnecting    = "Connecting to the hub"
	wordAwaiting      = "Waiting for the run"
	wordReconnecting  = "Reconnecting"
	wordDisconnected  = "Disconnected"
	wordLive          = "Live"
	wordNoEvents      = "No events yet. The run exists and you are connected. The first card appears when the agent starts a turn."
	wordSettlingLong  = "The agent loop has ended, waiting for the host's listeners."
	wordStoreDown     = "The hub cannot reach its store. New events arrive when it is back."
	wordWorkerLost    = "Worker lost. The worker stopped answering. What was still open is marked lost."
	wordWorkerGone    = "The worker has left."
	wordResynced      = "Your view differed from the hub's and was replaced."
	wordNoRuns        = "No runs yet. A run appears here as soon as a worker publishes one."
	wordNoMatch       = "No run has this in its name or title."
	wordFollowing     = "following"
	wordFollowingOff  = "following is off"
	wordComposing     = "composing, the model is still writing the call"
	wordWritten       = "written, not started"
	wordNoProgress    = "preparing, no progress reported"
	wordSkipped       = "skipped: written by the model, never started"
	wordLate          = "arrived late, after the turn had ended"
	wordConflict      = "a second, different result exists"
	wordNoOutput      = "No output."
	wordNoArgs        = "No arguments."
	wordArgsRaw       = "raw, not validated"
	wordUnnamed       = "tool"
	wordUnknownRun    = "No run with this id. It may have ended before this hub started."
	wordForbidden     = "You may not watch this. Ask whoever sent you the link."
	wordExpired       = "This link has expired. Ask for a new one."
	wordSilent        = "the hub does not answer"
	wordUnknownEnding = "How the last prompt ended is not known."
)

// stateLook is a card state's glyph, word and hue.
type stateLook struct {
	glyph, word string
	role        role
}

func stateOf(status string) stateLook {
	switch status {
	case view.Composing:
		return stateLook{"⋯", "composing", roleIdle}
	case view.Preparing:
		return stateLook{"◌", "preparing", rolePrep}
	case view.CardRunning:
		return stateLook{"◕", "running", roleRun}
	case view.Done:
		return stateLook{"✓", "done", roleOK}
	case view.Failed:
		return stateLook{"✗", "failed", roleErr}
	case view.Lost:
		return stateLook{"?", "lost", roleIdle}
	case view.Skipped:
		return stateLook{"⊘", "skipped", roleIdle}
	}
	return stateLook{"·", status, roleIdle}
}

// countOrder is the order of the counts, most urgent first.
var countOrder = []string{view.CardRunning, view.Preparing, view.Composing, view.Done, view.Failed, view.Lost, view.Skipped}

// RunState is what to call a run as a whole.
type RunState string

const (
	RunIdle     RunState = "Idle"
	RunRunning  RunState = "Running"
	RunSettling RunState = "Settling"
	RunRetrying RunState = "Retrying"
	RunFinished RunState = "Finished"
	RunCutOff   RunState = "Cut off"
	RunFailed   RunState = "Failed"
	RunAborted  RunState = "Aborted"
)

// StateOf names a run's state. A failed tool is not a failed run: only the
// outcome counts. stopReason is that of the last turn, where it is known.
func StateOf(runStatus, outcome, stopReason string) RunState {
	switch {
	case outcome == view.OutcomeRetrying && runStatus != view.Running:
		return RunRetrying
	case runStatus == view.Running:
		return RunRunning
	case runStatus == view.Settling:
		return RunSettling
	case outcome == view.OutcomeError:
		return RunFailed
	case outcome == view.OutcomeAborted:
		return RunAborted
	case outcome != view.OutcomeOK:
		return RunIdle
	case stopReason == "length":
		return RunCutOff
	}
	return RunFinished
}

func stateOfView(v *view.View) RunState {
	stop := ""
	if t := lastTurn(v); t != nil && t.Turn == v.Turn {
		stop = t.StopReason
	}
	return StateOf(v.RunStatus, v.Outcome, stop)
}

func (s RunState) look() stateLook {
	switch s {
	case RunRunning:
		return stateLook{"◕", "Running", roleRun}
	case RunSettling:
		return stateLook{"◌", "Settling", rolePrep}
	case RunRetrying:
		return stateLook{"◌", "Retrying", rolePrep}
	case RunFinished:
		return stateLook{"✓", "Idle, finished", roleOK}
	case RunCutOff:
		return stateLook{"!", "Idle, cut off", rolePrep}
	case RunFailed:
		return stateLook{"✗", "Idle, failed", roleErr}
	case RunAborted:
		return stateLook{"⊘", "Idle, aborted", roleIdle}
	}
	return stateLook{"○", "Idle", roleIdle}
}

// ending says how the last prompt ended, as far as is known.
func (s RunState) ending() string {
	switch s {
	case RunFinished:
		return "The last prompt finished."
	case RunCutOff:
		return "The last prompt ended with an answer that the length limit cut off."
	case RunFailed:
		return "The last prompt ended with an error."
	case RunAborted:
		return "The last prompt was aborted."
	}
	return wordUnknownEnding
}

// stopWord says why a message ended, "" where it ended by itself.
func stopWord(reason string) string {
	switch reason {
	case "error":
		return "stopped with an error"
	case "aborted":
		return "aborted"
	case "length":
		return "cut off: the length limit was reached"
	case "lost":
		return "unfinished: the worker stopped answering"
	}
	return ""
}

func lostWord(cause, time string) string {
	switch cause {
	case view.CauseWorkerLost:
		return fmt.Sprintf("lost: the worker stopped answering at %s", time)
	case view.CauseRunEnded:
		return fmt.Sprintf("lost: the run ended at %s without its result", time)
	}
	return fmt.Sprintf("lost: the turn ended at %s without its result", time)
}

func slowWord(step string) string {
	switch step {
	case "merged":
		return "You are receiving merged updates."
	case "snapshot":
		return "You are receiving snapshots: your connection is too slow for every update."
	}
	return ""
}

func deliveryWord(step string) string {
	switch step {
	case "every":
		return "every event"
	case "merged":
		return "merged updates"
	case "snapshot":
		return "snapshots"
	}
	return step
}

// snapshotWord says why a snapshot came in place of events.
func snapshotWord(reason string) string {
	switch reason {
	case "epoch":
		return "the worker began a new epoch"
	case "slow":
		return "the connection was too slow"
	case "unknown_position":
		return "the hub does not know where it was left"
	}
	return shorten(strings.ReplaceAll(reason, "_", " "), 40)
}
