package hub_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/hub"
	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
	"github.com/ringside-hub/ringside/hub/wire"
)

func TestShowRun(t *testing.T) {
	s := start(t, hub.Config{})
	a := s.author(t, "r1", 50)
	for range 3 {
		must(t, a.Append(t.Context(), 30))
		var got struct {
			Run string `json:"run"`
			runlog.Position
			View jsontext.Value `json:"view"`
			Hash string         `json:"hash"`
		}
		for got.Position != a.At { // the hub follows the log, a moment behind
			status, header, body := s.get(t, "/api/runs/r1")
			if status != 200 || header.Get("Content-Type") != "application/json" {
				t.Fatalf("%d %s %s", status, header.Get("Content-Type"), body)
			}
			must(t, json.Unmarshal([]byte(body), &got))
		}
		v, err := view.Decode(got.View)
		must(t, err)
		if got.Run != "r1" || got.Hash != v.Hash() || got.Hash != a.View.Hash() {
			t.Fatalf("hash %s, of the view %s, the author's %s", got.Hash, v.Hash(), a.View.Hash())
		}
	}
}

// What goes wrong is told as {code, message}, with a fitting status.
func TestHTTPErrors(t *testing.T) {
	s := start(t, hub.Config{Page: fstest.MapFS{"index.html": {Data: []byte("page")}}})
	s.author(t, "r1", 51)
	jsonType := http.Header{"Content-Type": {"application/json"}}
	for _, c := range []struct {
		method, path string
		header       http.Header
		body         string
		status       int
		code         wire.Code
		message      string
	}{
		{"GET", "/api/runs/nowhere", nil, "", 404, wire.CodeUnknownRun, `no run "nowhere"`},
		{"GET", "/api/runs/nowhere/events", nil, "", 404, wire.CodeUnknownRun, `no run "nowhere"`},
		{"GET", "/api/runs/nowhere/tools/c1/output", nil, "", 404, wire.CodeUnknownRun, `no run "nowhere"`},
		{"GET", "/api/runs/r1/tools/c1/output", nil, "", 404, wire.CodeUnknownOutput, ""},
		{"GET", "/api/runs/a%7Db", nil, "", 400, wire.CodeBadRun, "1 to 64 of A-Z a-z 0-9 _ -"},
		{"GET", "/api/runs/a%0d%0aX:y", nil, "", 400, wire.CodeBadRun, "bad run id"},
		{"GET", "/api/runs/..%2f..%2fetc", nil, "", 400, wire.CodeBadRun, "bad run id"},
		{"GET", "/api/runs/" + strings.Repeat("a", 65), nil, "", 400, wire.CodeBadRun, "bad run id"},
		{"GET", "/api/runs/r1/events?from=x", nil, "", 400, wire.CodeBadMessage, "from"},
		{"GET", "/api/runs/r1/events?from=/3", nil, "", 400, wire.CodeBadMessage, "from"},
		{"GET", "/api/runs/r1/events?from=-3", nil, "", 400, wire.CodeBadMessage, "from"},
		{"GET", "/api/runs/r1/events?limit=0", nil, "", 400, wire.CodeBadMessage, "limit"},
		{"GET", "/api/runs/r1/events?from=nobody/3", nil, "", 410, wire.CodeUnknownPosition, `"nobody/3"`},
		{"GET", "/api/nothing", nil, "", 404, wire.CodeNotFound, ""},
		{"GET", "/assets/none.js", nil, "", 404, wire.CodeNotFound, ""},
		{"GET", "/debug/pprof/", nil, "", 404, wire.CodeNotFound, ""},
		{"DELETE", "/api/runs", nil, "", 405, wire.CodeMethod, "method"},
		{"POST", "/api/runs/r1/tools/c1/output", nil, "", 405, wire.CodeMethod, "method"},
		{"GET", "/api/runs/r1/writer", nil, "", 405, wire.CodeMethod, "method"},
		{"PUT", "/ws", nil, "", 405, wire.CodeMethod, "method"},
		{"GET", "/ws", nil, "", 426, wire.CodeBadMessage, "Upgrade"},
		{"GET", "/api/runs", http.Header{"Host": {"evil.test"}}, "", 421, wire.CodeForbidden, "host name"},
		{"POST", "/api/runs/r1/writer", http.Header{"Content-Type": {"application/json"}, "Origin": {"http://evil.test"}}, `{"owner":"x"}`, 403, wire.CodeForbidden, "origin"},
		{"POST", "/api/runs/r1/writer", http.Header{"Content-Type": {"text/plain"}}, `{"owner":"x"}`, 415, wire.CodeMediaType, "application/json"},
		{"POST", "/api/runs/r1/writer", http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, `{"owner":"x"}`, 415, wire.CodeMediaType, ""},
		{"POST", "/api/runs/r1/writer", jsonType, `{"owner":"x","OWNER":"y"}`, 400, wire.CodeBadMessage, ""},
		{"POST", "/api/runs/r1/writer", jsonType, `{"owner":5}`, 400, wire.CodeBadMessage, "owner"},
		{"POST", "/api/runs/r1/writer", jsonType, `[]`, 400, wire.CodeBadMessage, ""},
		{"POST", "/api/runs/r1/writer", jsonType, `{}`, 400, wire.CodeBadMessage, "owner"},
		{"POST", "/api/runs/r1/writer", jsonType, `{"owner":"x"} {}`, 400, wire.CodeBadMessage, ""},
		{"POST", "/api/runs/a%7Db/writer", jsonType, `{"owner":"x"}`, 400, wire.CodeBadRun, ""},
		{"POST", "/api/runs/r1/writer/none/heartbeat", jsonType, strings.Repeat(" ", 70<<10), 413, wire.CodeTooLarge, ""},
		{"POST", "/api/runs/r1/writer/none/events", jsonType, `{"first":1,"events":[{"type":"agent_start","t":1}]}`, 409, wire.CodeFenced, ""},
		{"POST", "/api/runs/nowhere/writer/none/events", jsonType, `{"first":1,"events":[{"type":"agent_start","t":1}]}`, 404, wire.CodeUnknownRun, ""},
	} {
		t.Run(c.method+" "+c.path+" "+fmt.Sprint(c.status), func(t *testing.T) {
			status, header, body := s.request(t, c.method, c.path, c.header, strings.NewReader(c.body))
			var e wire.ErrorBody
			must(t, json.Unmarshal([]byte(body), &e))
			if status != c.status || e.Code != c.code || !strings.Contains(e.Message, c.message) || e.Message == "" {
				t.Fatalf("%d %s, want %d %s", status, body, c.status, c.code)
			}
			if (header.Get("Allow") != "") != (status == 405) || header.Get("Content-Type") != "application/json" {
				t.Errorf("headers %v", header)
			}
			if header.Get("X-Content-Type-Options") != "nosniff" || header.Get("X-Y") != "" {
				t.Fatalf("headers %v", header)
			}
		})
	}
}

