package hub

import (
	"errors"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/labstack/echo/v4"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

// routes adds the remote Writer's addresses (see wire). Bodies are decoded
// strictly; a hub never sees what has not been projected by a worker, and
// refuses what is no projected event.
func (s *writers) routes(g *echo.Group) {
	g.POST("", s.postClaim)
	g.POST("/:epoch/events", s.postEvents)
	g.PUT("/:epoch/checkpoint", s.putCheckpoint)
	g.PUT("/:epoch/blobs/:key", s.putBlob)
	g.POST("/:epoch/heartbeat", s.postHeartbeat)
	g.DELETE("/:epoch", s.deleteWriter)
	// The page takes every other GET.
	for path, allowed := range map[string]string{
		"": http.MethodPost, "/:epoch/events": http.MethodPost, "/:epoch/checkpoint": http.MethodPut,
		"/:epoch/blobs/:key": http.MethodPut, "/:epoch/heartbeat": http.MethodPost, "/:epoch": http.MethodDelete,
	} {
		g.Match([]string{http.MethodGet, http.MethodHead}, path, func(c echo.Context) error {
			c.Response().Header().Set(echo.HeaderAllow, allowed)
			return echo.ErrMethodNotAllowed
		})
	}
}

func keyOf(c echo.Context) sessionKey { return sessionKey{c.Param("run"), c.Param("epoch")} }

func (s *writers) postClaim(c echo.Context) error {
	run := c.Param("run")
	if err := runlog.CheckRunID(run); err != nil {
		return runError(run, err)
	}
	body, err := jsonBody(c, wire.MaxClaimBody)
	if err != nil {
		return err
	}
	o, err := wire.DecodeClaim(body)
	if err != nil {
		return err
	}
	snap, err := s.claim(c.Request().Context(), run, o)
	if errors.Is(err, errManyWriters) {
		return &wire.APIError{Status: http.StatusTooManyRequests, Code: wire.CodeLimit, Message: err.Error()}
	}
	if err != nil {
		return runError(run, err)
	}
	s.hub.stats.Claims.Add(1)
	s.hub.log.Info().Str("run", run).Str("owner", o.Owner).Str("epoch", snap.Epoch).Int64("seq", snap.Seq).Msg("run claimed")
	return answer(c, http.StatusCreated, wire.Claimed{Position: snap.Position, View: snap.View})
}

func (s *writers) postEvents(c echo.Context) error {
	body, err := jsonBody(c, wire.MaxAppendBody)
	if err != nil {
		return err
	}
	first, events, err := wire.DecodeAppend(body)
	if err != nil {
		return err
	}
	var ack runlog.Ack
	ctx := c.Request().Context()
	err = s.call(ctx, keyOf(c), true, func(w runlog.Writer) (err error) {
		ack, err = w.Append(ctx, first, events)
		return err
	})
	if err != nil {
		return runError(c.Param("run"), err)
	}
	if ack.Status == runlog.AppendOK {
		s.hub.stats.Appended.Add(int64(len(events)))
	}
	return answer(c, http.StatusOK, ack)
}

func (s *writers) putCheckpoint(c echo.Context) error {
	body, err := jsonBody(c, wire.MaxCheckpointBody)
	if err != nil {
		return err
	}
	snap, err := wire.DecodeCheckpoint(c.Param("epoch"), body)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	return done(c, s.call(ctx, keyOf(c), true, func(w runlog.Writer) error { return w.Checkpoint(ctx, snap) }))
}

func (s *writers) putBlob(c echo.Context) error {
	key := c.Param("key")
	if err := runlog.CheckBlobName(key); err != nil {
		return &wire.APIError{Status: http.StatusBadRequest, Code: wire.CodeBadMessage, Message: err.Error()}
	}
	ctl := http.NewResponseController(c.Response())
	_ = ctl.SetReadDeadline(time.Now().Add(blobWait))
	_ = ctl.SetWriteDeadline(time.Now().Add(blobWait))
	ctx := c.Request().Context()
	body := http.MaxBytesReader(c.Response(), c.Request().Body, runlog.MaxBlobBytes)
	return done(c, s.call(ctx, keyOf(c), false, func(w runlog.Writer) error { return w.PutBlob(ctx, key, body) }))
}

func (s *writers) postHeartbeat(c echo.Context) error {
	body, err := jsonBody(c, wire.MaxHeartbeatBody)
	if err != nil {
		return err
	}
	summary, err := wire.DecodeHeartbeat(body)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	return done(c, s.call(ctx, keyOf(c), false, func(w runlog.Writer) error { return w.Heartbeat(ctx, summary) }))
}

func (s *writers) deleteWriter(c echo.Context) error {
	return done(c, s.release(c.Request().Context(), keyOf(c)))
}

func done(c echo.Context, err error) error {
	if err != nil {
		return runError(c.Param("run"), err)
	}
	return c.NoContent(http.StatusNoContent)
}

func answer(c echo.Context, status int, v any) error {
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	return c.JSONBlob(status, data)
}
