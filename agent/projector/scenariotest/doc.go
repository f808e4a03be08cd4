// Package scenariotest compares what Ringside shows with what the real Pi
// showed: it reads the expected files of the Pi scenarios, makes agent events of
// them, and reads a folded view the way the scenarios' small example view does.
//
// Reader is the one place that says in what the two views may differ. It is for
// tests; a Reader is not safe for concurrent use.
package scenariotest