func TestHistory(t *testing.T) {
	s := start(t, hub.Config{})
	a := s.author(t, "r1", 52)
	for range 7 {
		must(t, a.Append(t.Context(), 10))
	}
	first := a.At.Epoch
	must(t, a.Claim(t.Context(), s.Store, runlog.ClaimOptions{Owner: "next", Takeover: true}))
	must(t, a.Append(t.Context(), 5))

	v, at, pages := view.New(), runlog.Position{}, 0
	for path := "/api/runs/r1/events?limit=20"; path != ""; pages++ {
		status, header, body := s.get(t, path)
		if status != 200 || header.Get("Content-Type") != "application/x-ndjson" {
			t.Fatalf("%d %s", status, body)
		}
		for line := range strings.Lines(body) {
			var l struct {
				runlog.Position
				Event jsontext.Value `json:"event"`
			}
			must(t, json.Unmarshal([]byte(line), &l))
			if l.Seq != at.Seq+1 {
				t.Fatalf("%s after %s", l.Position, at)
			}
			at = l.Position
			e, err := view.DecodeEvent(l.Event)
			must(t, err)
			v.Apply(&e)
		}
		path = ""
		if next := header.Get("X-Ringside-Next"); next != "" {
			path = "/api/runs/r1/events?limit=20&from=" + url.QueryEscape(next)
		}
	}
	if at != a.At || v.Hash() != a.View.Hash() {
		t.Fatalf("history ends at %s, the run at %s", at, a.At)
	}
	if pages != 4 {
		t.Errorf("%d pages", pages)
	}
	for from, want := range map[string]string{
		"68":         first + " 69",
		first + "/9": first + " 10",
		"71":         a.At.Epoch + " 72",
		"0":          first + " 1",
	} {
		_, _, body := s.get(t, "/api/runs/r1/events?from="+url.QueryEscape(from))
		epoch, seq, _ := strings.Cut(want, " ")
		if !strings.HasPrefix(body, `{"epoch":"`+epoch+`","seq":`+seq+`,`) {
			t.Errorf("from=%s begins %.80s, want %s", from, body, want)
		}
	}
	for _, from := range []string{a.At.String(), "75", "9999", fmt.Sprint(runlog.MaxSeq)} {
		status, header, body := s.get(t, "/api/runs/r1/events?from="+url.QueryEscape(from))
		if next := header.Get("X-Ringside-Next"); status != 200 || body != "" || next != a.At.String() {
			t.Errorf("from=%s: %d, next %q, %s", from, status, next, body)
		}
	}
	for _, from := range []string{"nobody/75", a.At.Epoch + "/76", first + "/71"} {
		if status, _, body := s.get(t, "/api/runs/r1/events?from="+url.QueryEscape(from)); status != 410 || !strings.Contains(body, from) {
			t.Errorf("from=%s: %d %s", from, status, body)
		}
	}
}

