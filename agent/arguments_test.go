package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ringside-hub/ringside/agent"
)

const manyTypes = `{"type":"object","properties":{
	"n":{"type":"number"},"i":{"type":"integer"},"b":{"type":"boolean"},"s":{"type":"string"},
	"l":{"type":"array","items":{"type":"integer"}},"t":{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}]},
	"o":{"type":"object","properties":{"x":{"type":"integer"},"a/b~c %":{"type":"string"}},"required":["x"],"additionalProperties":{"type":"boolean"}},
	"u":{"type":["integer","null"]},"any":{"anyOf":[{"type":"integer","minimum":10},{"type":"boolean"}]},
	"one":{"oneOf":[{"type":"object","properties":{"k":{"type":"integer"}},"required":["k"]},{"type":"string"}]},
	"all":{"allOf":[{"type":"integer"}]},"nil":{"type":"null"},"r":{"$ref":"#/$defs/r"},"e":{"enum":["a",1]}},
	"$defs":{"r":{"type":"integer"}}}`

var checkMany = agent.ArgumentChecker(manyTypes)

func TestConversions(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{`{}`, `{}`},
		{`{"n":"1.5"}`, `{"n":1.5}`},
		{`{"n":" 7 "}`, `{"n":7}`},
		{`{"n":"0x10"}`, `{"n":16}`},
		{`{"n":"+5"}`, `{"n":5}`},
		{`{"n":"-0.0"}`, `{"n":0}`},
		{`{"n":"1e2"}`, `{"n":100}`},
		{`{"n":true}`, `{"n":1}`},
		{`{"n":null}`, `{}`},
		{`{"i":"4.0"}`, `{"i":4}`},
		{`{"i":"12345678901234567890"}`, `{"i":12345678901234567890}`},
		{`{"b":"true"}`, `{"b":true}`},
		{`{"b":0}`, `{"b":false}`},
		{`{"s":1.50}`, `{"s":"1.5"}`},
		{`{"s":1e21}`, `{"s":"1e+21"}`},
		{`{"s":12345678901234567890}`, `{"s":"12345678901234567890"}`},
		{`{"s":false}`, `{"s":"false"}`},
		{`{"l":["1",2,true]}`, `{"l":[1,2,1]}`},
		{`{"l":[null]}`, `{"l":[0]}`},
		{`{"t":["1",2,3]}`, `{"t":[1,"2",3]}`},
		{`{"o":{"x":"1","more":"true","a/b~c %":null}}`, `{"o":{"x":1,"more":true}}`},
		{`{"o":null}`, `{}`},
		{`{"u":null}`, `{"u":null}`},
		{`{"u":"3"}`, `{"u":3}`},
		{`{"any":"12"}`, `{"any":12}`},
		{`{"any":"true"}`, `{"any":true}`},
		{`{"any":true}`, `{"any":true}`},
		{`{"one":{"k":"5"}}`, `{"one":{"k":5}}`},
		{`{"all":"8"}`, `{"all":8}`},
		{`{"nil":""}`, `{"nil":null}`},
		{`{"zz":null,"__proto__":"1"}`, `{"zz":null,"__proto__":"1"}`},
		// What needs no conversion keeps its spelling and order.
		{`{ "s" : "x",  "n":1.50, "i":10000000000000000000001 }`, `{ "s" : "x",  "n":1.50, "i":10000000000000000000001 }`},
		{`{"s":"\u00e9<","n":1.50,"b":"true","a":0.10}`, `{"s":"é<","n":1.50,"b":true,"a":0.10}`},
	} {
		got, err := checkMany([]byte(tt.args))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %s, %v; want %s", tt.args, got, err, tt.want)
		}
	}
}

