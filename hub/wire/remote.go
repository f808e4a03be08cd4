package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// RemoteConfig says how to reach a hub's writer API.
type RemoteConfig struct {
	// BaseURL is the hub's address, as http://host:port or with a path under
	// which it is reached.
	BaseURL string
	// Token is sent as a Bearer token. Absent: none.
	Token string
	// HTTPClient makes the requests; its own timeout counts too. Absent: one with
	// few connections. It does not follow redirects, which would take the token
	// elsewhere.
	HTTPClient *http.Client
	// Logger takes what happens to a writer. Its zero value writes nothing.
	Logger zerolog.Logger
	// Timeout bounds every call but PutBlob. Absent: 10 s.
	Timeout time.Duration
	// BlobTimeout bounds PutBlob. Absent: 5 min.
	BlobTimeout time.Duration
}

// Remote claims runs at a hub over HTTP. Its methods are safe for concurrent
// use.
type Remote struct {
	// static after construction
	base        string // without a slash at its end
	token       string
	client      *http.Client
	log         zerolog.Logger
	timeout     time.Duration
	blobTimeout time.Duration
}

const (
	defaultTimeout     = 10 * time.Second
	defaultBlobTimeout = 5 * time.Minute
	// maxAnswer bounds every answer but a claim's.
	maxAnswer = 64 << 10
)

// NewRemote checks the configuration; it does not connect.
func NewRemote(c RemoteConfig) (*Remote, error) {
	base, err := baseURL(c.BaseURL)
	if err != nil {
		return nil, err
	}
	r := &Remote{
		base: base, token: c.Token, log: c.Logger,
		timeout: orDefault(c.Timeout, defaultTimeout), blobTimeout: orDefault(c.BlobTimeout, defaultBlobTimeout),
	}
	r.client = &http.Client{Transport: newTransport()}
	if c.HTTPClient != nil {
		r.client = new(*c.HTTPClient)
	}
	r.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return r, nil
}

// newTransport is Go's own with less room: a worker has one hub.
func newTransport() *http.Transport {
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 4, IdleConnTimeout: 60 * time.Second,
		TLSHandshakeTimeout: defaultTimeout, MaxResponseHeaderBytes: 64 << 10,
	}
	return t
}

func baseURL(s string) (string, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "":
		return "", fmt.Errorf("hub address %q: want http://host:port", clip(s, maxErrorText))
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("hub address %q: scheme must be http or https", clip(s, maxErrorText))
	case u.User != nil:
		return "", errors.New("hub address: a token does not belong into an address")
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("hub address %q: no query or fragment", clip(s, maxErrorText))
	}
	return strings.TrimRight(u.String(), "/"), nil
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// Close lets go of idle connections. Writers stay usable.
func (r *Remote) Close() error {
	r.client.CloseIdleConnections()
	return nil
}

// Claim is runlog.Store's Claim at the hub. Beside that one's errors it gives
// runlog.ErrUnavailable (wrapped with the cause) where the hub does not answer
// or cannot serve now, runlog.ErrDenied where the token does not do, and
// *APIError for other refusals. A claim whose answer was lost may have
// succeeded: the run is then held under the same Owner until runlog.HoldFor
// has passed.
func (r *Remote) Claim(ctx context.Context, run string, o runlog.ClaimOptions) (runlog.Writer, runlog.Snapshot, error) {
	if err := runlog.CheckRunID(run); err != nil {
		return nil, runlog.Snapshot{}, err
	}
	if err := runlog.CheckSeed(o.Seed); err != nil {
		return nil, runlog.Snapshot{}, err
	}
	body, err := EncodeClaim(o)
	if err != nil {
		return nil, runlog.Snapshot{}, err
	}
	answer, err := r.call(ctx, run, request{
		method: http.MethodPost, path: writerPath(run), json: body, want: http.StatusCreated, limit: MaxClaimBody,
	})
	if err != nil {
		return nil, runlog.Snapshot{}, err
	}
	var c Claimed
	if err := json.Unmarshal(answer, &c); err != nil || c.Epoch == "" || len(c.Epoch) > maxEpoch || c.View.Kind() != '{' {
		return nil, runlog.Snapshot{}, r.odd(run, "claim", answer)
	}
	w := &remoteWriter{remote: r, run: run, epoch: c.Epoch, path: writerPath(run) + "/" + url.PathEscape(c.Epoch)}
	return w, runlog.Snapshot{Position: c.Position, View: c.View}, nil
}

func writerPath(run string) string { return "/api/runs/" + run + "/writer" }

// odd is an answer with the right status and the wrong content: something that
// is no hub. It is not tried again.
func (r *Remote) odd(run, what string, answer []byte) error {
	r.log.Warn().Str("run", run).Str("call", what).Int("bytes", len(answer)).Msg("answer is not a hub's")
	return &APIError{Status: http.StatusOK, Message: "the answer to " + what + " is not a hub's"}
}

// request is one call of the writer API.
type request struct {
	method, path string
	json         []byte    // the body, or
	raw          io.Reader // a body of raw bytes
	want         int       // the status of success
	limit        int       // bytes of the answer
	// repeatable lets the transport send it again where an idle connection
	// turned out to be dead.
	repeatable bool
}

// call makes one request and maps everything that is not success to an error.
func (r *Remote) call(ctx context.Context, run string, q request) ([]byte, error) {
	timeout := r.timeout
	body := io.Reader(bytes.NewReader(q.json))
	if q.raw != nil {
		timeout, body = r.blobTimeout, q.raw
	}
	inner, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(inner, q.method, r.base+q.path, body)
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	r.header(req, q)
	res, err := r.client.Do(req)
	if err != nil {
		return nil, lost(ctx, timeout, err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, int64(orDefault(q.limit, maxAnswer))+1))
	switch {
	case err != nil:
		return nil, lost(ctx, timeout, err)
	case res.StatusCode != q.want:
		return nil, ErrorOf(run, res.StatusCode, answer)
	case len(answer) > orDefault(q.limit, maxAnswer):
		return nil, r.odd(run, q.method, answer)
	}
	return answer, nil
}

func (r *Remote) header(req *http.Request, q request) {
	req.Header.Set("Accept", "application/json")
	switch {
	case q.raw != nil:
		req.Header.Set("Content-Type", "application/octet-stream")
	case q.json != nil:
		req.Header.Set("Content-Type", "application/json")
	}
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	if q.repeatable {
		// Present and empty: net/http reads it, and does not send it.
		req.Header["Idempotency-Key"] = []string{}
	}
}

// lost is a call without an answer. The caller's own end stays what it is; all
// else is the hub being away. A timeout of ours must not look like the caller's.
func lost(ctx context.Context, timeout time.Duration, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: no answer within %s", runlog.ErrUnavailable, timeout)
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // the address is known
	}
	return fmt.Errorf("%w: %w", runlog.ErrUnavailable, err)
}
