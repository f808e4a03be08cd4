package wire

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringside-hub/ringside/hub/runlog"
	"github.com/ringside-hub/ringside/hub/view"
)

type definition struct {
	Title       string                    `json:"title"`
	Description string                    `json:"description"`
	Properties  map[string]jsontext.Value `json:"properties"`
	Required    []string                  `json:"required"`
}

func definitions(t *testing.T) map[string]definition {
	t.Helper()
	var root struct {
		Schema string                    `json:"$schema"`
		Defs   map[string]jsontext.Value `json:"$defs"`
	}
	if err := json.Unmarshal(SchemaJSON(), &root); err != nil {
		t.Fatal(err)
	}
	if root.Schema != "https://json-schema.org/draft/2020-12/schema" {
		t.Errorf("$schema is %q", root.Schema)
	}
	defs := map[string]definition{}
	for name, raw := range root.Defs {
		var d definition
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defs[name] = d
	}
	return defs
}

// Every definition compiles, and those that stand for themselves say what they
// are: the schema is the protocol's reference.
func TestSchemaCompiles(t *testing.T) {
	for name, d := range definitions(t) {
		if _, err := published().get(name); err != nil {
			t.Error(err)
		}
		if d.Properties != nil && (d.Title == "" || d.Description == "") {
			t.Errorf("%s has no title or description", name)
		}
	}
}

// The schema and the Go types have the same members; one is required exactly
// where it is always written.
func TestSchemaMirrorsTypes(t *testing.T) {
	defs := definitions(t)
	for name, value := range map[string]any{
		"client_hello": Hello{}, "client_watch": Watch{}, "client_unwatch": Unwatch{}, "client_check": Check{},
		"client_look": Look{}, "client_watch_runs": WatchRuns{}, "client_unwatch_runs": UnwatchRuns{},
		"hub_welcome": Welcome{}, "hub_snapshot": Snapshot{}, "hub_events": Events{}, "hub_merged": Merged{},
		"hub_check": CheckAt{}, "hub_status": Status{}, "hub_presence": Presence{}, "hub_runs": Runs{},
		"hub_stats": Stats{}, "hub_heartbeat": Heartbeat{}, "hub_error": Error{}, "hub_bye": Bye{},
		"position": runlog.Position{}, "event": view.Event{}, "usage": view.Usage{},
		"attachment": view.Attachment{}, "truncated": view.Truncated{},
		"view": view.View{}, "view_message": view.Message{}, "view_tool": view.Tool{}, "view_turn": view.Turn{},
		"view_notice": view.Notice{}, "summary": view.Summary{}, "run_summary": runlog.RunSummary{},
		"http_claim": claimBody{}, "http_checkpoint": foldBody{}, "http_heartbeat": heartbeatBody{},
		"http_append": appendBody{}, "http_claimed": Claimed{}, "http_ack": runlog.Ack{}, "http_error": ErrorBody{},
	} {
		d, ok := defs[name]
		if !ok {
			t.Errorf("no definition %s", name)
			continue
		}
		all, always := members(reflect.TypeOf(value))
		if name == "http_checkpoint" { // the epoch is in the address
			all = slices.DeleteFunc(all, func(s string) bool { return s == "epoch" })
		}
		var have []string
		for member := range d.Properties {
			have = append(have, member)
		}
		slices.Sort(have)
		if !slices.Equal(have, all) {
			t.Errorf("%s: schema has %v, %T has %v", name, have, value, all)
		}
		// The view package omits what is empty; what it then requires is checked by decoding.
		if strings.HasPrefix(name, "view") {
			continue
		}
		slices.Sort(d.Required)
		if !slices.Equal(d.Required, always) {
			t.Errorf("%s: schema requires %v, %T always writes %v", name, d.Required, value, always)
		}
	}
}

// members returns a struct's JSON members, and those that are never omitted.
func members(typ reflect.Type) (all, always []string) {
	for f := range typ.Fields() {
		if !f.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			a, b := members(f.Type)
			all, always = append(all, a...), append(always, b...)
			continue
		}
		all = append(all, name)
		if options == "" {
			always = append(always, name)
		}
	}
	slices.Sort(all)
	slices.Sort(always)
	return all, always
}

// What the fold files say must be what the schema allows: events, and the view
// after each.
func TestFoldFilesAreValid(t *testing.T) {
	files, err := filepath.Glob("../view/testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fold files: %v", err)
	}
	types := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var fold struct {
			Steps []struct {
				Event, View any
			}
		}
		if err := json.Unmarshal(data, &fold, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for i, s := range fold.Steps {
			if v := validate("event", s.Event); v != nil {
				t.Errorf("%s: step %d: event: %s: %s", file, i, v.pointer, v.message)
			}
			if v := validate("view", s.View); s.View != nil && v != nil {
				t.Errorf("%s: step %d: view: %s: %s", file, i, v.pointer, v.message)
			}
			if e, ok := s.Event.(map[string]any); ok {
				types[e["type"].(string)] = true
			}
		}
	}
	if len(types) < 15 {
		t.Errorf("the fold files have only the event types %v", types)
	}
}
