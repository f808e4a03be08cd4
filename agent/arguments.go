package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// What arguments may be. The schema validator is exact and therefore slow where
// numbers are huge or nesting is deep, so that these come first.
const (
	maxArgumentBytes  = 8 << 20
	maxArgumentDepth  = 64
	maxArgumentNumber = 100 // bytes
)

// A value is a JSON value: nil, bool, string, number, []value or *object.
// Numbers keep their spelling and objects their order, so that what no
// conversion touches reaches the tool as the model wrote it.
type value any

type number string

type object struct{ members []member }

type member struct {
	name  string
	value value
}

// decodeArguments reads arguments strictly: well-formed UTF-8, no duplicate
// names, bounded size, depth and numbers.
func decodeArguments(raw json.RawMessage) (value, error) {
	if len(raw) > maxArgumentBytes {
		return nil, fmt.Errorf("%d bytes are too many, at most %d are accepted", len(raw), maxArgumentBytes)
	}
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	v, err := decodeValue(d, 0)
	if err != nil {
		return nil, plainSyntax(err)
	}
	if rest := bytes.TrimSpace(raw[d.InputOffset():]); len(rest) > 0 {
		return nil, fmt.Errorf("there is more after the end, at byte %d", d.InputOffset())
	}
	return v, nil
}

func decodeValue(d *jsontext.Decoder, depth int) (value, error) {
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	if depth > maxArgumentDepth {
		return nil, fmt.Errorf("nested deeper than %d at %s", maxArgumentDepth, dotted(string(d.StackPointer())))
	}
	switch token.Kind() {
	case jsontext.KindTrue, jsontext.KindFalse:
		return token.Bool(), nil
	case jsontext.KindString:
		return token.String(), nil
	case jsontext.KindNumber:
		return decodeNumber(d, token.String())
	case jsontext.KindBeginArray:
		return decodeArray(d, depth)
	case jsontext.KindBeginObject:
		return decodeObject(d, depth)
	}
	return nil, nil
}

func decodeNumber(d *jsontext.Decoder, text string) (value, error) {
	if len(text) > maxArgumentNumber {
		return nil, fmt.Errorf("a number of %d digits at %s, at most %d are accepted", len(text), dotted(string(d.StackPointer())), maxArgumentNumber)
	}
	if f, err := strconv.ParseFloat(text, 64); err != nil || math.IsInf(f, 0) {
		return nil, fmt.Errorf("the number %s at %s is out of range", text, dotted(string(d.StackPointer())))
	}
	return number(text), nil
}

func decodeArray(d *jsontext.Decoder, depth int) (value, error) {
	list := []value{}
	for d.PeekKind() != jsontext.KindEndArray {
		v, err := decodeValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.ReadToken()
	return list, err
}

func decodeObject(d *jsontext.Decoder, depth int) (value, error) {
	o := &object{}
	for d.PeekKind() != jsontext.KindEndObject {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		v, err := decodeValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		o.members = append(o.members, member{key, v})
	}
	_, err := d.ReadToken()
	return o, err
}

// plainSyntax says a syntax error without the decoder's own names.
func plainSyntax(err error) error {
	if s, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Errorf("not valid JSON at byte %d: %s", s.ByteOffset, strings.TrimPrefix(s.Err.Error(), "jsontext: "))
	}
	if errors.Is(err, io.EOF) {
		return errors.New("not valid JSON: there is nothing")
	}
	return err
}

// plain turns v into what the schema validator takes. Its numbers are float64:
// exact big numbers are its weakness.
func plain(v value) any {
	switch v := v.(type) {
	case number:
		f, _ := strconv.ParseFloat(string(v), 64)
		return f
	case []value:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = plain(item)
		}
		return list
	case *object:
		m := make(map[string]any, len(v.members))
		for _, each := range v.members {
			m[each.name] = plain(each.value)
		}
		return m
	}
	return v
}

// appendValue encodes v. Its strings come from a strict decoder, so quoting
// cannot fail.
func appendValue(dst []byte, v value) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, v)
	case string:
		dst, _ = jsontext.AppendQuote(dst, v)
		return dst
	case number:
		return append(dst, v...)
	case []value:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, item)
		}
		return append(dst, ']')
	case *object:
		dst = append(dst, '{')
		for i, each := range v.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst, _ = jsontext.AppendQuote(dst, each.name)
			dst = append(dst, ':')
			dst = appendValue(dst, each.value)
		}
		return append(dst, '}')
	}
	panic(fmt.Sprintf("agent: %T is no JSON value", v))
}

// dotted writes a JSON pointer as the path that models are used to.
func dotted(pointer string) string {
	if pointer == "" {
		return "root"
	}
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(p, "~1", "/"), "~0", "~")
	}
	return strings.Join(parts, ".")
}