func TestWholeOutput(t *testing.T) {
	s := start(t, hub.Config{})
	a := s.author(t, "r1", 53)
	text := "<script>alert(1)</script>\n" + strings.Repeat("line\n", 1000)
	must(t, a.Writer.PutBlob(t.Context(), "c1", strings.NewReader(text)))
	status, header, body := s.get(t, "/api/runs/r1/tools/c1/output")
	if status != 200 || body != text || header.Get("Content-Type") != "text/plain; charset=utf-8" || header.Get("X-Content-Type-Options") != "nosniff" {
		t.Fatalf("%d %v", status, header)
	}
	status, header, body = s.request(t, "GET", "/api/runs/r1/tools/c1/output", http.Header{"Range": {"bytes=5-9"}}, nil)
	if status != 206 || body != text[5:10] {
		t.Fatalf("range: %d %v %q", status, header, body)
	}
	status, header, body = s.request(t, "GET", "/api/runs/r1/tools/c1/output", http.Header{"Range": {"bytes=99999-"}}, nil)
	var e wire.ErrorBody
	must(t, json.Unmarshal([]byte(body), &e))
	if status != 416 || e.Code != wire.CodeBadRange || header.Get("Content-Range") != fmt.Sprintf("bytes */%d", len(text)) ||
		header.Get("Content-Type") != "application/json" || header.Get("Content-Disposition") != "" {
		t.Fatalf("range beyond the end: %d %v %s", status, header, body)
	}
	if status, _, body := s.request(t, "HEAD", "/api/runs/r1/tools/c1/output", nil, nil); status != 200 || body != "" {
		t.Fatalf("HEAD: %d %q", status, body)
	}
}

