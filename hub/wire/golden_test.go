package wire

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// golden is a file of messages; the TypeScript client's decode test reads the
// same files.
type golden struct {
	Title string       `json:"title"`
	Cases []goldenCase `json:"cases"`
}

type goldenCase struct {
	Name    string         `json:"name"`
	Message jsontext.Value `json:"message,omitzero"`
	Text    *string        `json:"text,omitzero"`
	Decoded jsontext.Value `json:"decoded,omitzero"`
	Error   *goldenError   `json:"error,omitzero"`
}

type goldenError struct {
	Code    Code      `json:"code"`
	Re      string    `json:"re,omitzero"`
	Pointer string    `json:"pointer,omitzero"`
	Says    string    `json:"says,omitzero"`
	Close   CloseCode `json:"close,omitzero"`
}

func (c *goldenCase) data() []byte {
	if c.Text != nil {
		return []byte(*c.Text)
	}
	return c.Message
}

// want is what a valid case decodes to.
func (c *goldenCase) want() jsontext.Value {
	if c.Decoded != nil {
		return c.Decoded
	}
	return c.Message
}

func readGolden(t testing.TB, name string) golden {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(data, &g, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return g
}

func canonical(t testing.TB, v jsontext.Value) string {
	t.Helper()
	v = v.Clone()
	if err := v.Canonicalize(); err != nil {
		t.Fatalf("%s: %v", v, err)
	}
	return string(v)
}

// schemaAccepts asks the published schema alone.
func schemaAccepts(t *testing.T, definition string, data []byte) bool {
	t.Helper()
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return validate(definition, value) == nil
}

func TestGoldenClientMessages(t *testing.T) {
	types := map[string]bool{}
	for _, c := range readGolden(t, "client-messages.json").Cases {
		t.Run(c.Name, func(t *testing.T) {
			m, err := Decode(c.data())
			checkGolden(t, &c, err)
			if err == nil {
				back, err := MarshalClient(m)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(canonical(t, c.want()), canonical(t, back)); diff != "" {
					t.Errorf("decoded and encoded again (-want +got):\n%s", diff)
				}
				types[kindOf(t, back)] = true
			}
			if c.Text == nil && schemaAccepts(t, "client_message", c.Message) != (c.Error == nil) {
				t.Error("the schema disagrees")
			}
		})
	}
	for _, kind := range []string{TypeHello, TypeWatch, TypeUnwatch, TypeCheck, TypeLook, TypeWatchRuns, TypeUnwatchRuns} {
		if !types[kind] {
			t.Errorf("no valid example of %s", kind)
		}
	}
}

func TestGoldenHubMessages(t *testing.T) {
	types := map[string]bool{}
	for _, c := range readGolden(t, "hub-messages.json").Cases {
		t.Run(c.Name, func(t *testing.T) {
			m, err := DecodeHub(c.data())
			checkGolden(t, &c, err)
			if err == nil {
				back, err := Marshal(m)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(canonical(t, c.want()), canonical(t, back)); diff != "" {
					t.Errorf("decoded and encoded again (-want +got):\n%s", diff)
				}
				types[kindOf(t, back)] = true
			}
			if c.Text == nil && schemaAccepts(t, "hub_message", c.Message) != (c.Error == nil) {
				t.Error("the schema disagrees")
			}
		})
	}
	for _, kind := range []string{
		TypeWelcome, TypeSnapshot, TypeEvents, TypeMerged, TypeCheck, TypeStatus, TypePresence, TypeRuns, TypeStats,
		TypeHeartbeat, TypeError, TypeBye,
	} {
		if !types[kind] {
			t.Errorf("no valid example of %s", kind)
		}
	}
}

func kindOf(t *testing.T, data []byte) string {
	t.Helper()
	kind, bad := peekType(data)
	if bad != nil {
		t.Fatal(bad)
	}
	return kind
}

func checkGolden(t *testing.T, c *goldenCase, err error) {
	t.Helper()
	if c.Error == nil {
		if err != nil {
			t.Fatalf("refused: %v", err)
		}
		return
	}
	if err == nil {
		t.Fatal("accepted")
	}
	bad, ok := err.(*MessageError) //nolint:errorlint // the contract: bare
	if !ok {
		t.Fatalf("error is a %T", err)
	}
	if bad.Code != c.Error.Code || bad.Re != c.Error.Re {
		t.Errorf("code %q re %q, want %q %q: %v", bad.Code, bad.Re, c.Error.Code, c.Error.Re, bad)
	}
	if c.Error.Pointer != "" && bad.Pointer != c.Error.Pointer {
		t.Errorf("pointer %q, want %q: %v", bad.Pointer, c.Error.Pointer, bad)
	}
	if !strings.Contains(bad.Error(), c.Error.Says) {
		t.Errorf("error %q does not say %q", bad, c.Error.Says)
	}
	if c.Error.Close != 0 && bad.Close != c.Error.Close {
		t.Errorf("closes with %v, want %v: %v", bad.Close, c.Error.Close, bad)
	}
	checkErrorText(t, bad)
}

// checkErrorText: an error goes back to a client and into logs.
func checkErrorText(t *testing.T, bad *MessageError) {
	t.Helper()
	text := bad.Error()
	if len(text) > 3*maxErrorText || clip(text, len(text)) != text {
		t.Errorf("error is long or has control characters: %q", text)
	}
	for _, leak := range []string{"wire.", "runlog.", "jsontext", "Go value", "json:"} {
		if strings.Contains(text, leak) {
			t.Errorf("error tells about our inside: %q", text)
		}
	}
	if _, err := Marshal(bad.Reply()); err != nil {
		t.Error(err)
	}
}
