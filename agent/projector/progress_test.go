package projector_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ringside-hub/ringside/agent"
	"github.com/ringside-hub/ringside/agent/projector"
	"github.com/ringside-hub/ringside/hub/view"
)

func TestProgressAppends(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(agent.TurnStart{}, toolStart("a", `{}`))
	empty := agent.ToolExecutionUpdate{ToolCallID: "a"}
	want(t, d.do(empty), `{"type":"tool_update","key":"c1","text":""}`)
	if s := d.v.Tools["c1"].Status; s != view.CardRunning {
		t.Errorf("card is %s after an update without content", s)
	}
	want(t, d.do(toolUpdate("a", "one\n", ""), toolUpdate("a", "one\ntwo", ""), toolUpdate("a", "one\ntwo", ""), toolUpdate("a", "one", ""), toolUpdate("a", "ONE two", "")),
		`{"type":"tool_update","key":"c1","append":"one\n"}`,
		`{"type":"tool_update","key":"c1","append":"two"}`,
		`{"type":"tool_update","key":"c1","text":"one"}`,
		`{"type":"tool_update","key":"c1","text":"ONE two"}`)
	d.p.Reset()
	want(t, d.do(toolUpdate("a", "ONE two", ""), toolUpdate("a", "ONE two three", "")),
		`{"type":"tool_update","key":"c1","text":"ONE two"}`,
		`{"type":"tool_update","key":"c1","append":" three"}`)
}

func TestProgressMembers(t *testing.T) {
	d := newDrive(t, projector.Config{})
	d.do(agent.TurnStart{}, toolStart("a", `{}`))
	want(t, d.do(
		toolUpdate("a", "x", `{"phase":"scan","done":1,"total":4}`),
		toolUpdate("a", "x", `{"phase":"scan","done":2,"total":4}`),
		toolUpdate("a", "xy", `{"phase":"scan","done":2,"total":4}`),
		toolUpdate("a", "xyz", `{"phase":"read","done":2.0,"total":4}`),
		toolUpdate("a", "xyz!", `{"done":2,"total":4}`),
		toolUpdate("a", "xyz!", `null`),
	),
		`{"type":"tool_update","key":"c1","text":"x","phase":"scan","done":1,"total":4,"details":"{\"phase\":\"scan\",\"done\":1,\"total\":4}"}`,
		`{"type":"tool_update","key":"c1","done":2,"details":"{\"phase\":\"scan\",\"done\":2,\"total\":4}"}`,
		`{"type":"tool_update","key":"c1","append":"y"}`,
		`{"type":"tool_update","key":"c1","append":"z","phase":"read","details":"{\"phase\":\"read\",\"done\":2.0,\"total\":4}"}`,
		`{"type":"tool_update","key":"c1","text":"xyz!","done":2,"total":4,"details":"{\"done\":2,\"total\":4}"}`,
		`{"type":"tool_update","key":"c1","text":"xyz!"}`)
}

func TestDetailsMembersAreChecked(t *testing.T) {
	for _, c := range []struct{ details, want string }{
		{`{"done":3.0,"total":9e2}`, "3/900"},
		{`{"done":-1,"total":1.5}`, "-/-"},
		{`{"done":1e400,"total":9007199254740992}`, "-/-"},
		{`{"done":"NaN","total":"7"}`, "-/-"},
		{`{"done":null,"total":{"done":5}}`, "-/-"},
		{`{"nested":{"done":5},"done":0}`, "0/-"},
		{`{"done":1,"done":2}`, "2/-"},
		{`[{"done":1}]`, "-/-"},
		{`{"done":1,broken`, "1/-"},
		{`12`, "-/-"},
	} {
		d := newDrive(t, projector.Config{})
		e := d.do(toolStart("a", `{}`), toolUpdate("a", "", c.details))[1]
		num := func(n *int64) string {
			if n == nil {
				return "-"
			}
			return fmt.Sprint(*n)
		}
		if got := num(e.Done) + "/" + num(e.Total); got != c.want {
			t.Errorf("%s: %s, want %s", c.details, got, c.want)
		}
		if e.Details != c.details {
			t.Errorf("%s became %s", c.details, e.Details)
		}
	}
}