func TestPage(t *testing.T) {
	script := strings.Repeat("console.log('ringside');\n", 100)
	s := start(t, hub.Config{Page: fstest.MapFS{
		"index.html":    {Data: []byte("<!doctype html><title>Ringside</title>")},
		"assets/app.js": {Data: []byte(script)},
	}})
	plain := http.Header{"Accept-Encoding": {"identity"}}
	for _, path := range []string{"/", "/r/some-run", "/index.html"} {
		status, header, body := s.request(t, "GET", path, plain, nil)
		if status != 200 || !strings.Contains(body, "<title>Ringside") || header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Fatalf("%s: %d %s", path, status, body)
		}
		csp := header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "trusted-types 'none'") || header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: headers %v", path, header)
		}
		if header.Get("Cache-Control") != "no-cache" || header.Get("Etag") == "" {
			t.Errorf("%s: headers %v", path, header)
		}
	}
	status, header, body := s.request(t, "GET", "/assets/app.js", plain, nil)
	if status != 200 || body != script || header.Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Fatalf("script: %d %v", status, header)
	}
	status, zipped, body := s.request(t, "GET", "/assets/app.js", http.Header{"Accept-Encoding": {"br, gzip;q=0.5"}}, nil)
	if status != 200 || zipped.Get("Content-Encoding") != "gzip" || len(body) >= len(script) || zipped.Get("Vary") != "Accept-Encoding" {
		t.Fatalf("gzip: %d %v", status, zipped)
	}
	if zipped.Get("Etag") == header.Get("Etag") {
		t.Error("one ETag for two contents")
	}
	if _, h, _ := s.request(t, "GET", "/assets/app.js", http.Header{"Accept-Encoding": {"gzip;q=0"}}, nil); h.Get("Content-Encoding") != "" {
		t.Error("gzip to one who refuses it")
	}
	status, _, body = s.request(t, "GET", "/assets/app.js", http.Header{"Accept-Encoding": {"identity"}, "If-None-Match": {header.Get("Etag")}}, nil)
	if status != 304 || body != "" {
		t.Errorf("known content: %d", status)
	}
	if status, h, body := s.request(t, "HEAD", "/", plain, nil); status != 200 || body != "" || h.Get("Content-Length") == "" {
		t.Errorf("HEAD: %d %v", status, h)
	}
}

func TestSmallAddresses(t *testing.T) {
	s := start(t, hub.Config{})
	a := s.author(t, "r1", 54)
	must(t, a.Append(t.Context(), 1))
	p := s.connect(t, "")
	p.watch(t, "r1", nil)
	p.same(t, a)
	for path, want := range map[string]string{
		"/healthz":              `"ok"`,
		"/readyz":               `"ready"`,
		"/protocol.schema.json": `"client_hello"`,
		"/metrics":              "ringside_observers 1",
	} {
		if status, _, body := s.get(t, path); status != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %.300s", path, status, body)
		}
	}
}

// A request that does not end is cut off, and one too large refused, without
// the hub holding it.
func TestRawRequests(t *testing.T) {
	s := start(t, hub.Config{})
	host := strings.TrimPrefix(s.URL, "http://")
	for name, c := range map[string]struct {
		request string
		status  int
	}{
		"large header": {"GET / HTTP/1.1\r\nHost: " + host + "\r\nX: " + strings.Repeat("x", 32<<10) + "\r\n\r\n", 431},
		"long address": {"GET /" + strings.Repeat("x", 64<<10) + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n", 431},
		"two lengths":  {"POST /api/runs/r1/writer HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400},
		"two hosts":    {"GET / HTTP/1.1\r\nHost: " + host + "\r\nHost: evil.test\r\n\r\n", 400},
		"NUL":          {"GET / HTTP/1.1\r\nHost: " + host + "\r\nX: a\x00b\r\n\r\n", 400},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := s.dial(t.Context())
			must(t, err)
			defer conn.Close()
			go func() { _, _ = io.WriteString(conn, c.request) }()
			if res := readResponse(t, conn); res.StatusCode != c.status {
				t.Fatalf("answered %s, want %d", res.Status, c.status)
			}
		})
	}
}
