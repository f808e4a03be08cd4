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
// absent on the last page, unless that is empty: then it is where the log ends
// now, from where a later request goes on.
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
	entries, end, err := h.history(c.Request().Context(), id, from, limit)
	if errors.Is(err, runlog.ErrUnknownPosition) {
		return &wire.APIError{Status: http.StatusGone, Code: wire.CodeUnknownPosition, Message: fmt.Sprintf(
			"the log of run %q does not know position %.80q: it was never there, or is forgotten; a seq alone (from=%d) always does", id, from.String(), from.Seq)}
	}
	if err != nil {
		return runError(id, err)
	}
	if len(entries) == 0 && end != (runlog.Position{}) {
		c.Response().Header().Set(nextHeader, end.String())
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
// is found by its seq alone. It also returns the position up to which it has read.
func (h *Hub) history(ctx context.Context, id string, from runlog.Position, limit int) (page []runlog.Entry, end runlog.Position, err error) {
	skip := int64(0)
	if from.Epoch == "" {
		skip, from = from.Seq, runlog.Position{}
	}
	for len(page) <= limit {
		entries, err := h.cfg.Store.Read(ctx, id, from, limit+1)
		if err != nil {
			return nil, from, err
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
	return page, from, nil
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
	w := &rangeWriter{ResponseWriter: c.Response()}
	http.ServeContent(w, c.Request(), "", time.Time{}, blob)
	if !w.refused {
		return nil
	}
	head.Del("Content-Disposition")
	return &wire.APIError{Status: http.StatusRequestedRangeNotSatisfiable, Code: wire.CodeBadRange, Message: fmt.Sprintf(
		"Range %.80q: the output has no such bytes, see Content-Range", c.Request().Header.Get("Range"))}
}

// rangeWriter keeps the text with which net/http refuses a range: the hub has its
// own.
type rangeWriter struct {
	http.ResponseWriter
	refused bool
}

func (w *rangeWriter) WriteHeader(status int) {
	if status == http.StatusRequestedRangeNotSatisfiable {
		w.refused = true
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *rangeWriter) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}
