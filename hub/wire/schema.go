package wire

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

//go:embed protocol.schema.json
var schemaJSON []byte

// SchemaJSON returns the published schema (JSON Schema 2020-12) of everything
// that goes over the wire: what a hub serves at /protocol.schema.json. The
// caller must not change it.
func SchemaJSON() []byte { return schemaJSON }

const schemaURL = "ringside:///protocol.schema.json"

// schemas finds compiled definitions of the published schema by name.
type schemas struct {
	// static after construction
	compiler *jsonschema.Compiler

	mu     sync.Mutex
	byName map[string]*jsonschema.Schema // guarded by mu
}

// published is built once: compiling takes milliseconds, and the file is part
// of the program.
var published = sync.OnceValue(func() *schemas {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	// Nothing is ever fetched or read from disk, whatever a $ref says.
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("refused to load %s", url)
	}
	if err := c.AddResource(schemaURL, bytes.NewReader(schemaJSON)); err != nil {
		panic("wire: embedded schema: " + err.Error())
	}
	return &schemas{compiler: c, byName: map[string]*jsonschema.Schema{}}
})

func (s *schemas) get(name string) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sch, ok := s.byName[name]; ok {
		return sch, nil
	}
	sch, err := s.compiler.Compile(schemaURL + "#/$defs/" + name)
	if err != nil {
		return nil, fmt.Errorf("definition %s: %w", name, err)
	}
	s.byName[name] = sch
	return sch, nil
}

// violation is one place where a value is not what the schema allows.
type violation struct{ pointer, message string }

// validate checks a decoded value (of any's JSON types, with float64 numbers)
// against a definition. A nil violation means that it is valid.
func validate(name string, value any) (v *violation) {
	sch, err := published().get(name)
	if err != nil {
		return &violation{message: err.Error()}
	}
	// jsonschema has had panics on odd numbers; a message is never worth one.
	defer func() {
		if r := recover(); r != nil {
			v = &violation{message: "cannot be checked"}
		}
	}()
	err = sch.Validate(value)
	if err == nil {
		return nil
	}
	bad, ok := err.(*jsonschema.ValidationError) //nolint:errorlint // Validate returns it bare
	if !ok {
		return &violation{message: clip(err.Error(), maxErrorText)}
	}
	return deepest(bad)
}

// deepest returns the first cause that has no causes itself: the place where
// the value goes wrong, rather than the object around it. An unknown member
// goes first: it is often the misspelt name of one that is missing.
func deepest(e *jsonschema.ValidationError) *violation {
	for len(e.Causes) > 0 {
		next := e.Causes[0]
		for _, c := range e.Causes {
			if keywordOf(c) == "additionalProperties" {
				next = c
				break
			}
		}
		e = next
	}
	return &violation{pointer: clip(e.InstanceLocation, maxErrorText), message: plain(e)}
}

// keywordOf is the last part of the failed keyword's place in the schema.
func keywordOf(e *jsonschema.ValidationError) string {
	return e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]
}

// plain says what is wrong in this protocol's words.
func plain(e *jsonschema.ValidationError) string {
	switch keyword := keywordOf(e); {
	case keyword == "additionalProperties":
		names := strings.TrimPrefix(e.Message, "additionalProperties")
		return clip("unknown member"+strings.TrimSuffix(names, " not allowed"), maxErrorText)
	case keyword == "required":
		names := strings.TrimPrefix(e.Message, "missing properties:")
		return clip("missing member"+names, maxErrorText)
	case strings.HasSuffix(e.AbsoluteKeywordLocation, "/$defs/run_id/pattern"):
		return "bad run id: 1 to 64 of A-Z a-z 0-9 _ -"
	case strings.HasSuffix(e.AbsoluteKeywordLocation, "/$defs/label_text/pattern"):
		return "control characters are not allowed"
	}
	return clip(e.Message, maxErrorText)
}