func TestLongDetails(t *testing.T) {
	d := newDrive(t, projector.Config{})
	long := `{"phase":"x","content":"` + strings.Repeat("é", 5000) + `"}`
	e := d.do(toolStart("a", `{}`), toolUpdate("a", "", long))[1]
	if len(e.Details) > 4<<10 || e.Truncated.Details != int64(len(long)) || e.Phase != "x" {
		t.Errorf("details of %d bytes, %+v, phase %q", len(e.Details), e.Truncated, e.Phase)
	}
	want(t, d.do(toolUpdate("a", "", `{"phase":"x"}`)), `{"type":"tool_update","key":"c1","text":"","phase":"x","details":"{\"phase\":\"x\"}"}`)
	if c := d.v.Tools["c1"]; c.Truncated != nil {
		t.Errorf("card says %+v is cut", c.Truncated)
	}
}

// However a text grows, the view has it, or the end of it with its length.
func TestGrowingOutput(t *testing.T) {
	line := "checked package number %d of many" + strings.Repeat(", and found nothing wrong with it", 8) + "\n"
	for _, c := range []struct {
		name string
		grow func(n int) string
		n    int
	}{
		{"lines", func(n int) string { return fmt.Sprintf(line, n) }, 3600},
		{"one line", func(n int) string { return fmt.Sprintf("%d é🚀 ", n) }, 3000},
		{"big pieces", func(n int) string { return strings.Repeat(fmt.Sprintf(line, n), 200) }, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDrive(t, projector.Config{})
			d.do(agent.TurnStart{}, toolStart("a", `{}`))
			var b strings.Builder
			sent := 0
			for n := range c.n {
				b.WriteString(c.grow(n))
				for _, e := range d.do(toolUpdate("a", b.String(), "")) {
					if e.Append != nil {
						sent += len(*e.Append)
					} else {
						sent += len(*e.Text)
					}
				}
				checkProgress(t, d.v.Tools["c1"], b.String())
			}
			if sent > 3*b.Len() {
				t.Errorf("%d bytes sent for %d", sent, b.Len())
			}
		})
	}
}

func checkProgress(t *testing.T, c *view.Tool, whole string) {
	t.Helper()
	switch got := c.ProgressText; {
	case c.Truncated == nil && got != whole:
		t.Fatalf("%d bytes of %d, and nothing said to be cut", len(got), len(whole))
	case len(got) > 32<<10 || !strings.HasSuffix(whole, got):
		t.Fatalf("%d bytes that are not the end of the %d", len(got), len(whole))
	case c.Truncated != nil && c.Truncated.Progress != int64(len(whole)):
		t.Fatalf("said to be %d bytes, not %d", c.Truncated.Progress, len(whole))
	case len(whole) > 32<<10 && (c.Truncated == nil || len(got) < 8<<10):
		t.Fatalf("%d bytes of %d, %+v", len(got), len(whole), c.Truncated)
	}
}

// Redacting only what is new gives what redacting everything gives.
func TestGrowingSecrets(t *testing.T) {
	r := projector.NewRedactor(projector.RedactConfig{Environ: []string{"MY_TOKEN=correct-horse-9"}})
	d := newDrive(t, projector.Config{Redactor: r})
	d.do(agent.TurnStart{}, toolStart("a", `{}`))
	filler := strings.Repeat("nothing to see in this line of text\n", 150)
	out := filler + "MY_TOKEN=correct-horse-9\n" + filler + "-----BEGIN RSA PRIVATE KEY-----\n" +
		strings.Repeat("MIIEowIBAAKCAQEAsecretsecretsecret0123456789\n", 200) + "-----END RSA PRIVATE KEY-----\n" + filler +
		"export K=ghp_abcdefghijklmnopqrstuvwxyz0123456789 " + filler
	for n := 100; n < len(out)+97; n += 97 {
		whole, hidden := r.Text(out[:min(n, len(out))])
		d.do(toolUpdate("a", out[:min(n, len(out))], ""))
		c := d.v.Tools["c1"]
		checkProgress(t, c, whole)
		if c.Redacted != hidden {
			t.Fatalf("at %d: %d hidden, want %d", n, c.Redacted, hidden)
		}
	}
	if c := d.v.Tools["c1"]; c.Redacted != 3 {
		t.Errorf("%d hidden", c.Redacted)
	}
}
