package wire

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/ringside-hub/ringside/hub/runlog"
)

func readData(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func TestCloseCodesMirrored(t *testing.T) {
	var file struct {
		Title string  `json:"title"`
		Codes []Close `json:"codes"`
	}
	readData(t, "close-codes.json", &file)
	if diff := cmp.Diff(file.Codes, Closes()); diff != "" {
		t.Errorf("testdata/close-codes.json and Closes differ (-file +Go):\n%s", diff)
	}
	for _, c := range Closes() {
		if len(c.Reason) > MaxCloseReason {
			t.Errorf("%d: reason of %d bytes", c.Code, len(c.Reason))
		}
		if c.Code.Describe() != c {
			t.Errorf("%d describes itself as %v", c.Code, c.Code.Describe())
		}
	}
	if !CloseCode(4999).Reconnect() {
		t.Error("a client does not reconnect after an unknown code")
	}
}

func TestErrorCodesMirrored(t *testing.T) {
	var file struct {
		Title string          `json:"title"`
		Codes map[Code]string `json:"codes"`
	}
	readData(t, "error-codes.json", &file)
	if diff := cmp.Diff(file.Codes, Codes()); diff != "" {
		t.Errorf("testdata/error-codes.json and Codes differ (-file +Go):\n%s", diff)
	}
}

// An error of the run log crosses HTTP and is the same one on the other side.
func TestErrorsCrossHTTP(t *testing.T) {
	for _, want := range []error{
		runlog.ErrFenced, runlog.ErrTooLarge, runlog.ErrNeedCheckpoint, runlog.ErrBadRunID, runlog.ErrNoRun,
		runlog.ErrNoBlob, runlog.ErrUnknownPosition, runlog.ErrUnavailable, runlog.ErrFull, runlog.ErrDenied,
		runlog.ErrBadBlobName,
	} {
		status, body := StatusOf(fmt.Errorf("append: %w", want))
		if got := ErrorOf("r", status, body.Encode()); !errors.Is(got, want) {
			t.Errorf("%v came back as %v (%d %s)", want, got, status, body.Encode())
		}
		if !schemaAccepts(t, "http_error", body.Encode()) {
			t.Errorf("body %s is not what the schema allows", body.Encode())
		}
	}
	held := &runlog.HeldError{Run: "r", Owner: "host/1", Age: 2500 * time.Millisecond}
	status, body := StatusOf(fmt.Errorf("claim: %w", held))
	got, ok := errors.AsType[*runlog.HeldError](ErrorOf("r", status, body.Encode()))
	if !ok || *got != *held || status != http.StatusConflict {
		t.Errorf("held came back as %v, %d", got, status)
	}
}

func TestErrorOf(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		retry  bool // runlog.ErrUnavailable: the worker keeps its events
		api    Code
	}{
		{"proxy's page", 502, "<html>Bad Gateway</html>", true, ""},
		{"gateway timeout", 504, "", true, ""},
		{"too many", 429, `{"code":"limit","message":"slow down"}`, true, CodeLimit},
		{"store closed", 503, `{"code":"unavailable","message":"x"}`, true, ""},
		{"internal", 500, `{"code":"internal","message":"x"}`, true, CodeInternal},
		{"unauthorized", 401, `{"code":"unauthorized","message":"no token"}`, false, CodeUnauthorized},
		{"forbidden", 403, `{"code":"forbidden","message":"x"}`, false, CodeForbidden},
		{"another server", 404, "404 page not found\n", false, ""},
		{"bad body", 400, `{"code":"bad_message","message":"x"}`, false, CodeBadMessage},
		{"code and status disagree", 200, `{"code":"fenced","message":"x"}`, false, CodeFenced},
		{"not an object", 400, `[]`, false, ""},
		{"control characters", 400, `{"code":"x\u001by","message":"a\nb"}`, false, "x\uFFFDy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := ErrorOf("r", c.status, []byte(c.body))
			if errors.Is(err, runlog.ErrUnavailable) != c.retry {
				t.Errorf("%v: is ErrUnavailable: %v", err, !c.retry)
			}
			if c.retry && c.api == "" {
				return
			}
			api, ok := errors.AsType[*APIError](err)
			if !ok || api.Status != c.status || api.Code != c.api {
				t.Errorf("got %#v", err)
			}
			if api.Final() == c.retry {
				t.Errorf("%v: final: %v", err, !c.retry)
			}
			if strings.HasSuffix(err.Error(), ": ") {
				t.Errorf("%q says nothing", err)
			}
		})
	}
}

// What the hub does not know must not be told to the outside.
func TestStatusOfUnknownError(t *testing.T) {
	status, body := StatusOf(errors.New("open /secret/path: permission denied"))
	if status != 500 || body != (ErrorBody{Code: CodeInternal, Message: "internal error"}) {
		t.Errorf("%d %+v", status, body)
	}
}

func TestStatusOfEveryCode(t *testing.T) {
	for _, code := range []Code{CodeUnauthorized, CodeForbidden} {
		status, body := StatusOf(&MessageError{Code: code, Message: "why"})
		err := ErrorOf("r", status, body.Encode())
		if !errors.Is(err, runlog.ErrDenied) || !strings.Contains(err.Error(), "why") {
			t.Errorf("%s: %v", code, err)
		}
	}
	for code := range Codes() {
		status, body := StatusOf(&MessageError{Code: code, Message: "x"})
		if status < 400 || body.Code != code {
			t.Errorf("%s: %d %+v", code, status, body)
		}
	}
	retry := []Code{CodeLimit, CodeStoreDown, CodeUnavailable, CodeInternal}
	for code := range Codes() {
		status, body := StatusOf(&MessageError{Code: code, Message: "x"})
		err := ErrorOf("r", status, body.Encode())
		if want := slices.Contains(retry, code); errors.Is(err, runlog.ErrUnavailable) != want {
			t.Errorf("%s is to be tried again: %v", code, !want)
		}
	}
}
