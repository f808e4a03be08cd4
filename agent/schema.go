package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// argumentSchema converts and checks the arguments of one tool.
type argumentSchema struct {
	compiled *jsonschema.Schema
	shape    *shape
}

// schemaURL names the schema inside its compiler; nothing is ever fetched.
const schemaURL = "parameters.json"

func compileArguments(parameters json.RawMessage) (*argumentSchema, error) {
	if len(bytes.TrimSpace(parameters)) == 0 {
		parameters = json.RawMessage(`{"type":"object"}`)
	}
	var tree any
	if err := jsonv2.Unmarshal(parameters, &tree); err != nil {
		return nil, plainSyntax(err)
	}
	c := jsonschema.NewCompiler()
	// State both: what they mean depends on each other.
	c.Draft = jsonschema.Draft2020
	c.AssertFormat = true
	c.LoadURL = refuseURL
	if err := c.AddResource(schemaURL, bytes.NewReader(parameters)); err != nil {
		return nil, err
	}
	b := shapeBuilder{compiler: c}
	s := &argumentSchema{}
	err := safely(func() (err error) {
		if s.compiled, err = c.Compile(schemaURL); err != nil {
			return shorter(err)
		}
		s.shape = b.build(tree, "")
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// shorter takes the URL of our own making out of a compiler's error.
func shorter(err error) error {
	if s, ok := errors.AsType[*jsonschema.SchemaError](err); ok {
		err = s.Err
	}
	if v, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return errors.New(strings.Join(reasons(v), "; "))
	}
	return errors.New(strings.ReplaceAll(err.Error(), schemaURL, ""))
}

// safely makes an error of a panic of the schema library.
func safely(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the schema validator failed: %v", v)
		}
	}()
	return f()
}

type shapeBuilder struct{ compiler *jsonschema.Compiler }

// build reads the shape of the schema tree at pointer.
func (b *shapeBuilder) build(tree any, pointer string) *shape {
	m, ok := tree.(map[string]any)
	if !ok {
		return nil
	}
	s := &shape{types: stringsOf(m["type"]), required: stringsOf(m["required"])}
	if _, isRef := m["$ref"].(string); !isRef {
		s.notNull = !b.accepts(pointer, true)(nil)
	}
	if props, ok := m["properties"].(map[string]any); ok {
		s.props = make(map[string]*shape, len(props))
		for name, p := range props {
			s.props[name] = b.build(p, pointer+"/properties/"+escape(name))
		}
	}
	s.rest = b.build(m["additionalProperties"], pointer+"/additionalProperties")
	s.items = b.build(m["items"], pointer+"/items")
	for _, key := range []string{"items", "prefixItems"} {
		if list, ok := m[key].([]any); ok {
			s.tuple = b.list(list, pointer+"/"+key)
		}
	}
	if list, ok := m["allOf"].([]any); ok {
		s.allOf = b.list(list, pointer+"/allOf")
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		list, ok := m[key].([]any)
		if !ok {
			continue
		}
		var union []branch
		for i, each := range b.list(list, pointer+"/"+key) {
			union = append(union, branch{each, b.accepts(fmt.Sprintf("%s/%s/%d", pointer, key, i), false)})
		}
		s.unions = append(s.unions, union)
	}
	return s
}

func (b *shapeBuilder) list(trees []any, pointer string) []*shape {
	shapes := make([]*shape, len(trees))
	for i, tree := range trees {
		shapes[i] = b.build(tree, fmt.Sprintf("%s/%d", pointer, i))
	}
	return shapes
}

// accepts returns the test of the schema at pointer; otherwise is its answer
// where that schema cannot be used alone.
func (b *shapeBuilder) accepts(pointer string, otherwise bool) func(any) bool {
	sub, err := b.compiler.Compile(schemaURL + "#" + pointer)
	if err != nil {
		return func(any) bool { return otherwise }
	}
	return func(v any) bool {
		return safely(func() error { return sub.Validate(v) }) == nil
	}
}

// escape writes a name as a token of a JSON pointer in a URL.
func escape(name string) string {
	return url.PathEscape(strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1"))
}

func stringsOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var list []string
		for _, each := range v {
			if text, ok := each.(string); ok {
				list = append(list, text)
			}
		}
		return list
	}
	return nil
}

// argumentError is what a model reads when its arguments do not fit.
func argumentError(tool string, received json.RawMessage, reasons ...string) error {
	var text strings.Builder
	fmt.Fprintf(&text, "Validation failed for tool %q:\n", tool)
	const most = 20
	for _, r := range reasons[:min(len(reasons), most)] {
		fmt.Fprintf(&text, "  - %s\n", strings.ToValidUTF8(r, "\uFFFD"))
	}
	if more := len(reasons) - most; more > 0 {
		fmt.Fprintf(&text, "  - and %d more\n", more)
	}
	text.WriteString("\nReceived arguments:\n")
	text.WriteString(preview(received))
	return errors.New(text.String())
}

// preview shows the model what it wrote, cut where it wrote very much.
func preview(raw json.RawMessage) string {
	const most = 2 << 10
	if len(raw) <= most {
		if v := jsontext.Value(slices.Clone(raw)); v.Indent(jsontext.WithIndent("  ")) == nil {
			return string(v)
		}
	}
	text := strings.ToValidUTF8(string(raw[:min(len(raw), most)]), "\uFFFD")
	if len(raw) > most {
		text += fmt.Sprintf("… (%d bytes in all)", len(raw))
	}
	return text
}

// check converts raw and returns it as the tool gets it: raw itself where
// nothing was converted.
func (s *argumentSchema) check(tool string, raw json.RawMessage) (json.RawMessage, error) {
	v, err := decodeArguments(raw)
	if err != nil {
		return nil, argumentError(tool, raw, "root: "+err.Error())
	}
	dropped := s.shape.dropNulls(v)
	v, converted := s.shape.convert(v)
	err = safely(func() error { return s.compiled.Validate(plain(v)) })
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return nil, argumentError(tool, raw, reasons(invalid)...)
	}
	if err != nil {
		return nil, argumentError(tool, raw, "root: "+err.Error())
	}
	if dropped || converted {
		return appendValue(nil, v), nil
	}
	return raw, nil
}

// reasons lists the innermost causes: "path: reason".
func reasons(e *jsonschema.ValidationError) []string {
	if len(e.Causes) > 0 {
		var list []string
		for _, c := range e.Causes {
			list = append(list, reasons(c)...)
		}
		return list
	}
	path := dotted(e.InstanceLocation)
	if names, ok := strings.CutPrefix(e.Message, "missing properties: "); ok {
		var list []string
		for name := range strings.SplitSeq(names, ", ") {
			name = strings.Trim(name, "'")
			if path != "root" {
				name = path + "." + name
			}
			list = append(list, name+": is required, but missing")
		}
		return list
	}
	return []string{path + ": " + e.Message}
}

// refuseURL keeps schemas from reading files and the network.
func refuseURL(ref string) (io.ReadCloser, error) {
	return nil, fmt.Errorf("it refers to %s: only references within the schema are followed", ref)
}
