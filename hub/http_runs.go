package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

// Bounds of one page of history.
const (
	defaultPage  = 1000
	maxPage      = 5000
	maxPageBytes = 8 << 20
)

// nextHeader has the position from which the next page of history goes on. It is
// absent on the last page.
const nextHeader = "X-Ringside-Next"

func (h *Hub) listRuns(c echo.Context) error {
	select {
	case <-h.index.loaded:
	case <-time.After(followWait):
		return runlog.ErrUnavailable
	case <-c.Request().Context().Done():
		return runlog.ErrUnavailable
	}
	runs, _ := h.index.list()
	data, err := json.Marshal(struct {
		Runs []runlog.RunSummary `json:"runs"`
	}{runs}, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode list of runs: %w", err)
	}
	return c.JSONBlob(http.StatusOK, data)
}

func (h *Hub) showRun(c echo.Context) error {
	id := c.Param("run")
	ctx, cancel := context.WithTimeout(c.Request().Context(), followWait)
	defer cancel()
	r, err := h.acquire(ctx, id)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = runlog.ErrUnavailable
		}
		return runError(id, err)
	}
	defer h.release(r)
	at, viewJSON, hash, err := r.read()
	if err != nil {
		return err
	}
	out := make([]byte, 0, len(viewJSON)+256)
	out = append(out, `{"run":"`...) // ids, epochs and hashes need no escaping…
	out = append(out, id...)
	out = append(out, `","epoch":`...)
	out, _ = jsontext.AppendQuote(out, at.Epoch) // …but an epoch comes from a store
	out = append(out, `,"seq":`...)
	out = strconv.AppendInt(out, at.Seq, 10)
	out = append(out, `,"view":`...)
	out = append(out, viewJSON...)
	out = append(out, `,"hash":"`...)
	out = append(out, hash...)
	out = append(out, `"}`...)
	return c.JSONBlob(http.StatusOK, out)
}

// showEvents pages through a run's history: one JSON object a line. What the
// log has forgotten is told by the first line's seq.
func (h *Hub) showEvents(c echo.Context) error {
	id := c.Param("run")
	from, limit, err := pageOf(c.QueryParams())
	if err != nil {
		return err
	}
	entries, err := h.history(c.Request().Context(), id, from, limit)
	if err != nil {
		return runError(id, err)
	}
	var out []byte
	for i, e := range entries {
		if i == limit || len(out) > maxPageBytes {
			c.Response().Header().Set(nextHeader, entries[i-1].Position.String())
			break
		}
		out = append(out, `{"epoch":`...)
		out, _ = jsontext.AppendQuote(out, e.Epoch)
		out = append(out, `,"seq":`...)
		out = strconv.AppendInt(out, e.Seq, 10)
		out = append(out, `,"event":`...)
		out = append(out, e.Data...)
		out = append(out, "}\n"...)
	}
	return c.Blob(http.StatusOK, "application/x-ndjson", out)
}

// history reads one entry more than limit, if there is one. A from without epoch
// is found by its seq alone.
func (h *Hub) history(ctx context.Context, id string, from runlog.Position, limit int) (page []runlog.Entry, err error) {
	skip := int64(0)
	if from.Epoch == "" {
		skip, from = from.Seq, runlog.Position{}
	}
	for len(page) <= limit {
		entries, err := h.cfg.Store.Read(ctx, id, from, limit+1)
		if err != nil {
			return nil, err
		}
		if len(entries) == 0 {
			break
		}
		from = entries[len(entries)-1].Position
		for _, e := range entries {
			if e.Seq > skip {
				page = append(page, e)
			}
		}
	}
	return page, nil
}

func pageOf(q url.Values) (from runlog.Position, limit int, err error) {
	limit = defaultPage
	if s := q.Get("limit"); s != "" {
		if limit, err = strconv.Atoi(s); err != nil || limit < 1 {
			return from, 0, badQuery("limit", s, "a number from 1 on")
		}
		limit = min(limit, maxPage)
	}
	s := q.Get("from")
	if s == "" {
		return from, limit, nil
	}
	epoch, seq, both := strings.Cut(s, "/")
	if !both {
		epoch, seq = "", s
	}
	from.Epoch = epoch
	from.Seq, err = strconv.ParseInt(seq, 10, 64)
	if err != nil || from.Seq < 0 || from.Seq > runlog.MaxSeq || both && epoch == "" {
		return from, 0, badQuery("from", s, "a position: epoch/seq, or seq")
	}
	return from, limit, nil
}

func badQuery(name, value, want string) error {
	return &wire.APIError{Status: http.StatusBadRequest, Code: wire.CodeBadMessage, Message: fmt.Sprintf("%s=%.40q: has to be %s", name, value, want)}
}

// showOutput serves a tool's whole output, with ranges. It is text from outside:
// never anything that a browser would run.
func (h *Hub) showOutput(c echo.Context) error {
	id, key := c.Param("run"), c.Param("key")
	if err := runlog.CheckRunID(id); err != nil {
		return runError(id, err)
	}
	if err := runlog.CheckBlobName(key); err != nil {
		return &wire.APIError{Status: http.StatusBadRequest, Code: wire.CodeBadMessage, Message: err.Error()}
	}
	blob, err := h.cfg.Store.Blob(c.Request().Context(), id, key)
	if err != nil {
		return runError(id, err)
	}
	defer blob.Close()
	head := c.Response().Header()
	head.Set("Content-Type", "text/plain; charset=utf-8")
	head.Set("Content-Disposition", fmt.Sprintf(`inline; filename="%s-%s.txt"`, id, key))
	head.Set("Cache-Control", "no-cache")
	http.ServeContent(c.Response(), c.Request(), "", time.Time{}, blob)
	return nil
}
