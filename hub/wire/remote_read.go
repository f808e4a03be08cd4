package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// maxPage bounds one answer with history: a hub cuts a page at 8 MiB and one
// event.
const maxPage = 16 << 20

// Read is runlog.Store's Read at the hub. A hub may give fewer entries than
// limit though there are more; only an empty answer says that from is the
// newest. Errors are as for Claim.
func (r *Remote) Read(ctx context.Context, run string, from runlog.Position, limit int) ([]runlog.Entry, error) {
	if err := runlog.CheckRunID(run); err != nil {
		return nil, err
	}
	query := url.Values{"limit": {strconv.Itoa(max(1, limit))}}
	if from != (runlog.Position{}) {
		query.Set("from", from.String())
	}
	answer, err := r.call(ctx, run, request{
		method: http.MethodGet, path: "/api/runs/" + run + "/events?" + query.Encode(),
		want: http.StatusOK, limit: maxPage, repeatable: true,
	})
	if err != nil {
		return nil, err
	}
	entries, err := decodePage(answer)
	if err != nil {
		r.log.Warn().Err(err).Str("run", run).Msg("history is not a hub's")
		return nil, r.odd(run, "read", answer)
	}
	return entries, nil
}

// Runs lists the hub's runs as they are now, sorted by id. Errors are as for
// Claim.
func (r *Remote) Runs(ctx context.Context) ([]runlog.RunSummary, error) {
	answer, err := r.call(ctx, "", request{
		method: http.MethodGet, path: "/api/runs", want: http.StatusOK, limit: MaxHubMessage, repeatable: true,
	})
	if err != nil {
		return nil, err
	}
	var list struct { // a newer hub may say more
		Runs *[]runlog.RunSummary `json:"runs"`
	}
	if err := json.Unmarshal(answer, &list); err != nil || list.Runs == nil {
		return nil, r.odd("", "list", answer)
	}
	for _, s := range *list.Runs {
		if runlog.CheckRunID(s.Run) != nil {
			return nil, r.odd("", "list", answer)
		}
	}
	return *list.Runs, nil
}

// pageLine is one line of a page of history.
type pageLine struct {
	runlog.Position
	Event jsontext.Value `json:"event"`
}

func decodePage(page []byte) ([]runlog.Entry, error) {
	var entries []runlog.Entry
	dec := jsontext.NewDecoder(bytes.NewBuffer(page))
	for {
		var line pageLine
		err := json.UnmarshalDecode(dec, &line, json.RejectUnknownMembers(true))
		switch {
		case errors.Is(err, io.EOF):
			return entries, nil
		case err != nil:
			return nil, fmt.Errorf("line %d of a page of history: %w", len(entries)+1, err)
		case line.Epoch == "" || line.Seq < 1 || line.Event.Kind() != '{':
			return nil, fmt.Errorf("line %d of a page of history has no position or no event", len(entries)+1)
		}
		entries = append(entries, runlog.Entry{Position: line.Position, Data: line.Event})
	}
}