func TestArgumentErrors(t *testing.T) {
	for _, tt := range []struct {
		args string
		want []string // lines of the error, in any order
	}{
		{`[]`, []string{"  - root: expected object, but got array", "Received arguments:\n[]"}},
		{`"x"`, []string{"  - root: expected object, but got string"}},
		{`null`, []string{"  - root: expected object, but got null"}},
		{``, []string{"  - root: not valid JSON"}},
		{`{"a":`, []string{"  - root: not valid JSON at byte 5"}},
		{`{"a":1} x`, []string{"  - root: there is more after the end, at byte 7"}},
		{`{"n":1,"n":2}`, []string{"  - root: not valid JSON at byte 7: duplicate object member name"}},
		{"{\"s\":\"\xff\"}", []string{"  - root: not valid JSON at byte", "invalid UTF-8"}},
		{`{"i":"1.5"}`, []string{"  - i: expected integer, but got string", `  "i": "1.5"`}},
		{`{"n":""}`, []string{"  - n: expected number"}},
		{`{"b":"TRUE"}`, []string{"  - b: expected boolean"}},
		{`{"l":[1,"x"]}`, []string{"  - l.1: expected integer, but got string"}},
		{`{"o":{}}`, []string{"  - o.x: is required, but missing"}},
		{`{"i":1.5,"b":"no"}`, []string{"  - i: expected integer, but got number", "  - b: expected boolean, but got string"}},
		{`{"n":1e400}`, []string{"  - root: the number 1e400 at n is out of range"}},
		{`{"i":1e5000000}`, []string{"out of range"}},
		{`{"n":` + strings.Repeat("1", 200) + `}`, []string{"a number of 200 digits at n, at most 100"}},
		{strings.Repeat(`{"o":`, 100) + `1` + strings.Repeat(`}`, 100), []string{"nested deeper than 64 at o.o.o"}},
		{strings.Repeat(`[`, 100_000), []string{"nested deeper than 64"}},
	} {
		_, err := checkMany([]byte(tt.args))
		if err == nil {
			t.Errorf("%.80s: accepted", tt.args)
			continue
		}
		for _, want := range append(tt.want, `Validation failed for tool "tool":`, "\n\nReceived arguments:\n") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%.80s: %v\nlacks %q", tt.args, err, want)
			}
		}
	}
}

func TestArgumentErrorIsShort(t *testing.T) {
	var long strings.Builder
	long.WriteString(`{"l":["x"`)
	for range 100_000 {
		long.WriteString(`,"x"`)
	}
	long.WriteString(`]}`)
	_, err := checkMany([]byte(long.String()))
	if err == nil || len(err.Error()) > 8<<10 || !strings.Contains(err.Error(), "  - and 99981 more\n") {
		t.Fatalf("error of %d bytes: %.3000v", len(err.Error()), err)
	}
}

func TestSchemasThatDoNotCompile(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":`:                              "not valid JSON at byte 8",
		`{"type":"strin"}`:                      "type",
		`{"properties":[]}`:                     "properties: expected object, but got array",
		`{"$ref":"file:///etc/passwd"}`:         "only references within the schema are followed",
		`{"$ref":"http://example.com/s.json"}`:  "only references within the schema are followed",
		`{"$ref":"#/$defs/none"}`:               "$defs",
		`{"type":"object","minimum":1e5000000}`: "",
		`{"pattern":"("}`:                       "pattern",
		`3`:                                     "",
		`{"type":"object","type":"object"}`:     "duplicate",
	} {
		_, err := agent.NewToolset(agent.Tool{Name: "odd", Parameters: json.RawMessage(schema), Execute: noop})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `agent: tool 0 "odd": its Parameters are no usable JSON Schema: `) {
			t.Errorf("%s: %v; want %q", schema, err, want)
		}
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{}`, `{"n":"1","o":{"x":"2"},"l":["3"],"any":"4"}`, `{"i":1e5000000}`, `[`, "{\"\xff\":1}", `{"r":"5","e":1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		got, err := checkMany(args)
		if err != nil {
			return
		}
		again, err := checkMany(got)
		if err != nil || string(again) != string(got) {
			t.Fatalf("%q gave %q, which gives %q, %v", args, got, again, err)
		}
	})
}
