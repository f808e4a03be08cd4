package term

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

// runRow is one run's columns.
type runRow struct {
	run, title, state, turn, tools, errors, last string
	look                                         stateLook
}

// SortRuns orders a list of runs: what goes on first, then the newest.
func SortRuns(runs []runlog.RunSummary) {
	slices.SortStableFunc(runs, func(a, b runlog.RunSummary) int {
		return cmp.Or(cmp.Compare(goesOn(b), goesOn(a)), cmp.Compare(b.LastAt, a.LastAt), cmp.Compare(a.Run, b.Run))
	})
}

func goesOn(r runlog.RunSummary) int {
	if r.RunStatus == view.Running || r.RunStatus == view.Settling {
		return 1
	}
	return 0
}

func rowOf(r runlog.RunSummary, now time.Time, loc *time.Location) runRow {
	state := StateOf(r.RunStatus, r.Outcome, "")
	row := runRow{run: r.Run, title: strings.TrimSpace(Safe(clipBytes(r.Title, 2000))), look: state.look(), state: string(state)}
	switch {
	case r.Worker == view.WorkerLost:
		row.state += ", worker lost"
	case r.Worker == view.WorkerGone:
		row.state += ", worker left"
	case r.HeardMs < 0:
		row.state += ", no worker"
	case r.HeardMs > staleAfter.Milliseconds():
		row.state += ", worker stale"
	}
	if r.Turn > 0 {
		row.turn = grouped(r.Turn)
	}
	var tools []string
	for _, status := range countOrder[:3] {
		if n := r.Tools[status]; n > 0 {
			tools = append(tools, grouped(n)+" "+stateOf(status).word)
		}
	}
	row.tools = cmp.Or(strings.Join(tools, ", "), "none")
	row.errors = grouped(r.Errors)
	row.last = shortTime(r.LastAt, now.UnixMilli(), loc)
	return row
}

// staleAfter is when a worker that is not heard of counts as stale.
const staleAfter = 8 * time.Second

var runHeads = runRow{run: "RUN", title: "TITLE", state: "STATE", turn: "TURN", tools: "TOOLS NOW", errors: "ERRORS", last: "LAST EVENT"}

// fields are the columns in the order in which they stand, the title last.
func (r runRow) fields() []string {
	return []string{r.run, r.state, r.turn, r.tools, r.errors, r.last, r.title}
}

// RunsTable is the list as text, with a head.
func RunsTable(runs []runlog.RunSummary, now time.Time, loc *time.Location) string {
	rows := []runRow{runHeads}
	for _, r := range runs {
		rows = append(rows, rowOf(r, now, loc))
	}
	widths := columnWidths(rows)
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(strings.TrimRight(layRow(r.fields(), widths), " ") + "\n")
	}
	return b.String()
}

// The columns that a narrow list does without.
const (
	columnTurn   = 2
	columnTools  = 3
	columnErrors = 4
	columnLast   = 5
)

// maxColumn bounds every column but the last.
const maxColumn = 40

func columnWidths(rows []runRow) []int {
	widths := make([]int, len(runHeads.fields()))
	for _, r := range rows {
		for i, f := range r.fields() {
			widths[i] = max(widths[i], min(width(Safe(f)), maxColumn))
		}
	}
	widths[len(widths)-1] = maxLine
	return widths
}

func layRow(fields []string, widths []int) string {
	var b strings.Builder
	for i, f := range fields {
		if widths[i] == 0 {
			continue
		}
		f = shorten(f, widths[i])
		b.WriteString(f)
		if i < len(fields)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-width(f)+2))
		}
	}
	return b.String()
}
