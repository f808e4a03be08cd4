package hub

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/wire"
)

// Deadlines of an HTTP exchange; the WebSocket has its own.
const (
	readWait  = 30 * time.Second
	blobWait  = 5 * time.Minute
	writeWait = 2 * time.Minute
)

// contentSecurity is what the page may do: load from here, and nothing else.
const contentSecurity = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

func (h *Hub) routes() (http.Handler, error) {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.IPExtractor = echo.ExtractIPDirect()
	e.HTTPErrorHandler = h.answerError
	e.Pre(headers)
	e.Use(h.recovered(), middleware.RequestID(), h.admit)

	e.GET("/ws", h.handshake)
	get := []string{http.MethodGet, http.MethodHead}
	e.Match(get, "/healthz", h.health)
	e.Match(get, "/readyz", h.ready)
	e.Match(get, "/metrics", h.metrics())
	e.Match(get, "/protocol.schema.json", schema)
	e.Match(get, "/api/runs", h.listRuns)
	e.Match(get, "/api/runs/:run", h.showRun)
	e.Match(get, "/api/runs/:run/events", h.showEvents)
	e.Match(get, "/api/runs/:run/tools/:key/output", h.showOutput)
	h.writers.routes(e.Group("/api/runs/:run/writer"))

	page, err := loadPage(h.cfg.Page)
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	e.Match(get, "/*", page.serve)
	return e, nil
}

// headers go with every answer.
func headers(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", contentSecurity)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		return next(c)
	}
}

func (h *Hub) recovered() echo.MiddlewareFunc {
	return middleware.RecoverWithConfig(middleware.RecoverConfig{
		LogErrorFunc: func(c echo.Context, err error, stack []byte) error {
			h.log.Error().Err(err).Bytes("stack", stack).Str("path", c.Path()).Msg("request handler panicked")
			return err
		},
	})
}

// admit refuses what no handler should see: foreign host names, pages of other
// origins that want to change something, anything new while the hub stops.
func (h *Hub) admit(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if !h.policy.host(r.Host) {
			return &wire.APIError{Status: http.StatusMisdirectedRequest, Code: wire.CodeForbidden, Message: "this hub is not reached by that host name"}
		}
		if h.draining.Load() && c.Path() != "/healthz" && c.Path() != "/readyz" && c.Path() != "/metrics" {
			c.Response().Header().Set("Retry-After", "1")
			return &wire.APIError{Status: http.StatusServiceUnavailable, Code: wire.CodeUnavailable, Message: "this hub is stopping"}
		}
		if c.Path() == "/ws" {
			return next(c) // has its own rules and deadlines
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead && h.policy.origin(r) != originOK {
			return errForeignOrigin
		}
		ctl := http.NewResponseController(c.Response())
		_ = ctl.SetReadDeadline(time.Now().Add(readWait))
		_ = ctl.SetWriteDeadline(time.Now().Add(writeWait))
		return next(c)
	}
}

// answerError turns every error into {code, message}.
func (h *Hub) answerError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	status, body := statusOf(err)
	if status == http.StatusInternalServerError {
		h.log.Error().Err(err).Str("path", c.Path()).Msg("request failed")
	}
	if status == http.StatusServiceUnavailable && c.Response().Header().Get("Retry-After") == "" {
		c.Response().Header().Set("Retry-After", "1")
	}
	if c.Request().Method == http.MethodHead {
		_ = c.NoContent(status)
		return
	}
	c.Response().Header().Set(echo.HeaderContentType, echo.MIMEApplicationJSON) // in place of who gave up before
	_ = c.JSONBlob(status, body.Encode())
}

func statusOf(err error) (int, wire.ErrorBody) {
	if e, ok := errors.AsType[*echo.HTTPError](err); ok {
		switch e.Code {
		case http.StatusNotFound:
			return e.Code, wire.ErrorBody{Code: wire.CodeNotFound, Message: "no such address"}
		case http.StatusMethodNotAllowed:
			return e.Code, wire.ErrorBody{Code: wire.CodeMethod, Message: wire.Codes()[wire.CodeMethod]}
		}
		return e.Code, wire.ErrorBody{Code: wire.CodeBadMessage, Message: http.StatusText(e.Code)}
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return http.StatusRequestEntityTooLarge, wire.ErrorBody{Code: wire.CodeTooLarge, Message: "request body too large"}
	}
	return wire.StatusOf(err)
}

// errorMessage is the `error` message for something about a run that went wrong.
func errorMessage(re, run string, err error) wire.Error {
	_, body := statusOf(runError(run, err))
	return wire.Error{Re: re, Run: run, Code: string(body.Code), Message: body.Message}
}

// runError says which run an error is about.
func runError(run string, err error) error {
	switch {
	case errors.Is(err, runlog.ErrNoRun):
		return &wire.APIError{Status: http.StatusNotFound, Code: wire.CodeUnknownRun, Message: fmt.Sprintf("no run %q on this hub: nothing has been published under that name", run)}
	case errors.Is(err, runlog.ErrBadRunID):
		return &wire.APIError{Status: http.StatusBadRequest, Code: wire.CodeBadRun, Message: fmt.Sprintf("bad run id %.80q: 1 to 64 of A-Z a-z 0-9 _ -", run)}
	}
	return err
}

// jsonBody reads a JSON request body of at most limit bytes.
func jsonBody(c echo.Context, limit int64) ([]byte, error) {
	r := c.Request()
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if charset := params["charset"]; err != nil || kind != "application/json" || charset != "" && charset != "utf-8" && charset != "UTF-8" {
		return nil, &wire.APIError{Status: http.StatusUnsupportedMediaType, Code: wire.CodeMediaType, Message: "the body has to be application/json"}
	}
	if r.Header.Get("Content-Encoding") != "" {
		return nil, &wire.APIError{Status: http.StatusUnsupportedMediaType, Code: wire.CodeMediaType, Message: "compressed bodies are not taken"}
	}
	var buf bytes.Buffer
	if n := r.ContentLength; n > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	} else if n > 0 {
		buf.Grow(int(min(n, 64<<10)))
	}
	if _, err := io.Copy(&buf, http.MaxBytesReader(c.Response(), r.Body, limit)); err != nil {
		if _, tooBig := errors.AsType[*http.MaxBytesError](err); tooBig {
			return nil, err
		}
		return nil, &wire.APIError{Status: http.StatusBadRequest, Code: wire.CodeBadMessage, Message: "the body did not arrive whole"}
	}
	return buf.Bytes(), nil
}

func (h *Hub) health(c echo.Context) error {
	return c.JSONBlob(http.StatusOK, []byte(`{"status":"ok"}`))
}

// ready says whether a balancer should send people here.
func (h *Hub) ready(c echo.Context) error {
	if h.draining.Load() {
		return &wire.APIError{Status: http.StatusServiceUnavailable, Code: wire.CodeUnavailable, Message: "this hub is stopping"}
	}
	if _, ok := h.index.list(); !ok {
		return &wire.APIError{Status: http.StatusServiceUnavailable, Code: wire.CodeStoreDown, Message: wire.Codes()[wire.CodeStoreDown]}
	}
	return c.JSONBlob(http.StatusOK, []byte(`{"status":"ready"}`))
}

func schema(c echo.Context) error {
	return c.Blob(http.StatusOK, "application/schema+json", wire.SchemaJSON())
}
