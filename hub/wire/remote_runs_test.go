package wire

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ringside-hub/ringside/hub/runlog"
)

// The list of runs, as a hub gives it, and what is not a hub's.
func TestRemoteRuns(t *testing.T) {
	api := func(err error) bool { _, ok := errors.AsType[*APIError](err); return ok }
	for _, c := range []struct {
		name   string
		status int
		body   string
		want   string
		bad    func(error) bool
	}{
		{"two", 200, `{"runs":[{"run":"a","seq":3,"outcome":"ok"},{"run":"b","newer":1}],"more":0}`, "a b", nil},
		{"none", 200, `{"runs":[]}`, "", nil},
		{"no list", 200, `{"ok":true}`, "", api},
		{"no JSON", 200, `<html>`, "", api},
		{"a name that is none", 200, `{"runs":[{"run":"../x"}]}`, "", api},
		{"too much", 200, strings.Repeat(" ", MaxHubMessage+1), "", api},
		{"not now", 503, `{"code":"unavailable"}`, "", func(err error) bool { return errors.Is(err, runlog.ErrUnavailable) }},
		{"not for you", 401, ``, "", func(err error) bool { return errors.Is(err, runlog.ErrDenied) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := serve(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if req.URL.Path != "/api/runs" || req.Header.Get("Authorization") != "Bearer token" {
					t.Errorf("asked for %s with %q", req.URL, req.Header.Get("Authorization"))
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}), func(r *RemoteConfig) { r.Token = "token" })
			runs, err := r.Runs(t.Context())
			if c.bad != nil {
				if err == nil || !c.bad(err) {
					t.Errorf("%v", err)
				}
				return
			}
			var ids []string
			for _, s := range runs {
				ids = append(ids, s.Run)
			}
			if got := strings.Join(ids, " "); err != nil || got != c.want {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}
