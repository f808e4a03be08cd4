package term

import "github.com/ringside-hub/ringside/hub/view"

// Exit codes of a command that watches until a run is over.
const (
	ExitFinished   = 0
	ExitRunFailed  = 3
	ExitRunAborted = 4
	ExitWorkerLost = 5
	ExitLeft       = 130 // the person, or a signal, ended it before; as shells say of Ctrl-C
)

// Over says whether the run's last prompt is over, and the exit code for how it
// ended. Only what events said counts: a run that nobody has prompted yet is not
// over, nor is one whose connection broke.
func Over(v *view.View) (code int, over bool) {
	if v.RunStatus == view.Running || v.RunStatus == view.Settling || v.Outcome == view.OutcomeRetrying && v.Worker == view.WorkerLive {
		return 0, false
	}
	switch v.Outcome {
	case view.OutcomeOK:
		return ExitFinished, true
	case view.OutcomeError:
		return ExitRunFailed, true
	case view.OutcomeAborted:
		return ExitRunAborted, true
	}
	if v.Worker == view.WorkerLost || v.Worker == view.WorkerGone {
		return ExitWorkerLost, true
	}
	return 0, false
}
